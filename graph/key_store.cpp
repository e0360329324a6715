#include <holdfast/graph/key_store.h>

#include <array>

#include <nlohmann/json.hpp>

#include <holdfast/core/error.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/journal/json_pointer.h>
#include <holdfast/journal/projection_catalog.h>

#include "entity_table.h"

namespace holdfast::graph {
namespace {

using nlohmann::json;

/// The key that a declaration finds in an entity of that kind, as KeyValue::json().
std::optional<std::string> key_in(const KeyDeclaration& declaration, std::string_view kind,
                                  const json& name, const json& properties) {
  if (declaration.kind && *declaration.kind != kind) return std::nullopt;
  const bool is_name = declaration.path == "name";
  const json* const value =
      is_name ? &name
              : journal::value_at(properties, std::get<0>(journal::read_pointer(declaration.path)));
  if (value == nullptr || value->is_null()) return std::nullopt;
  return KeyValue::parse("key " + declaration.name + ": " + declaration.path, value->dump())
      .json();
}

std::optional<std::string> key_of(const KeyDeclaration& declaration, const Entity& entity) {
  if (declaration.path == "name") {
    return key_in(declaration, entity.kind, json(entity.name), json());
  }
  return key_in(declaration, entity.kind, json(), entity.properties.json());
}

class KeyProjection final : public journal::Projection {
 public:
  std::string_view type() const override { return KeyStore::kType; }
  std::uint64_t protocol() const override { return 1; }
  journal::Upkeep upkeep() const override { return journal::Upkeep::in_transaction; }
  std::vector<std::string_view> sources(const JsonObject&) const override {
    return {EntityStore::kKind};
  }

  std::optional<std::string> input(const JsonObject& declaration, std::string_view,
                                   const journal::StoredRow& row) const override {
    const auto parsed = KeyDeclaration::parse("key", declaration);
    const json body = json::parse(row.body);
    return key_in(parsed, body.at("kind").get_ref<const std::string&>(), body.at("name"),
                  body.at("properties"));
  }

  std::optional<Uuid> write(storage::Transaction& transaction, const journal::DerivedOf& of,
                            std::string_view derived) const override {
    purge(transaction, of);
    auto insert = transaction.prepare(
        "INSERT INTO keys (space, name, generation, value, id) VALUES ($1, $2, $3, $4, $5)"
        " ON CONFLICT (space, name, generation, value) DO NOTHING");
    insert.bind(of.space, of.projection, of.generation, derived, of.id);
    if (insert.run() == 1) return std::nullopt;
    auto holder = transaction.prepare(
        "SELECT id FROM keys WHERE space = $1 AND name = $2 AND generation = $3 AND value = $4");
    holder.bind(of.space, of.projection, of.generation, derived);
    if (!holder.step()) throw Corrupt("a key is taken by nobody");
    return holder.get<Uuid>(0);
  }

  void purge(storage::Transaction& transaction, const journal::DerivedOf& of) const override {
    auto remove = transaction.prepare(
        "DELETE FROM keys WHERE space = $1 AND name = $2 AND generation = $3 AND id = $4");
    remove.bind(of.space, of.projection, of.generation, of.id);
    remove.run();
  }

  std::optional<std::string> stored(storage::Transaction& transaction,
                                    const journal::DerivedOf& of) const override {
    auto select = transaction.prepare(
        "SELECT value FROM keys WHERE space = $1 AND name = $2 AND generation = $3 AND id = $4");
    select.bind(of.space, of.projection, of.generation, of.id);
    if (!select.step()) return std::nullopt;
    return select.get<std::string>(0);
  }

  std::string_view table() const override { return "keys"; }
};

/// Nobody has the key; or it cannot be asked for, and this says why.
void require_serving(storage::Transaction& transaction, std::string_view space,
                     std::string_view name) {
  using journal::GenerationState;
  const std::string key(name);
  (void)journal::tail(transaction, space);
  const auto declared = journal::find_declared(transaction, space, name);
  if (!declared || declared->type != KeyStore::kType) throw NotFound("key", key);
  if (journal::find_generation(transaction, space, name, GenerationState::serving)) return;
  throw Unavailable("key " + key +
                    " is not in force: it is still being built; `holdfast projection status " +
                    key + "` shows how far it is, `holdfast projection rebuild " + key +
                    "` goes on with what was stopped");
}

std::string json_string(std::string_view text) {
  std::string text_in_json;
  core::append_json_string(text_in_json, text);
  return text_in_json;
}

/// Whether the texts alone show that the entity has the key, as they do for a member of the
/// properties that is written as keys are. False says only that it takes a parse to know.
bool plainly_has(const JsonObject& declaration, const Entity& entity, const KeyValue& value) {
  std::string_view path;
  for (const JsonMember& member : declaration.members()) {
    if (member.key == "path") path = member.value;
    if (member.key == "kind" && member.value != json_string(entity.kind)) return false;
  }
  if (path == "\"name\"") return json_string(entity.name) == value.json();
  if (!path.starts_with("\"/")) return false;
  const std::string_view part = path.substr(2, path.size() - 3);
  if (part.find_first_of("/~\\") != std::string_view::npos) return false;
  for (const JsonMember& member : entity.properties.members()) {
    if (member.key == part) return member.value == value.json();
  }
  return false;
}

/// A wrong row is worse than none, so what the mapping says is held against the row.
void require_key(std::string_view name, const JsonObject& declaration, const KeyValue& value,
                 const Entity& entity) {
  if (!entity.deleted_at) {
    if (plainly_has(declaration, entity, value)) return;
    if (key_of(KeyDeclaration::parse(name, declaration), entity) == value.json()) return;
  }
  throw Corrupt("key " + std::string(name) + " leads to entity " + to_string(entity.id) +
                ", which does not have it; run `holdfast projection verify " + std::string(name) +
                "` and rebuild it");
}

/// The columns of an entity as EntityTable reads them, then the generation's signature, which
/// spells out the declaration. One statement, since each costs as much as the search itself; no
/// generation of a space that is being removed serves, nor of a projection taken back.
std::string find_sql() {
  std::string sql = "SELECT e.id, e.created_at, e.revision, e.deleted_at, e.seq";
  for (const auto column : journal::RowTraits<Entity>::spec.columns) {
    sql += ", e." + std::string(column);
  }
  return sql +
         ", g.signature FROM projection_generations AS g"
         " JOIN keys AS k ON k.space = g.space AND k.name = g.name AND k.generation = g.generation"
         " LEFT JOIN entities AS e ON e.space = k.space AND e.id = k.id"
         " WHERE g.space = $1 AND g.name = $2 AND g.state = 'serving' AND k.value = $3";
}

}  // namespace

std::optional<Entity> KeyStore::find(storage::Transaction& transaction, std::string_view space,
                                     std::string_view name, const KeyValue& value) {
  static const std::string sql = find_sql();
  auto select = transaction.prepare(sql);
  select.bind(space, name, value.json());
  if (!select.step()) {
    require_serving(transaction, space, name);
    return std::nullopt;
  }
  const storage::Row row = select.row();
  if (row.is_null(0)) {
    throw Corrupt("key " + std::string(name) + " leads to an entity that is not there");
  }
  Entity entity = EntityTable::read(row);
  const int signature = 5 + static_cast<int>(journal::RowTraits<Entity>::spec.columns.size());
  require_key(name, journal::declaration_in(row.get<std::string_view>(signature)), value, entity);
  return entity;
}

std::vector<KeyStore::Named> KeyStore::keys_of(std::span<const journal::Generation> generations,
                                               const Entity& entity) {
  std::vector<Named> keys;
  if (entity.deleted_at) return keys;
  for (const journal::Generation& generation : generations) {
    if (generation.type != kType || generation.state != journal::GenerationState::serving) continue;
    const auto value = key_of(
        KeyDeclaration::parse(generation.projection, generation.declaration), entity);
    if (!value) continue;
    keys.push_back({generation.projection, KeyValue::parse(generation.projection, *value)});
  }
  return keys;
}

std::optional<Entity> KeyStore::holder_of_keys(journal::Appender& appender, const Entity& entity) {
  for (const journal::Generation& generation : appender.generations()) {
    if (generation.type != kType || generation.state != journal::GenerationState::serving) continue;
    const auto value = key_of(
        KeyDeclaration::parse(generation.projection, generation.declaration), entity);
    if (!value) continue;
    auto select = appender.transaction().prepare(
        "SELECT id FROM keys WHERE space = $1 AND name = $2 AND generation = $3 AND value = $4"
        " AND id <> $5");
    select.bind(appender.space(), generation.projection, generation.number, *value, entity.id);
    if (select.step()) {
      return EntityStore::find(appender.transaction(), appender.space(), select.get<EntityId>(0));
    }
  }
  return std::nullopt;
}

const journal::Projection& KeyStore::projection() {
  static const KeyProjection projection;
  return projection;
}

}  // namespace holdfast::graph
