#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

Entity person(const std::string& name) {
  Entity entity;
  entity.kind = "person";
  entity.name = name;
  return entity;
}

}  // namespace

TEST_CASE("names are stored and looked up as NFC", "[entity]") {
  TestStore store;
  const Entity entity = store.add_entity("Zoe\xCC\x88");  // e, combining diaeresis
  CHECK(entity.name == "Zo\xC3\xAB");
  EntityFilter filter;
  filter.name = "Zoe\xCC\x88";
  CHECK(store.space->entities().count(filter) == 1);
}

TEST_CASE("repeated tags are dropped and their order is kept", "[entity]") {
  TestStore store;
  Entity entity = person("a");
  entity.tags = {"b", "a", "b"};
  const Entity row = written(store.space->entities().insert_if_absent(entity));
  CHECK(row.tags == std::vector<std::string>{"b", "a"});
}

TEST_CASE("properties are kept in the writer's order and spelling", "[entity]") {
  TestStore store;
  Entity entity = person("a");
  entity.properties = JsonObject::parse("properties", R"( {"z": 1.50, "a": [1e3, null]} )");
  const Entity row = written(store.space->entities().insert_if_absent(entity));
  CHECK(store.space->entities().get(row.id).properties.text() == R"({"z":1.50,"a":[1e3,null]})");
}

TEST_CASE("a kind or name that breaks the rules is refused by name", "[entity]") {
  TestStore store;
  const auto insert = [&](const Entity& entity) {
    return refusal_of([&] { (void)store.space->entities().insert_if_absent(entity); });
  };
  CHECK(insert(person("")) == "name: be 1 to 1,024 bytes");
  CHECK(insert(person(std::string(1025, 'n'))) == "name: be 1 to 1,024 bytes");
  CHECK(insert(person(std::string(1024, 'n'))) == "not refused");
  Entity entity = person("a");
  entity.kind = std::string("a\0b", 3);
  CHECK(insert(entity) == "kind: be UTF-8 without U+0000");
}

TEST_CASE("the same rules hold when a row is replaced", "[entity]") {
  TestStore store;
  const Entity row = store.add_entity("a");
  Entity renamed = row;
  renamed.name = "";
  CHECK_THROWS_AS(store.space->entities().replace(renamed, as_read(row)), InvalidArgument);
  CHECK_THROWS_AS(store.space->entities().update(row.id, [](Entity& e) { e.kind.clear(); }),
                  InvalidArgument);
  CHECK((store.space->entities().get(row.id) == row));
}

TEST_CASE("names need not be unique", "[entity]") {
  TestStore store;
  const Entity first = store.add_entity("John");
  const Entity second = store.add_entity("John");
  CHECK(first.id != second.id);
  EntityFilter filter;
  filter.name = "John";
  CHECK(store.space->entities().list(filter).items.size() == 2);
}

TEST_CASE("a change of several rows lands whole or, when it throws, not at all", "[entity]") {
  TestStore store;
  const std::string before = picture(*store.store);
  const auto insert = [&](journal::Appender& appender, const std::string& name) {
    Entity entity = person(name);
    entity.id = {store.environment.ids->next()};
    entity.created_at = appender.at();
    entity.revision = first_revision(appender.at());
    written(graph::EntityStore::insert_if_absent(appender, entity));
  };
  CHECK_THROWS_AS(store.space->write([&](journal::Appender& appender) {
    insert(appender, "a");
    throw std::runtime_error("no");
  }),
                  std::runtime_error);
  CHECK(picture(*store.store) == before);
  store.space->write([&](journal::Appender& appender) {
    insert(appender, "a");
    insert(appender, "b");
  });
  CHECK(store.space->entities().count({}) == 2);
  CHECK(journal_of(*store.store)[1].request_id == journal_of(*store.store)[2].request_id);
  CHECK(store.store->verify().is_clean());
}
