#pragma once

#include <array>
#include <string_view>

#include <holdfast/space/space.h>

#include "options.h"

/// What the kinds of rows differ in, for the commands that all of them have.
namespace holdfast::cli {

struct EntityKind {
  using Row = Entity;
  using RowId = EntityId;
  using Rows = Collection<graph::EntityStore>;
  using Filter = EntityFilter;
  static constexpr std::string_view kName = "entity";
  static constexpr std::string_view kPlural = "entities";
  static constexpr std::array kRequired = {"kind", "name"};  ///< of a new row
  static const Rows& rows(const Space& space) { return space.entities(); }
  static void apply(const JsonObject& document, core::Fields mode, Row& row) {
    graph::EntityStore::apply(document, mode, row);
  }
  static Filter filter(const Space& space, const FilterOptions& options);
  /// Copies from `current` what a replace never changes and `row` does not name.
  static void keep_fixed(Row& row, const Row& current, const JsonObject& document);
};

struct EdgeKind {
  using Row = Edge;
  using RowId = EdgeId;
  using Rows = Collection<graph::EdgeStore>;
  using Filter = EdgeFilter;
  static constexpr std::string_view kName = "edge";
  static constexpr std::string_view kPlural = "edges";
  static constexpr std::array kRequired = {"source", "relation", "target"};  ///< of a new row
  static const Rows& rows(const Space& space) { return space.edges(); }
  static void apply(const JsonObject& document, core::Fields mode, Row& row) {
    graph::EdgeStore::apply(document, mode, row);
  }
  static Filter filter(const Space& space, const FilterOptions& options);
  static void keep_fixed(Row& row, const Row& current, const JsonObject& document);
};

struct NoteKind {
  using Row = Note;
  using RowId = NoteId;
  using Rows = Collection<notes::NoteStore>;
  using Filter = NoteFilter;
  static constexpr std::string_view kName = "note";
  static constexpr std::string_view kPlural = "notes";
  static constexpr std::array kRequired = {"kind"};  ///< of a new row
  static const Rows& rows(const Space& space) { return space.notes(); }
  static void apply(const JsonObject& document, core::Fields mode, Row& row) {
    notes::NoteStore::apply(document, mode, row);
  }
  static Filter filter(const Space& space, const FilterOptions& options);
  static void keep_fixed(Row& row, const Row& current, const JsonObject& document);
};

struct ScheduledKind {
  using Row = ScheduledEvent;
  using RowId = ScheduledEventId;
  using Rows = Collection<schedule::EventStore>;
  using Filter = EventFilter;
  static constexpr std::string_view kName = "scheduled_event";
  static constexpr std::string_view kPlural = "events";
  static constexpr std::array kRequired = {"payload", "trigger_at"};  ///< of a new row
  static const Rows& rows(const Space& space) { return space.events(); }
  static void apply(const JsonObject& document, core::Fields mode, Row& row) {
    schedule::EventStore::apply(document, mode, row);
  }
  static Filter filter(const Space& space, const FilterOptions& options);
  static void keep_fixed(Row& row, const Row& current, const JsonObject& document);
};

}  // namespace holdfast::cli
