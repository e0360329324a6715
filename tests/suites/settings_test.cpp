#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

SpaceSettings read(const std::string& text) {
  return read_settings(JsonObject::parse("settings", text));
}

}  // namespace

TEST_CASE("settings read back as they were written, from any process", "[settings]") {
  TestStore store;
  SpaceSettings all;
  all.relations = RelationPolicy::declared;
  all.rows_max = 0;
  all.bytes_max = (1ULL << 63) - 1;
  all.request_retention = 1s;
  const SpaceSettings settings = GENERATE_COPY(
      SpaceSettings{}, all, SpaceSettings{.rows_max = 7}, SpaceSettings{.bytes_max = 7},
      SpaceSettings{.request_retention = std::chrono::hours(10 * 366 * 24)});
  CHECK(read_settings(to_json(settings)) == settings);
  const auto result = store.space->configure(settings);
  CHECK(result.outcome == (settings == SpaceSettings{} ? Outcome::unchanged : Outcome::applied));
  store.reopen();
  CHECK(store.space->settings() == settings);
  CHECK(store.store->space_info("main").settings == settings);
  CHECK(store.space->configure(settings).outcome == Outcome::unchanged);
  CHECK(broken_checks(*store.store).empty());
}

TEST_CASE("only what is not at its default is stored", "[settings]") {
  CHECK(to_json(SpaceSettings{}).text() == "{}");
  CHECK(to_json({.relations = RelationPolicy::declared,
                 .rows_max = 1,
                 .bytes_max = 2,
                 .request_retention = 3s})
            .text() ==
        R"({"relations":"declared","rows_max":1,"bytes_max":2,"request_retention_s":3})");
}

TEST_CASE("what is absent or null has its default", "[settings]") {
  CHECK(read("{}") == SpaceSettings{});
  CHECK(read(R"({"relations":null,"rows_max":null,"bytes_max":null,"request_retention_s":null})") ==
        SpaceSettings{});
}

TEST_CASE("settings that make no sense are errors that name the member", "[settings]") {
  const auto refusal = [](const std::string& text) {
    return refusal_of([&] { (void)read(text); });
  };
  using Catch::Matchers::StartsWith;
  CHECK_THAT(refusal(R"({"relations":"closed"})"), StartsWith("relations: be open or declared"));
  CHECK_THAT(refusal(R"({"relations":1})"), StartsWith("relations: "));
  CHECK_THAT(refusal(R"({"rows_max":-1})"), StartsWith("rows_max: be 0 or more"));
  CHECK_THAT(refusal(R"({"rows_max":1.5})"), StartsWith("rows_max: "));
  CHECK_THAT(refusal(R"({"bytes_max":"1"})"), StartsWith("bytes_max: "));
  CHECK_THAT(refusal(R"({"bytes_max":9223372036854775808})"),
             StartsWith("settings: fit a signed 64-bit integer"));
  CHECK_THAT(refusal(R"({"request_retention_s":0})"), StartsWith("request_retention_s: be 1"));
  CHECK_THAT(refusal(R"({"request_retention_s":316224001})"),
             StartsWith("request_retention_s: be 1 second to ten years"));
  CHECK_THAT(refusal(R"({"rows":1})"), StartsWith("rows: "));
}

TEST_CASE("settings that cannot be stored are errors and change nothing", "[settings]") {
  TestStore store;
  const std::string before = picture(*store.store);
  SpaceSettings settings;
  SECTION("no retention") { settings.request_retention = 0s; }
  SECTION("retention below nothing") { settings.request_retention = -1s; }
  SECTION("more rows than a number holds") { settings.rows_max = 1ULL << 63; }
  SECTION("more bytes than a number holds") { settings.bytes_max = ~0ULL; }
  CHECK_THROWS_AS(store.space->configure(settings), InvalidArgument);
  CHECK_THROWS_AS(store.store->create_space("other", "tester", settings), InvalidArgument);
  CHECK(picture(*store.store) == before);
  CHECK(store.store->spaces().items == std::vector<std::string>{"main"});
}

TEST_CASE("a new space has the settings that it was made with, one that is there keeps its own",
          "[settings]") {
  TestStore store;
  const Space made = store.store->create_space("other", "tester", {.rows_max = 7});
  CHECK(made.settings().rows_max == 7);
  const Space again = store.store->create_space("other", "tester", {.rows_max = 9});
  CHECK(again.settings().rows_max == 7);
  CHECK(again.tail().seq == 1);
}

TEST_CASE("a change of settings is an event of the space's own row", "[settings]") {
  TestStore store;
  const auto result = store.space->configure({.rows_max = 7});
  const auto events = journal_of(*store.store);
  CHECK(events.back().kind == "space");
  CHECK(events.back().op == "replace");
  CHECK(events.back().seq == result.seq);
  CHECK_THAT(events.back().body.value(),
             Catch::Matchers::ContainsSubstring(R"("settings":{"rows_max":7})"));
}

TEST_CASE("relations and spaces are listed in pages, by name, each once", "[settings][list]") {
  TestStore store;
  std::vector<std::string> names;
  for (const char* name : {"b", "a", "e", "d", "c"}) {
    written(store.space->declare_relation(relation_named(name)));
    store.store->create_space(name, "tester");
    names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  for (const std::size_t limit : {1U, 2U, 5U, 100U}) {
    CAPTURE(limit);
    const auto relations = all_pages<Relation>(
        limit, [&](const PageRequest& page) { return store.space->relations(page); });
    std::vector<std::string> listed;
    for (const Relation& relation : relations) listed.push_back(relation.relation);
    CHECK(listed == names);
    auto spaces = all_pages<std::string>(
        limit, [&](const PageRequest& page) { return store.store->spaces(page); });
    CHECK(spaces.back() == "main");
    spaces.pop_back();
    CHECK(spaces == names);
  }
  const auto first = store.space->relations({.limit = 2, .cursor = {}});
  CHECK(first.left_out == 3);
  CHECK(store.store->spaces({.limit = 2, .cursor = {}}).left_out == 4);
}

TEST_CASE("a cursor of relations is none of spaces, and limits out of bounds are errors",
          "[settings][list]") {
  TestStore store;
  for (const char* name : {"a", "b"}) {
    written(store.space->declare_relation(relation_named(name)));
    store.store->create_space(name, "tester");
  }
  const PageRequest one{.limit = 1, .cursor = {}};
  const std::string of_relations = store.space->relations(one).next.value();
  const std::string of_spaces = store.store->spaces(one).next.value();
  CHECK_THROWS_AS(store.store->spaces({.limit = 1, .cursor = of_relations}), InvalidArgument);
  CHECK_THROWS_AS(store.space->relations({.limit = 1, .cursor = of_spaces}), InvalidArgument);
  CHECK_THROWS_AS(store.space->relations({.limit = 0, .cursor = {}}), InvalidArgument);
  CHECK_THROWS_AS(store.store->spaces({.limit = 10'001, .cursor = {}}), InvalidArgument);
}

TEST_CASE("the list of relations is of one space and of what is declared", "[settings][list]") {
  TestStore store;
  const Space other = store.store->create_space("other", "tester");
  written(other.declare_relation(relation_named("theirs")));
  written(store.space->declare_relation(relation_named("mine")));
  store.add_edge(store.add_entity("a").id, "undeclared", store.add_entity("b").id);
  const auto relations = store.space->relations().items;
  REQUIRE(relations.size() == 1);
  CHECK(relations.front().relation == "mine");
}
