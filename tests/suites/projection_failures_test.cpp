#include <holdfast/journal/projection_failures.h>
#include <holdfast/journal/projection_retry.h>
#include <holdfast/journal/projection_status.h>

#include "suites/projection_support.h"

using namespace holdfast;
using namespace holdfast::test;
using journal::GenerationState;
using journal::RebuildEnd;

namespace {

/// Two entities in a generation that serves.
struct Served : Projected {
  Served() {
    good = store.add_entity("good");
    other = store.add_entity("other");
    REQUIRE(rebuild().end == RebuildEnd::swapped);
  }
  Entity rename(const Entity& entity, const std::string& name) const {
    pass_time(const_cast<TestStore&>(store));
    return written(space().rename_entity(entity.id, name));
  }
  std::vector<journal::DerivedFailure> failures(
      GenerationState state = GenerationState::serving) const {
    const auto of = generation(state);
    const auto snapshot = store.store->database().snapshot();
    return journal::failures_of(snapshot->transaction(), "main", of, {}, 100);
  }
  journal::GenerationStatus status() const {
    for (const auto& each : space().projections().status("words").generations) {
      if (each.generation.state == GenerationState::serving) return each;
    }
    FAIL("nothing serves");
    return {};
  }
  std::uint64_t retry(std::span<const Uuid> ids = {}) const {
    const auto report =
        journal::retry_failures(site(), generation(GenerationState::serving), ids);
    std::uint64_t tried = 0;
    for (const auto& [outcome, count] : report.outcomes) tried += count;
    return tried;
  }
  void redeclare(const std::string& declaration) const {
    write([&](storage::Transaction& transaction) {
      journal::redeclare_projection(transaction, "main", "words",
                                    JsonObject::trusted(declaration), {});
    });
  }
  std::string declared() const {
    return space().projections().list().at(0).declaration.text();
  }
  Entity good, other;
};

}  // namespace

TEST_CASE("what cannot be derived is listed, and what was derived before stays and is stale",
          "[projections]") {
  Served f;
  f.words.refuse("bad");
  const Entity bad = f.rename(f.good, "bad");
  (void)f.follow();
  CHECK(f.word(f.good) == "GOOD");
  const auto failures = f.failures();
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].id == f.good.id.uuid);
  CHECK(failures[0].as_of == bad.seq);
  CHECK(failures[0].reason == "it holds bad");
  const auto status = f.status();
  CHECK(status.failed == 1);
  CHECK(status.sources.stale == 1);
  CHECK(status.sources.current == 1);
  CHECK(status.behind == 0);
  CHECK(f.faults().empty());
}

TEST_CASE("a failure is forgotten once its source can be derived, or is gone", "[projections]") {
  Served f;
  f.words.refuse("bad");
  (void)f.rename(f.good, "bad");
  (void)f.rename(f.other, "bad too");
  (void)f.follow();
  REQUIRE(f.failures().size() == 2);
  (void)f.rename(f.good, "better");
  written(f.space().entities().remove(f.other.id));
  (void)f.follow();
  CHECK(f.failures().empty());
  CHECK(f.word(f.good) == "BETTER");
  CHECK(f.word(f.other).empty());
  CHECK(f.faults().empty());
}

TEST_CASE("a retry derives what can be derived by now, and counts what fails again",
          "[projections]") {
  Served f;
  f.words.refuse("bad");
  (void)f.rename(f.good, "bad");
  (void)f.rename(f.other, "bad too");
  (void)f.follow();
  CHECK(f.retry() == 2);
  CHECK(f.failures().at(0).attempts == 2);
  f.words.refuse("");
  const Uuid chosen[] = {f.other.id.uuid};
  CHECK(f.retry(chosen) == 1);
  CHECK(f.word(f.other) == "BAD TOO");
  REQUIRE(f.failures().size() == 1);
  CHECK(f.failures().at(0).id == f.good.id.uuid);
  CHECK(f.retry() == 1);
  CHECK(f.failures().empty());
  CHECK(f.faults().empty());
}

TEST_CASE("a failure that was read before its source changed is not listed", "[projections]") {
  Served f;
  f.words.refuse("bad");
  (void)f.rename(f.good, "bad");
  f.at("projection.lock", [&] { (void)f.rename(f.good, "mended"); });
  const auto report = journal::follow_projection(f.site(), "words");
  CHECK(report.outcomes.at("skipped_stale") == 1);
  CHECK(report.outcomes.count("failed") == 0);
  CHECK(f.failures().empty());
  (void)f.follow();
  CHECK(f.word(f.good) == "MENDED");
}

TEST_CASE("a rebuild that could not derive all ends incomplete, and goes on with just the rest",
          "[projections]") {
  Served f;
  f.words.refuse("other");
  const auto stopped = f.rebuild();
  CHECK(stopped.end == RebuildEnd::incomplete);
  CHECK(stopped.problems_total == 1);
  CHECK(stopped.problems.at(0).detail == "it holds other");
  CHECK(f.has(GenerationState::serving));
  CHECK(f.failures(GenerationState::building).size() == 1);
  const auto derived = f.words.derived();
  CHECK(f.rebuild().end == RebuildEnd::incomplete);
  CHECK(f.words.derived() == derived + 1);
  f.words.refuse("");
  const auto report = f.rebuild();
  CHECK(report.end == RebuildEnd::swapped);
  CHECK(report.was_resumed);
  CHECK(f.words.derived() == derived + 2);
  CHECK(f.word(f.other) == "OTHER");
  CHECK(f.faults().empty());
}

TEST_CASE("a rebuild that may leave failures out serves without them and keeps them listed",
          "[projections]") {
  Served f;
  f.words.refuse("other");
  CHECK(f.rebuild({.allow_failures = true}).end == RebuildEnd::swapped);
  CHECK(f.word(f.good) == "GOOD");
  CHECK(f.word(f.other).empty());
  CHECK(f.failures().size() == 1);
  CHECK(f.faults().empty());
}

TEST_CASE("another declaration gives up what is built by the old one, and what serves goes on",
          "[projections]") {
  Served f;
  f.at("projection.lock", [&] { f.redeclare(R"({"v":2})"); });
  const auto report = f.rebuild();
  CHECK(report.end == RebuildEnd::cancelled);
  CHECK_FALSE(f.has(GenerationState::building));
  CHECK(f.generation(GenerationState::serving).declaration.text() == "{}");
  CHECK(f.status().is_outdated);
  (void)f.rename(f.good, "still followed");
  (void)f.follow();
  CHECK(f.word(f.good) == "STILL FOLLOWED");
  CHECK(f.rebuild().end == RebuildEnd::swapped);
  CHECK(f.generation(GenerationState::serving).declaration.text() == R"({"v":2})");
  CHECK_FALSE(f.status().is_outdated);
  CHECK(f.faults().empty());
}

TEST_CASE("a rebuild to another declaration that is cancelled takes the declaration back",
          "[projections]") {
  Served f;
  f.redeclare(R"({"v":2})");
  CHECK(f.rebuild({.batch = 1}, [](const auto&) { return false; }).end == RebuildEnd::stopped);
  CHECK(f.declared() == R"({"v":2})");
  CHECK(f.space().projections().cancel("words"));
  CHECK(f.declared() == "{}");
  CHECK_FALSE(f.status().is_outdated);
  CHECK(f.faults().empty());
}

TEST_CASE("what is prepared before the swap sees all that is in it, and what is written meanwhile "
          "is in it too",
          "[projections]") {
  Served f;
  journal::RebuildOptions options;
  bool is_prepared = false;
  options.prepare = [&](const journal::Generation& generation, const auto& go_on) {
    CHECK(generation.state == GenerationState::building);
    CHECK(go_on());
    (void)f.rename(f.good, "meanwhile");
    is_prepared = true;
  };
  CHECK(f.rebuild(options).end == RebuildEnd::swapped);
  CHECK(is_prepared);
  CHECK(f.word(f.good) == "MEANWHILE");
}

TEST_CASE("following stops where its control says so, and goes on from there", "[projections]") {
  Served f;
  (void)f.rename(f.good, "one");
  (void)f.rename(f.other, "two");
  const auto report = journal::follow_projection(
      f.site(), "words", {.batch = 1, .control = [](const auto&) { return false; }});
  CHECK(report.events == 1);
  CHECK(report.outcomes.at("applied") == 1);
  CHECK(f.word(f.other) == "OTHER");
  CHECK(f.follow() == 1);
  CHECK(f.word(f.other) == "TWO");
  CHECK_THROWS_AS(journal::follow_projection(f.site(), "words", {.batch = 0}), InvalidArgument);
}
