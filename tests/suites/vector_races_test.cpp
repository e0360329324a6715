#include <holdfast/core/error.h>

#include "suites/kinds.h"
#include "suites/vector_support.h"

using namespace holdfast;
using namespace holdfast::test;
using journal::RebuildEnd;

namespace {

/// A model of "letters4" that serves, and a note under it.
struct Embedded {
  Embedded() {
    StoreOptions options = base.options();
    options.embedders = letter_embedders();
    store = Store::open(options);
    other_store = Store::open(options);
    space.emplace(store->space("main", "tester"));
    other.emplace(other_store->space("main", "other"));
    note = base.add_note("old");
    REQUIRE(space->models().create(letter_model("m", "letters4")).outcome ==
            ModelOutcome::created);
  }

  /// The `nth` time that the loop passes `seam`, `act` runs once, in its thread.
  void at(std::string_view seam, const std::function<void()>& act, int nth = 1) {
    const auto left = std::make_shared<int>(nth);
    base.environment.faults.arm([=, name = std::string(seam)](std::string_view point) {
      if (point != name || --*left != 0) return;
      act();
    });
  }
  void edit(const std::string& content, std::vector<GivenVectors> given = {}) {
    pass_time(base);
    Note row = space->notes().get(note.id);
    row.content = content;
    written(space->notes().replace(row, as_read(row), {.vectors = std::move(given)}));
  }
  ModelGeneration serving() const { return space->models().status("m").serving.value(); }
  Embedding vector() const { return vectors_of(*store, serving()).at(note.id.uuid).at(0); }

  TestStore base;
  std::unique_ptr<Store> store, other_store;
  std::optional<Space> space, other;
  Note note;
};

Embedding letters4(std::string_view text) { return LetterEmbedder::vector_of("letters4", text); }

}  // namespace

TEST_CASE("E17: a worker that was passed by its successor cannot put back an older vector",
          "[vectors][projections]") {
  for (const char* seam : {"projection.derive", "projection.lock"}) {
    CAPTURE(seam);
    Embedded f;
    f.edit("read by the first");
    f.at(seam, [&] {
      // The first worker stands still; its lease ends; the second embeds what is there now.
      f.base.environment.clock.advance(std::chrono::hours(1));
      f.edit("newer");
      CHECK(f.other->models().embed("m").outcomes.at("applied") == 1);
      REQUIRE(f.vector() == letters4("newer"));
    });
    try {
      const auto report = f.space->models().embed("m");
      CHECK(report.outcomes.at("skipped_stale") == 1);
    } catch (const Conflict&) {
      // It may as well have noticed that the lease is lost.
    }
    CHECK(f.vector() == letters4("newer"));
    CHECK(f.serving().sources.current == 1);
    CHECK(broken_checks(*f.store).empty());
  }
}

TEST_CASE("E18: a rebuild that collected a text does not store its vector over the edit's",
          "[vectors][projections]") {
  Embedded f;
  RebuildModelOptions options;
  options.model = letter_model("m", "letters6");
  f.at("projection.lock", [&] { f.edit("edited meanwhile"); });
  const auto report = f.space->models().rebuild("m", options);
  CHECK(report.end == RebuildEnd::swapped);
  CHECK(report.outcomes.at("skipped_stale") == 1);
  CHECK(f.vector() == LetterEmbedder::vector_of("letters6", "edited meanwhile"));
  CHECK(f.serving().sources.current == 1);
}

TEST_CASE("E19: a worker's vector does not pass one that came with a write while it embedded",
          "[vectors][projections]") {
  Embedded f;
  f.edit("being embedded");
  const Embedding mine = {9, 9, 9, 9};
  f.at("projection.lock", [&] {
    f.edit("with its own", {{.model = "m", .vectors = {mine}, .generation = {}}});
  });
  const auto report = f.space->models().embed("m");
  CHECK(report.outcomes.at("skipped_stale") == 1);
  CHECK(f.vector() == mine);
  CHECK(f.serving().sources.current == 1);
  CHECK(broken_checks(*f.store).empty());
}

TEST_CASE("E20: a worker that meets another dimension stores nothing and says so",
          "[vectors][projections]") {
  Embedded f;
  f.edit("half way");
  f.at("projection.lock", [&] {
    RebuildModelOptions options;
    options.model = letter_model("m", "letters6");
    CHECK(f.other->models().rebuild("m", options).end == RebuildEnd::swapped);
  });
  const auto report = f.space->models().embed("m");
  CHECK(report.outcomes.at("wrong_generation") == 1);
  CHECK(f.vector() == LetterEmbedder::vector_of("letters6", "half way"));
  CHECK(f.space->models().status("m").building.has_value() == false);
  CHECK(broken_checks(*f.store).empty());
}

TEST_CASE("E21: a rebuild whose model was dropped before the swap does not bring it back",
          "[vectors][projections]") {
  Embedded f;
  f.at("projection.swap", [&] { CHECK(f.other->models().drop("m")); });
  CHECK(f.space->models().rebuild("m").end == RebuildEnd::cancelled);
  CHECK_FALSE(f.space->models().find("m").has_value());
  CHECK(broken_checks(*f.store).empty());
}

TEST_CASE("E17: a lower sequence is ignored although the vector's row was removed since",
          "[vectors][projections]") {
  Embedded f;
  f.edit("about to go");
  f.at("projection.lock", [&] {
    written(f.other->notes().remove(f.note.id));
    f.base.environment.clock.advance(std::chrono::hours(1));
    (void)f.other->models().embed("m");
    REQUIRE(vectors_of(*f.store, f.serving()).empty());
  });
  try {
    (void)f.space->models().embed("m");
  } catch (const Conflict&) {
  }
  CHECK(vectors_of(*f.store, f.serving()).empty());
  CHECK(broken_checks(*f.store).empty());
}
