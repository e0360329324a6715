#pragma once

#include <cstdint>
#include <optional>

#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/journal/appender.h>
#include <holdfast/journal/event.h>
#include <holdfast/journal/registry.h>
#include <holdfast/journal/row_list.h>
#include <holdfast/journal/write_result.h>
#include <holdfast/storage/page.h>

namespace holdfast::graph {

/// Entities under guard. Every write appends one event in the same transaction; one that cannot
/// land answers why, with the row in its way, and must be undone by the caller.
/// Holds no state; thread safety is the transaction's.
class EntityStore {
 public:
  using Row = Entity;
  using Filter = EntityFilter;
  static constexpr std::string_view kKind = "entity";

  /// Judges the caller's fields and puts them in stored form. Throws InvalidArgument.
  static void normalise(Entity& entity);

  static WriteResult<Entity> insert_if_absent(journal::Appender& appender, Entity entity);
  /// `entity` carries the new revision; it must keep created_at and the deletion mark it expects.
  /// `kind_refused` when a relation of a live edge at it does not link the new kind.
  static WriteResult<Entity> replace_if_unchanged(journal::Appender& appender, Entity entity,
                                                  const Expected& expected);
  /// Soft delete; takes the entity's live edges along and lists them.
  static WriteResult<Entity> remove(journal::Appender& appender, Entity entity,
                                    const Expected& expected);
  /// Brings the entity back, and of the edges that went with it those whose other end is live.
  static WriteResult<Entity> restore(journal::Appender& appender, Entity entity,
                                     const Expected& expected);

  /// Removes a deleted entity with its edges and blanks their history. The answer has no row and
  /// lists the edges.
  static WriteResult<Entity> purge(journal::Appender& appender, EntityId id,
                                   const Expected& expected);

  static std::optional<Entity> find(storage::Transaction& transaction, std::string_view space,
                                    EntityId id);
  static Page<Entity> list(storage::Transaction& transaction, std::string_view space,
                           const EntityFilter& filter, const PageRequest& page);
  static std::uint64_t count(storage::Transaction& transaction, std::string_view space,
                             const EntityFilter& filter);
  /// Both must outlive it.
  static journal::RowMatcher matcher(std::string_view space, const EntityFilter& filter);
  static journal::Source source();

  /// Sets or patches the fields a caller may change from a document with their names.
  static void apply(const JsonObject& document, core::Fields mode, Entity& entity);
  /// The row under its struct's field names; times in microseconds.
  static std::string to_json(const Entity& entity);
  /// The same as the journal and exports hold it: without the sequence.
  static std::string body(const Entity& entity);
  /// Reads either. Throws InvalidArgument naming the field.
  static Entity from_json(const JsonObject& document);
  /// The row as an event left it. Throws Gone when it was purged since.
  static Entity from_event(storage::Transaction& transaction, std::string_view space,
                           const Event& event);
};

}  // namespace holdfast::graph
