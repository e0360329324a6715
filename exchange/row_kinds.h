#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <holdfast/exchange/import.h>
#include <holdfast/space/space.h>

namespace holdfast::exchange {

/// What every kind of row has in common for an importer.
template <class Store>
struct StoredKind {
  using Row = typename Store::Row;
  static std::string name(const Row& row) { return to_string(row.id); }
  static std::optional<Row> find(storage::Transaction& transaction, const Space& space,
                                 const Row& row) {
    return Store::find(transaction, space.name(), row.id);
  }
  static WriteResult<Row> insert(journal::Appender& appender, const Space&, Row row) {
    return Store::insert_if_absent(appender, std::move(row));
  }
  static WriteResult<Row> replace(journal::Appender& appender, const Space&, Row row,
                                  const Expected& expected) {
    return Store::replace_if_unchanged(appender, std::move(row), expected);
  }
  static WriteResult<Row> remove(journal::Appender& appender, const Space&, Row row,
                                 const Expected& expected) {
    return Store::remove(appender, std::move(row), expected);
  }
  static WriteResult<Row> restore(journal::Appender& appender, const Space&, Row row,
                                  const Expected& expected) {
    return Store::restore(appender, std::move(row), expected);
  }
};

template <class Row>
struct RowKind;

template <>
struct RowKind<Entity> : StoredKind<graph::EntityStore> {
  static constexpr std::string_view kName = "entity";
  static constexpr auto kCount = &ImportReport::entities;
};

template <>
struct RowKind<Edge> : StoredKind<graph::EdgeStore> {
  static constexpr std::string_view kName = "edge";
  static constexpr auto kCount = &ImportReport::edges;
};

template <>
struct RowKind<Note> {
  static constexpr std::string_view kName = "note";
  static constexpr auto kCount = &ImportReport::notes;
  static std::string name(const Note& row) { return to_string(row.id); }
  static std::optional<Note> find(storage::Transaction& transaction, const Space& space,
                                  const Note& row) {
    return space.note_store().find(transaction, space.name(), row.id);
  }
  static WriteResult<Note> insert(journal::Appender& appender, const Space& space, Note row) {
    return space.note_store().insert_exported(appender, std::move(row));
  }
  static WriteResult<Note> replace(journal::Appender& appender, const Space& space, Note row,
                                   const Expected& expected) {
    return space.note_store().replace_if_unchanged(appender, std::move(row), expected);
  }
  static WriteResult<Note> remove(journal::Appender& appender, const Space& space, Note row,
                                  const Expected& expected) {
    return space.note_store().remove(appender, std::move(row), expected);
  }
  static WriteResult<Note> restore(journal::Appender& appender, const Space& space, Note row,
                                   const Expected& expected) {
    return space.note_store().restore(appender, std::move(row), expected);
  }
};

/// An event may have ended where it was exported.
template <>
struct RowKind<ScheduledEvent> : StoredKind<schedule::EventStore> {
  static constexpr std::string_view kName = "scheduled_event";
  static constexpr auto kCount = &ImportReport::scheduled_events;
  static WriteResult<ScheduledEvent> insert(journal::Appender& appender, const Space&,
                                            ScheduledEvent row) {
    return schedule::EventStore::insert_exported(appender, std::move(row));
  }
  static WriteResult<ScheduledEvent> replace(journal::Appender& appender, const Space&,
                                             ScheduledEvent row, const Expected& expected) {
    return schedule::EventStore::replace_exported(appender, std::move(row), expected);
  }
};

/// A declaration is never deleted.
template <>
struct RowKind<Relation> {
  static constexpr std::string_view kName = "relation";
  static constexpr auto kCount = &ImportReport::relations;
  static std::string name(const Relation& row) { return row.relation; }
  static std::optional<Relation> find(storage::Transaction& transaction, const Space& space,
                                      const Relation& row) {
    return graph::RelationStore::find(transaction, space.name(), row.relation);
  }
  static WriteResult<Relation> insert(journal::Appender& appender, const Space&, Relation row) {
    return graph::RelationStore::insert_if_absent(appender, std::move(row));
  }
  static WriteResult<Relation> replace(journal::Appender& appender, const Space&, Relation row,
                                       const Expected& expected) {
    return graph::RelationStore::replace_if_unchanged(appender, std::move(row), expected);
  }
  static WriteResult<Relation> remove(journal::Appender&, const Space&, Relation,
                                      const Expected&) {
    return {};
  }
  static WriteResult<Relation> restore(journal::Appender&, const Space&, Relation,
                                       const Expected&) {
    return {};
  }
};

}  // namespace holdfast::exchange
