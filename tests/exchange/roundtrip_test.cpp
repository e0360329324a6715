#include <algorithm>

#include "support.h"

namespace holdfast::test {
namespace {

using exchange::ExportOptions;

const ExportOptions kHistory{.tombstones = true, .history = true};

/// Exports, imports into an empty store and exports again.
void require_same_after_a_round(TestStore& from, const ExportOptions& options) {
  const std::string first = exported(*from.store, options);
  TestStore to(77);
  const auto report = import_text(*to.store, first);
  CHECK(report.complete);
  CHECK(report.kept_total == 0);
  CHECK(exported(*to.store, options) == first);
  const auto verified = to.store->verify();
  INFO((verified.findings.empty() ? "" : verified.findings.front().check + " " +
                                             verified.findings.front().detail));
  CHECK(verified.is_clean());
}

}  // namespace

TEST_CASE("exporting, importing into an empty store and exporting again gives the same bytes",
          "[exchange][P1]") {
  TestStore store;
  const EveryKind rows(store);
  SECTION("rows with their tombstones") { require_same_after_a_round(store, {}); }
  SECTION("live rows alone") {
    require_same_after_a_round(store, {.tombstones = false, .history = false});
  }
  SECTION("history") { require_same_after_a_round(store, kHistory); }
  SECTION("settings with limits that the space has outgrown") {
    SpaceSettings settings;
    settings.relations = RelationPolicy::declared;
    settings.rows_max = 2;
    settings.bytes_max = 10;
    settings.request_retention = std::chrono::hours(1);
    (void)store.space->configure(settings);
    require_same_after_a_round(store, {});
    require_same_after_a_round(store, kHistory);
  }
  SECTION("purged rows") {
    (void)store.space->entities().purge(rows.gone.id);
    require_same_after_a_round(store, {});
    require_same_after_a_round(store, kHistory);
  }
  SECTION("an empty space") {
    TestStore empty;
    require_same_after_a_round(empty, {});
    require_same_after_a_round(empty, kHistory);
  }
}

TEST_CASE("any space comes through a round of export and import as it was", "[exchange][P1]") {
  const std::uint64_t seed = GENERATE(1, 2, 3, 4, 5, 6, 7, 8);
  INFO("seed " << seed);
  TestStore store(seed);
  fill_at_random(store, seed, 400);
  REQUIRE(store.store->verify().is_clean());
  require_same_after_a_round(store, {});
  require_same_after_a_round(store, {.tombstones = false, .history = false});
  require_same_after_a_round(store, kHistory);
}

TEST_CASE("a space comes into one of another name with relations of its own", "[exchange]") {
  TestStore store;
  const EveryKind rows(store);
  const ExportOptions options = GENERATE(ExportOptions{}, kHistory);
  const std::string first = exported(*store.store, options);
  import_text(*store.store, first, {}, {}, "other");
  CHECK(exported(*store.store, options, "other") ==
        replaced(first, R"("space":"main")", R"("space":"other")"));
  CHECK(store.store->verify().is_clean());
}

TEST_CASE("what is brought in with its history answers what was there before", "[exchange]") {
  TestStore store;
  const EveryKind rows(store);
  const auto before = store.space->entities().history(rows.ada.id).items;
  const Timestamp at = before.front().at;
  const auto then = store.space->entities().as_of(rows.ada.id, at);
  TestStore to(78);
  to.environment.clock.advance(std::chrono::hours(1));
  import_text(*to.store, exported(*store.store, kHistory));
  auto now_there = to.space->entities().as_of(rows.ada.id, at);
  REQUIRE(now_there);
  now_there->seq = then->seq;
  CHECK(now_there == then);
  const auto after = to.space->entities().history(rows.ada.id).items;
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    CHECK(after[i].actor == before[i].actor);
    CHECK(after[i].request_id == before[i].request_id);
    CHECK(after[i].at == before[i].at);
    CHECK(after[i].body == before[i].body);
  }
  // And goes on from there.
  (void)to.space->entities().restore(rows.gone.id);
  CHECK(to.space->edges().get(rows.went_with.id).deleted_at == std::nullopt);
  CHECK(to.store->verify().is_clean());
}

TEST_CASE("importing what was exported twice changes nothing the second time", "[exchange]") {
  TestStore store;
  const EveryKind rows(store);
  const std::string text = exported(*store.store);
  TestStore to(79);
  CHECK_FALSE(import_text(*to.store, text).changed_nothing());
  const std::string before = picture(*to.store);
  const auto again = import_text(*to.store, text);
  CHECK(again.changed_nothing());
  CHECK(again.entities.existing == 3);
  CHECK(again.relations.existing == 2);
  CHECK(picture(*to.store) == before);
}

}  // namespace holdfast::test
