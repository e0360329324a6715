#pragma once

// Thread safety: values and functions without state; any thread.

#include <optional>
#include <string>

#include <holdfast/core/id.h>
#include <holdfast/core/json_text.h>
#include <holdfast/core/revision.h>
#include <holdfast/graph/entity.h>
#include <holdfast/journal/filter.h>

namespace holdfast {

/// A fact: source -relation-> target, holding over [valid_from, valid_to).
struct Edge {
  EdgeId id;                  ///< nil in a new edge: one is made
  EntityId source;            ///< of a symmetric relation's two ends, the one with the smaller id
  std::string relation;
  EntityId target;
  double weight = 1.0;
  JsonObject properties;
  std::optional<Timestamp> valid_from{};  ///< absent: since always
  std::optional<Timestamp> valid_to{};    ///< absent: without end
  std::optional<EntityId> deleted_with{}; ///< the entity whose deletion took this edge along
  Timestamp created_at;
  Revision revision;
  std::optional<Timestamp> deleted_at{};  ///< absent while live
  Sequence seq = 0;                     ///< of its last change
  bool operator==(const Edge&) const = default;
};

struct EdgeFilter : RowFilter {
  std::optional<std::string> relation{};
  std::optional<EntityId> source{};
  std::optional<EntityId> target{};
  std::optional<Timestamp> valid_at{};
};

/// An instant for comparing with stored validity: open ends hold at every time, the first and the
/// last that a Timestamp can have included.
Timestamp within_validity(Timestamp time);

enum class Direction { outgoing, incoming, both };
std::string_view to_string(Direction direction);

struct NeighborFilter {
  /// Edges of a symmetric relation match either way.
  Direction direction = Direction::both;
  std::optional<std::string> relation{};
  std::optional<Timestamp> valid_at{};
};

/// One live edge at an entity, seen from there.
struct Neighbor {
  Edge edge;
  Direction direction = Direction::outgoing;  ///< as stored: outgoing when the entity is the source
  Entity entity;                              ///< at the other end; the same one for a loop
};

}  // namespace holdfast
