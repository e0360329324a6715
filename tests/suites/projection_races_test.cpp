#include "suites/projection_support.h"

#include <thread>

using namespace holdfast;
using namespace holdfast::test;
using journal::GenerationState;
using journal::RebuildEnd;

namespace {

constexpr auto kLease = 15s;  // RebuildOptions::lease

/// The places where a rebuild holds no lock, so that anything may come between.
constexpr const char* kOpenSeams[] = {"projection.load", "projection.derive", "projection.lock"};

/// One entity, and a key over its name that is being built.
struct Racing : Projected {
  Racing() {
    entity = store.add_entity("read");
    pass_time(store);
  }
  Entity rename(const std::string& name) {
    pass_time(store);
    return written(space().rename_entity(entity.id, name));
  }
  Entity entity;
};

}  // namespace

TEST_CASE("E18 E19: a write between a rebuild's read and its write keeps its newer derived row",
          "[projections]") {
  for (const char* seam : kOpenSeams) {
    CAPTURE(seam);
    Racing f;
    f.at(seam, [&] { f.rename("written"); });
    CHECK(f.rebuild().end == RebuildEnd::swapped);
    CHECK(f.word(f.entity) == "WRITTEN");
    CHECK(f.faults().empty());
  }
}

TEST_CASE("a source that has moved is skipped and counted, and its follower takes it in",
          "[projections]") {
  Racing f;
  f.at("projection.lock", [&] { f.rename("written"); });
  const auto report = f.rebuild();
  CHECK(report.outcomes.at("skipped_stale") == 1);
  CHECK(report.problems_total == 0);
  CHECK(f.word(f.entity) == "WRITTEN");
}

TEST_CASE("a key's mapping survives a rebuild that has read an older row", "[projections]") {
  for (const char* seam : kOpenSeams) {
    CAPTURE(seam);
    Racing f;
    f.at(seam, [&] { f.rename("written"); });
    CHECK(f.space().declare_key({.name = "name", .path = "name"}).outcome ==
          KeyOutcome::declared);
    CHECK_FALSE(f.space().find_by_key("name", "read").has_value());
    CHECK(f.space().find_by_key("name", "written")->id == f.entity.id);
    CHECK(f.faults().empty());
  }
}

TEST_CASE("a source that is deleted, restored or purged behind a read leaves nothing stale",
          "[projections]") {
  for (const char* seam : kOpenSeams) {
    for (const std::string what : {"delete", "restore", "purge"}) {
      CAPTURE(seam, what);
      Racing f;
      f.at(seam, [&] {
        written(f.space().entities().remove(f.entity.id));
        pass_time(f.store);
        if (what == "restore") written(f.space().entities().restore(f.entity.id));
        if (what == "purge") CHECK(f.space().entities().purge(f.entity.id).applied());
      });
      CHECK(f.space().declare_key({.name = "name", .path = "name"}).outcome ==
            KeyOutcome::declared);
      CHECK(f.space().find_by_key("name", "read").has_value() == (what == "restore"));
      CHECK(f.rebuild().end == RebuildEnd::swapped);
      CHECK(f.word(f.entity) == (what == "restore" ? "READ" : ""));
      CHECK(f.faults().empty());
    }
  }
}

TEST_CASE("a key that was passed on behind a read stays with its new row", "[projections]") {
  Racing f;
  Entity heir;
  f.at("projection.lock", [&] {
    written(f.space().entities().remove(f.entity.id));
    CHECK(f.space().entities().purge(f.entity.id).applied());
    heir = f.store.add_entity("read");
  });
  CHECK(f.space().declare_key({.name = "name", .path = "name"}).outcome == KeyOutcome::declared);
  CHECK(f.space().find_by_key("name", "read")->id == heir.id);
  CHECK(f.faults().empty());
}

TEST_CASE("an edge that is retargeted behind a read is derived as it then is", "[projections]") {
  for (const char* seam : kOpenSeams) {
    CAPTURE(seam);
    Racing f;
    const Entity other = f.store.add_entity("other");
    const Edge edge = f.store.add_edge(f.entity.id, "knows", other.id);
    // The batch of entities comes before that of edges.
    f.at(
        seam,
        [&] {
          EdgeMove move;
          move.relation = "likes";
          written(f.space().retarget_edge(edge.id, move));
        },
        2);
    CHECK(f.rebuild().end == RebuildEnd::swapped);
    CHECK(f.word("edge", edge.id.uuid).starts_with("LIKES"));
    CHECK(f.faults().empty());
  }
}

TEST_CASE("a write that comes while a rebuild compares or writes waits for its end",
          "[projections]") {
  for (const char* seam : {"projection.compare", "projection.write", "projection.purge"}) {
    CAPTURE(seam);
    Racing f;
    const Entity dead = f.store.add_entity("dead");
    written(f.space().entities().remove(dead.id));
    pass_time(f.store);
    const auto real_time = open_in_real_time(f.store);
    std::thread writer;
    f.at(seam, [&] {
      // Its store does not know the test's projection, so what it writes is an unrelated space's.
      writer = std::thread([&] { (void)real_time->create_space("other", "tester"); });
    });
    CHECK(f.rebuild().end == RebuildEnd::swapped);
    REQUIRE(writer.joinable());
    writer.join();
    CHECK(f.word(f.entity) == "READ");
    CHECK(f.faults().empty());
  }
}

TEST_CASE("one process at a time rebuilds", "[projections]") {
  Racing f;
  std::string holder;
  f.at("projection.derive", [&] {
    const auto lease = f.space().projections().status("words").lease;
    REQUIRE(lease.has_value());
    holder = lease->owner;
    try {
      (void)f.rebuild();
      FAIL_CHECK("two rebuild at once");
    } catch (const Busy& busy) {
      CHECK(std::string(busy.what()).find(holder) != std::string::npos);
    }
  });
  CHECK(f.rebuild().end == RebuildEnd::swapped);
  CHECK_FALSE(f.space().projections().status("words").lease.has_value());
}

TEST_CASE("E17: a worker that lost its lease writes nothing over what its successor has made",
          "[projections]") {
  for (const char* seam : {"projection.load", "projection.derive", "projection.lock",
                           "projection.watermark", "projection.swap"}) {
    CAPTURE(seam);
    Racing f;
    std::uint64_t successor = 0;
    f.at(seam, [&] {
      f.store.environment.clock.advance(kLease);
      f.rename("written");
      const auto report = f.rebuild();
      CHECK(report.end == RebuildEnd::swapped);
      successor = report.generation;
    });
    CHECK_THROWS_AS(f.rebuild(), Conflict);
    CHECK(f.generation(GenerationState::serving).number == successor);
    CHECK_FALSE(f.has(GenerationState::building));
    CHECK(f.word(f.entity) == "WRITTEN");
    CHECK(f.faults().empty());
  }
}

TEST_CASE("E20: a rebuild of a declaration that was replaced stores nothing and says so",
          "[projections]") {
  Racing f;
  f.at("projection.derive", [&] {
    CHECK(f.space().undeclare_key("name"));
    f.store.environment.clock.advance(kLease);
    const auto other = f.space().declare_key({.name = "name", .kind = "robot", .path = "name"});
    CHECK(other.outcome == KeyOutcome::declared);
  });
  CHECK_THROWS_AS(f.space().declare_key({.name = "name", .path = "name"}), Conflict);
  CHECK_FALSE(f.space().find_by_key("name", "read").has_value());
  CHECK(f.space().keys().front().kind == "robot");
  CHECK(f.faults().empty());
}

TEST_CASE("E21: a generation that was dropped does not come back with a late swap",
          "[projections]") {
  for (const char* seam : {"projection.lock", "projection.watermark", "projection.swap"}) {
    CAPTURE(seam);
    Racing f;
    (void)f.rebuild();
    const auto serving = f.generation(GenerationState::serving).number;
    f.at(seam, [&] { CHECK(journal::cancel_rebuild(f.site(), "words")); });
    CHECK(f.rebuild().end == RebuildEnd::cancelled);
    CHECK(f.generation(GenerationState::serving).number == serving);
    CHECK_FALSE(f.has(GenerationState::building));
    CHECK(f.faults().empty());
  }
}

TEST_CASE("a key that clashes behind the walk is refused at the swap and named", "[projections]") {
  Racing f;
  f.at("projection.swap", [&] { f.store.add_entity("read"); });
  const auto refused = f.space().declare_key({.name = "name", .path = "name"});
  CHECK(refused.outcome == KeyOutcome::refused);
  REQUIRE(refused.build.problems.size() == 1);
  CHECK(refused.build.problems[0].clashes_with.has_value());
  CHECK(f.space().keys().empty());
  CHECK(f.faults().empty());
}

TEST_CASE("a clash that is gone by the end of the walk refuses no key", "[projections]") {
  Racing f;
  Entity twin;
  f.at("projection.load", [&] { twin = f.store.add_entity("read"); });
  const auto stop_once = [&](const journal::RebuildProgress& progress) {
    if (progress.step == "walk" && twin.seq != 0) {
      (void)f.space().entities().remove(twin.id);
      twin = {};
    }
    return true;
  };
  const auto declared =
      f.space().declare_key({.name = "name", .path = "name"}, {.batch = 1}, stop_once);
  CHECK(declared.outcome == KeyOutcome::declared);
  CHECK(declared.build.problems_total == 0);
  CHECK(f.space().find_by_key("name", "read")->id == f.entity.id);
  CHECK(f.faults().empty());
}
