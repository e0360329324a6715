#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <holdfast/graph/edge.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/journal/appender.h>
#include <holdfast/journal/event.h>
#include <holdfast/journal/registry.h>
#include <holdfast/journal/write_result.h>
#include <holdfast/storage/page.h>

namespace holdfast::graph {

/// Edges under guard, with the rules of EntityStore and these: both ends live, no loop unless the
/// relation allows it, no two live edges of one triple over the same time, symmetric relations
/// stored once. Every write stamps both ends' neighbourhoods with its sequence.
/// Holds no state; thread safety is the transaction's.
class EdgeStore {
 public:
  using Row = Edge;
  using Filter = EdgeFilter;
  static constexpr std::string_view kKind = "edge";

  static void normalise(Edge& edge);

  /// `key_taken` and `overlaps` carry the live edge in the way; `endpoint_missing` names the ends.
  static WriteResult<Edge> insert_if_absent(journal::Appender& appender, Edge edge);
  /// Changes weight, properties and valid_to; the triple and valid_from stay.
  static WriteResult<Edge> replace_if_unchanged(journal::Appender& appender, Edge edge,
                                                const Expected& expected);
  static WriteResult<Edge> remove(journal::Appender& appender, Edge edge,
                                  const Expected& expected);
  static WriteResult<Edge> restore(journal::Appender& appender, Edge edge,
                                   const Expected& expected);

  /// Moves a live edge to another triple or validity: `edge` is the edge as it is to be. Outcomes:
  /// applied; absorbed, when a live edge, `current`, has that triple and start already, which
  /// stays as it is while the moved one is deleted; unchanged; those of a stale guard and of the
  /// rules of an insert.
  static WriteResult<Edge> retarget(journal::Appender& appender, Edge edge,
                                    const Expected& expected);
  /// Removes a deleted edge and blanks its history. The answer has no row.
  static WriteResult<Edge> purge(journal::Appender& appender, EdgeId id,
                                 const Expected& expected);

  /// Deletes the live edges of a deleted entity, marking them with it. Returns their ids.
  static std::vector<EdgeId> remove_with(journal::Appender& appender, EntityId entity);
  struct Restored {
    std::vector<EdgeId> edges;
    std::vector<EdgeId> handed_over;
    std::vector<EdgeId> kept_out;
  };
  /// Undoes remove_with() for edges whose other end is live; the others are handed over to it.
  static Restored restore_with(journal::Appender& appender, EntityId entity);
  /// Purges the edges of an entity that is being purged. Returns their ids.
  static std::vector<EdgeId> purge_with(journal::Appender& appender, EntityId entity);

  static std::optional<Edge> find(storage::Transaction& transaction, std::string_view space,
                                  EdgeId id);
  static Page<Edge> list(storage::Transaction& transaction, std::string_view space,
                         const EdgeFilter& filter, const PageRequest& page);
  static std::uint64_t count(storage::Transaction& transaction, std::string_view space,
                             const EdgeFilter& filter);
  static journal::Source source();

  /// Sets or patches the fields a caller may change from a document with their names.
  static void apply(const JsonObject& document, core::Fields mode, Edge& edge);
  /// The row under its struct's field names; times in microseconds.
  static std::string to_json(const Edge& edge);
  /// The same as the journal and exports hold it: without the sequence.
  static std::string body(const Edge& edge);
  /// Reads either. Throws InvalidArgument naming the field.
  static Edge from_json(const JsonObject& document);
  /// The row as an event left it. Throws Gone when it was purged since.
  static Edge from_event(storage::Transaction& transaction, std::string_view space,
                         const Event& event);
};

}  // namespace holdfast::graph
