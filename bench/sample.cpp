#include "sample.h"

#include <algorithm>

#include "support.h"

namespace holdfast::bench {

StoreOptions options_for(const std::filesystem::path& database, storage::Durability durability) {
  StoreOptions options;
  options.database.path = database;
  options.database.durability = durability;
  return options;
}

Entity make_entity(std::size_t number) {
  Entity entity;
  entity.kind = "person";
  entity.name = "Person number " + std::to_string(number);
  entity.tags = {"contact", "seen"};
  edit(entity, 0);
  return entity;
}

void edit(Entity& entity, std::uint64_t change) {
  entity.properties = JsonObject::parse(
      "properties", R"({"city":"Lisbon","role":"maintainer","languages":["en","pt"],)"
                    R"("summary":"prefers short answers","changes":)" +
                        std::to_string(change) + "}");
}

std::vector<Entity> make_database(const std::filesystem::path& database, std::size_t count) {
  const auto store = Store::open(options_for(database, storage::Durability::normal));
  const Space space = store->create_space(kSpace, kActor);
  // Ids of equal age would all lie at the end of the index; a version 5 id may lie anywhere.
  const Uuid name_space{{0x5b, 0x0d}};
  std::vector<Entity> entities;
  constexpr std::size_t kRowsAtOnce = 1000;
  for (std::size_t first = 0; first < count; first += kRowsAtOnce) {
    std::vector<Entity> made;
    space.write([&](journal::Appender& appender) {
      made.clear();
      for (std::size_t i = first; i < std::min(count, first + kRowsAtOnce); ++i) {
        Entity entity = make_entity(i);
        entity.id = {uuid_v5(name_space, entity.name)};
        entity.created_at = appender.at();
        entity.revision = first_revision(entity.created_at);
        auto result = graph::EntityStore::insert_if_absent(appender, entity);
        if (result.applied()) made.push_back(std::move(*result.current));
      }
    });
    entities.insert(entities.end(), made.begin(), made.end());
  }
  require(entities.size() == count, "entities were not inserted");
  return entities;
}

}  // namespace holdfast::bench
