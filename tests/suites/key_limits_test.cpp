#include "suites/support.h"

#include <holdfast/core/error.h>
#include <holdfast/core/limits.h>

namespace holdfast::test {

TEST_CASE("a space takes 64 projections, and another once one is taken back", "[keys]") {
  TestStore store;
  const auto declare = [&](std::size_t number) {
    return store.space->declare_key({.name = "key" + std::to_string(number), .path = "/k"});
  };
  for (std::size_t i = 0; i < core::kProjectionsMax; ++i) {
    CHECK(declare(i).outcome == KeyOutcome::declared);
  }
  CHECK(store.store->space_info("main").projections == core::kProjectionsMax);
  CHECK(store.store->stats().projections == core::kProjectionsMax);
  CHECK_THROWS_WITH(declare(core::kProjectionsMax),
                    Catch::Matchers::ContainsSubstring("64 are allowed"));
  CHECK_THROWS_AS(declare(core::kProjectionsMax), Full);
  CHECK(declare(7).outcome == KeyOutcome::unchanged);
  CHECK(store.space->keys().size() == core::kProjectionsMax);
  CHECK(store.space->undeclare_key("key7"));
  CHECK(declare(core::kProjectionsMax).outcome == KeyOutcome::declared);
}

TEST_CASE("a batch or lease out of bounds is refused by name, and nothing is declared", "[keys]") {
  TestStore store;
  const KeyDeclaration key{.name = "k", .path = "/k"};
  const auto field_of = [&](const journal::RebuildOptions& options) {
    try {
      (void)store.space->declare_key(key, options);
    } catch (const InvalidArgument& error) {
      return error.field();
    }
    return std::string("none");
  };
  for (const std::size_t batch : {std::size_t{0}, core::kRebuildBatchMax + 1}) {
    CHECK(field_of({.batch = batch}) == "batch");
  }
  for (const auto lease : {-1ms, 0ms, 86'400'001ms}) CHECK(field_of({.lease = lease}) == "lease");
  CHECK(store.space->keys().empty());
  CHECK(field_of({.batch = core::kRebuildBatchMax, .lease = 86'400'000ms}) == "none");
  CHECK(store.space->projections().rebuild("k", {.batch = 1, .lease = 1ms}).end ==
        journal::RebuildEnd::swapped);
  CHECK_THROWS_AS(store.space->projections().rebuild("k", {.batch = 0}), InvalidArgument);
}

TEST_CASE("a key of a space that is being removed is not there, whoever still has the handle",
          "[keys]") {
  TestStore store;
  (void)store.space->declare_key({.name = "name", .path = "name"});
  (void)store.add_entity("Ann");
  CHECK(store.space->find_by_key("name", "Ann").has_value());
  const auto removal = store.store->delete_space("main", [](const auto&) { return false; });
  CHECK_FALSE(removal.complete);
  CHECK_THROWS_AS(store.space->find_by_key("name", "Ann"), NotFound);
  CHECK(store.store->delete_space("main").complete);
  CHECK_THROWS_AS(store.space->find_by_key("name", "Ann"), NotFound);
}

TEST_CASE("a key is found however its place and its text are written", "[keys]") {
  TestStore store;
  const auto holds = [&](const std::string& path, const std::string& properties,
                         const KeyValue& value) {
    CHECK(store.space->declare_key({.name = "k", .path = path}).outcome == KeyOutcome::declared);
    Entity row;
    row.kind = "x";
    row.name = "row";
    row.properties = JsonObject::parse("properties", properties);
    const Entity made = written(store.space->entities().insert_if_absent(row));
    const auto found = store.space->find_by_key("k", value);
    REQUIRE(found.has_value());
    CHECK(found->id == made.id);
    CHECK(store.space->undeclare_key("k"));
    CHECK(store.space->entities().remove(made.id).applied());
  };
  holds("/a", R"({"a":"plain"})", "plain");
  holds("/a", R"({"a":"\u0041"})", "A");
  holds("/a", "{\"a\":\"e\u0301\"}", "\u00e9");
  holds("/a", R"({"b":"no","a":-7})", -7);
  holds("/a/b", R"({"a":{"b":"nested"}})", "nested");
  holds("/a/1", R"({"a":["no","second"]})", "second");
  holds("/a~1b", R"({"a/b":"escaped"})", "escaped");
  holds("/\u00e9", "{\"\u00e9\":\"name\"}", "name");
  holds("/", R"({"":"empty"})", "empty");
  holds("name", "{}", "row");
}

}  // namespace holdfast::test
