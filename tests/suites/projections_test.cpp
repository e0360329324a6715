#include <holdfast/journal/projection_status.h>

#include "suites/projection_support.h"

using namespace holdfast;
using namespace holdfast::test;
using journal::DerivedOutcome;
using journal::GenerationState;
using journal::RebuildEnd;

namespace {

journal::GenerationStatus serving_status(const Projected& f) {
  const auto status = f.space().projections().status("words");
  for (const auto& generation : status.generations) {
    if (generation.generation.state == GenerationState::serving) return generation;
  }
  FAIL("nothing serves");
  return {};
}

std::uint64_t outcomes(const journal::RebuildReport& report, DerivedOutcome outcome) {
  const auto found = report.outcomes.find(std::string(to_string(outcome)));
  return found == report.outcomes.end() ? 0 : found->second;
}

/// Three entities, an edge and a tombstone.
struct Filled : Projected {
  Filled() {
    a = store.add_entity("ann");
    b = store.add_entity("bob");
    const Entity gone = store.add_entity("gone");
    edge = store.add_edge(a.id, "knows", b.id);
    pass_time(store);
    written(space().entities().remove(gone.id));
  }
  Entity rename(const Entity& entity, const std::string& name) {
    pass_time(store);
    return written(space().rename_entity(entity.id, name));
  }
  std::int64_t count(const std::string& sql) const {
    const auto snapshot = store.store->database().snapshot();
    auto select = snapshot->transaction().prepare(sql);
    REQUIRE(select.step());
    return select.get<std::int64_t>(0);
  }
  Entity a, b;
  Edge edge;
};

}  // namespace

TEST_CASE("a rebuild walks every source, deleted ones too, and its generation serves",
          "[projections]") {
  Filled f;
  const auto report = f.rebuild({.batch = 2});
  CHECK(report.end == RebuildEnd::swapped);
  CHECK(report.walked == 4);
  CHECK(outcomes(report, DerivedOutcome::applied) == 3);
  CHECK(outcomes(report, DerivedOutcome::purged) == 1);
  CHECK(f.word(f.a) == "ANN");
  CHECK(f.word("edge", f.edge.id.uuid) != "");
  const auto status = serving_status(f);
  CHECK(status.sources.current == 4);
  CHECK(status.sources.stale + status.sources.missing == 0);
  CHECK(status.rows == 3);
  CHECK(f.faults().empty());
}

TEST_CASE("a followed projection counts what it is behind, and a write says that it is pending",
          "[projections]") {
  Filled f;
  (void)f.rebuild();
  pass_time(f.store);
  const auto renamed = f.space().rename_entity(f.a.id, "anna");
  CHECK(renamed.pending == std::vector<std::string>{"words"});
  const Entity fresh = f.store.add_entity("new");
  auto status = serving_status(f);
  CHECK(status.sources.current == 3);
  CHECK(status.sources.stale == 1);
  CHECK(status.sources.missing == 1);
  CHECK(status.behind == 2);
  CHECK(f.follow() == 2);
  status = serving_status(f);
  CHECK(status.sources.current == 5);
  CHECK(status.behind == 0);
  CHECK(f.word(f.a) == "ANNA");
  CHECK(f.word(fresh) == "NEW");
  CHECK(f.faults().empty());
}

TEST_CASE("what was read at a source's last change still holds when nothing came between",
          "[projections]") {
  Filled f;
  (void)f.rebuild();
  const auto serving = f.generation(GenerationState::serving);
  const Entity now = f.rename(f.a, "equal");
  CHECK(write_one(f, serving, derivation_of(now, now.seq - 1)).outcome ==
        DerivedOutcome::skipped_stale);
  CHECK(write_one(f, serving, derivation_of(now, now.seq)).outcome == DerivedOutcome::applied);
  CHECK(write_one(f, serving, derivation_of(now, now.seq)).outcome == DerivedOutcome::restamped);
}

TEST_CASE("the largest sequence forces a derived row, once", "[projections]") {
  Filled f;
  (void)f.rebuild();
  const auto serving = f.generation(GenerationState::serving);
  CHECK(write_one(f, serving, derivation_of(f.a, 1)).outcome == DerivedOutcome::skipped_stale);
  CHECK(write_one(f, serving, derivation_of(f.a, journal::kForce)).outcome ==
        DerivedOutcome::applied);
  CHECK(f.word(f.a) == "FROM ann");
  (void)f.rename(f.a, "later");
  CHECK(f.follow() == 1);
  CHECK(f.word(f.a) == "LATER");
}

TEST_CASE("E4: an edited source is derived anew although a row of it exists", "[projections]") {
  Filled f;
  (void)f.rebuild();
  (void)f.rename(f.a, "edited");
  const auto again = f.rebuild();
  CHECK(again.end == RebuildEnd::swapped);
  CHECK(f.word(f.a) == "EDITED");
  CHECK(again.dropped > 0);
}

TEST_CASE("an unchanged input is stamped anew without being derived again", "[projections]") {
  Filled f;
  (void)f.rebuild();
  const auto derived = f.words.derived();
  pass_time(f.store);
  written(f.space().entities().update(f.a.id, [](Entity& row) { row.tags = {"tag"}; }));
  CHECK(serving_status(f).sources.stale == 1);
  CHECK(f.follow() == 1);
  CHECK(f.words.derived() == derived);
  CHECK(serving_status(f).sources.current == 4);
}

TEST_CASE("E3: a failed derivation leaves its source stale, and that shows", "[projections]") {
  Filled f;
  (void)f.rebuild();
  (void)f.rename(f.a, "unreachable");
  f.at("projection.derive", [] { throw Unavailable("the model is not there"); });
  CHECK_THROWS_AS(f.follow(), Unavailable);
  CHECK(f.word(f.a) == "ANN");
  const auto status = serving_status(f);
  CHECK(status.sources.stale == 1);
  CHECK(status.behind == 1);
  CHECK(f.follow() == 1);
  CHECK(f.word(f.a) == "UNREACHABLE");
}

TEST_CASE("E9: deriving a source again keeps its version's place in the table",
          "[projections]") {
  Filled f;
  (void)f.rebuild();
  const std::string sql = "SELECT max(rowid) FROM projection_versions";
  const auto place = f.count(sql);
  (void)f.rename(f.a, "again");
  (void)f.follow();
  CHECK(f.count(sql) == place);
}

TEST_CASE("a version outlives its derived rows, so a stale writer cannot bring them back",
          "[projections]") {
  Filled f;
  (void)f.rebuild();
  const Sequence read_at = f.space().tail().seq;
  written(f.space().entities().remove(f.b.id));
  (void)f.follow();
  CHECK(f.word(f.b).empty());
  const auto serving = f.generation(GenerationState::serving);
  CHECK(write_one(f, serving, derivation_of(f.b, read_at)).outcome ==
        DerivedOutcome::skipped_stale);
  CHECK(f.space().entities().purge(f.b.id).applied());
  (void)f.follow();
  CHECK(write_one(f, serving, derivation_of(f.b, read_at)).outcome == DerivedOutcome::purged);
  CHECK(f.word(f.b).empty());
  CHECK(f.faults().empty());
}

TEST_CASE("a stopped rebuild goes on from its last batch, and can be cancelled",
          "[projections]") {
  Filled f;
  (void)f.rebuild();
  const auto stop = [](const journal::RebuildProgress&) { return false; };
  CHECK(f.rebuild({.batch = 1}, stop).end == RebuildEnd::stopped);
  const auto resumed = f.rebuild({.batch = 1});
  CHECK(resumed.was_resumed);
  CHECK(resumed.walked == 4);
  CHECK(outcomes(resumed, DerivedOutcome::applied) + outcomes(resumed, DerivedOutcome::purged) ==
        3);
  const auto serving = f.generation(GenerationState::serving).number;
  CHECK(f.rebuild({.batch = 1}, stop).end == RebuildEnd::stopped);
  CHECK(journal::cancel_rebuild(f.site(), "words"));
  CHECK_FALSE(journal::cancel_rebuild(f.site(), "words"));
  CHECK(f.generation(GenerationState::serving).number == serving);
  CHECK_FALSE(f.has(GenerationState::building));
  CHECK(f.faults().empty());
}

TEST_CASE("a rebuild that is told to restart throws away what was stopped", "[projections]") {
  Filled f;
  const auto stop = [](const journal::RebuildProgress&) { return false; };
  const auto stopped = f.rebuild({.batch = 1}, stop);
  const auto anew = f.rebuild({.restart = true});
  CHECK_FALSE(anew.was_resumed);
  CHECK(anew.generation > stopped.generation);
  CHECK(f.faults().empty());
}

TEST_CASE("what other rules have made is known for outdated, and a rebuild replaces it",
          "[projections]") {
  Filled f;
  (void)f.rebuild();
  f.words.set_protocol(2);
  CHECK(serving_status(f).is_outdated);
  const auto old = f.generation(GenerationState::serving);
  CHECK(f.rebuild().end == RebuildEnd::swapped);
  CHECK_FALSE(serving_status(f).is_outdated);
  CHECK(write_one(f, old, derivation_of(f.a, f.space().tail().seq)).outcome ==
        DerivedOutcome::wrong_generation);
}

TEST_CASE("a projection that is not declared is not found", "[projections]") {
  Projected f;
  CHECK_THROWS_AS(journal::rebuild(f.site(), "nothing"), NotFound);
  CHECK_THROWS_AS(journal::cancel_rebuild(f.site(), "nothing"), NotFound);
  CHECK_THROWS_AS(f.space().projections().status("nothing"), NotFound);
  CHECK_THROWS_AS(f.space().projections().verify("nothing"), NotFound);
}

TEST_CASE("a deleted space takes its projections and leases along", "[projections]") {
  Filled f;
  (void)f.rebuild();
  CHECK(f.space().declare_key({.name = "name", .path = "name"}).outcome == KeyOutcome::declared);
  CHECK(f.store.store->delete_space("main").complete);
  for (const std::string table : {"leases", "projections", "projection_generations", "keys",
                                  "projection_versions", "words"}) {
    CHECK(f.count("SELECT count(*) FROM " + table) == 0);
  }
}
