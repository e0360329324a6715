#include <holdfast/graph/entity_store.h>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/graph/key_store.h>
#include <holdfast/journal/row_list.h>
#include <holdfast/storage/guard.h>

#include "edge_rules.h"
#include "entity_table.h"

namespace holdfast::graph {
namespace {

storage::Query narrowed(storage::Query query, std::string_view space, const EntityFilter& filter) {
  query.where("space = $", space);
  if (filter.kind) query.where("kind = $", core::check_name("kind", *filter.kind));
  if (filter.name) query.where("name = $", core::check_name("name", *filter.name));
  if (filter.name_prefix) {
    const std::string prefix = core::check_name("name_prefix", *filter.name_prefix);
    query.where("name >= $", prefix);
    const std::string end = core::prefix_end(prefix);
    if (!end.empty()) query.where("name < $", end);
  }
  journal::apply_filter(query, filter);
  return query;
}

journal::Filtered filtered(std::string_view space, const EntityFilter& filter) {
  return {[space, &filter](storage::Query query) {
            return narrowed(std::move(query), space, filter);
          },
          journal::RowConditions(filter, filter.tags_any, filter.tags_all)};
}

/// What refuses a row that would be live: another live entity has one of its keys.
std::optional<WriteResult<Entity>> check_keys(journal::Appender& appender, std::string_view write,
                                              const Entity& entity) {
  if (entity.deleted_at) return std::nullopt;
  auto holder = KeyStore::holder_of_keys(appender, entity);
  if (storage::holds(write, "key_free", !holder)) return std::nullopt;
  WriteResult<Entity> refused;
  refused.outcome = Outcome::key_taken;
  refused.current = std::move(holder);
  return refused;
}

}  // namespace

void EntityStore::normalise(Entity& entity) {
  entity.kind = core::check_name("kind", entity.kind);
  entity.name = core::check_name("name", entity.name);
  entity.tags = core::check_tags("tags", entity.tags);
}

WriteResult<Entity> EntityStore::insert_if_absent(journal::Appender& appender, Entity entity) {
  if (auto refusal = check_keys(appender, "entity.insert", entity)) {
    return EntityTable::refuse_insert(appender, entity, *std::move(refusal));
  }
  return EntityTable::insert_if_absent(appender, std::move(entity));
}

WriteResult<Entity> EntityStore::replace_if_unchanged(journal::Appender& appender, Entity entity,
                                                      const Expected& expected) {
  if (!entity.deleted_at &&
      !storage::holds("entity.replace", "edges_allow_kind",
                      edges_allow_kind(appender, entity.id, entity.kind))) {
    WriteResult<Entity> refused;
    refused.outcome = Outcome::kind_refused;
    refused.current = find(appender.transaction(), appender.space(), entity.id);
    return EntityTable::refuse_replace(appender, entity, expected, std::move(refused));
  }
  if (auto refusal = check_keys(appender, "entity.replace", entity)) {
    return EntityTable::refuse_replace(appender, entity, expected, *std::move(refusal));
  }
  return EntityTable::replace_if_unchanged(appender, std::move(entity), expected, "replace");
}

WriteResult<Entity> EntityStore::remove(journal::Appender& appender, Entity entity,
                                        const Expected& expected) {
  const EntityId id = entity.id;
  auto result =
      EntityTable::replace_if_unchanged(appender, std::move(entity), expected, "delete");
  if (result.applied()) result.edges = EdgeStore::remove_with(appender, id);
  return result;
}

WriteResult<Entity> EntityStore::restore(journal::Appender& appender, Entity entity,
                                         const Expected& expected) {
  const EntityId id = entity.id;
  if (auto refusal = check_keys(appender, "entity.restore", entity)) {
    return EntityTable::refuse_replace(appender, entity, expected, *std::move(refusal));
  }
  auto result =
      EntityTable::replace_if_unchanged(appender, std::move(entity), expected, "restore");
  if (result.applied()) {
    auto restored = EdgeStore::restore_with(appender, id);
    result.edges = std::move(restored.edges);
    result.handed_over = std::move(restored.handed_over);
    result.kept_out = std::move(restored.kept_out);
  }
  return result;
}

WriteResult<Entity> EntityStore::purge(journal::Appender& appender, EntityId id,
                                       const Expected& expected) {
  auto result = EntityTable::purge(appender, id, expected);
  if (result.applied()) result.edges = EdgeStore::purge_with(appender, id);
  return result;
}

std::optional<Entity> EntityStore::find(storage::Transaction& transaction, std::string_view space,
                                        EntityId id) {
  return EntityTable::find(transaction, space, id);
}

Page<Entity> EntityStore::list(storage::Transaction& transaction, std::string_view space,
                               const EntityFilter& filter, const PageRequest& page) {
  const bool by_name = filter.name.has_value() || filter.name_prefix.has_value();
  return journal::list_page<Entity>(transaction, filtered(space, filter), page,
                                    by_name ? "name" : "",
                                    [](const Entity& row) { return row.name; });
}

std::uint64_t EntityStore::count(storage::Transaction& transaction, std::string_view space,
                                 const EntityFilter& filter) {
  return journal::count_rows(transaction, journal::RowTraits<Entity>::spec,
                             filtered(space, filter));
}

journal::RowMatcher EntityStore::matcher(std::string_view space, const EntityFilter& filter) {
  return {journal::RowTraits<Entity>::spec, filtered(space, filter)};
}

journal::Source EntityStore::source() { return EntityTable::source(); }

void EntityStore::apply(const JsonObject& document, core::Fields mode, Entity& entity) {
  core::apply_fields(document, entity_fields(entity, mode));
}

std::string EntityStore::to_json(const Entity& entity) { return EntityTable::json(entity); }
std::string EntityStore::body(const Entity& entity) { return EntityTable::body(entity); }
Entity EntityStore::from_json(const JsonObject& document) {
  return EntityTable::from_json(document);
}
Entity EntityStore::from_event(storage::Transaction&, std::string_view, const Event& event) {
  return EntityTable::from_event(event);
}

}  // namespace holdfast::graph
