#pragma once

#include <optional>
#include <vector>

#include <holdfast/graph/edge.h>
#include <holdfast/graph/relation.h>
#include <holdfast/journal/appender.h>
#include <holdfast/journal/write_result.h>

namespace holdfast::graph {

/// Why an edge may not become live, and what is in its way.
struct Refusal {
  Outcome outcome = Outcome::missing;
  std::optional<Edge> in_the_way;
  std::vector<EntityId> missing;
};

/// What must hold for an edge to become live; `write` names the guard. Puts the ends of a symmetric
/// relation's edge in the order of their ids. In this order: what the space says about its
/// relation, both ends live entities of the space and of the kinds that the relation links, and no
/// other live edge of the triple over part of the same time.
std::optional<Refusal> check_becoming_live(journal::Appender& appender, std::string_view write,
                                           Edge& edge);

/// The last of these alone.
std::optional<Refusal> check_overlap(journal::Appender& appender, std::string_view write,
                                     const Edge& edge);

/// Whether a declaration allows a stored edge: `applied`, `loop_refused` or `kind_refused`.
Outcome allows(journal::Appender& appender, const Relation& relation, const Edge& edge);

/// Whether the live edges at an entity allow it to be of this kind.
bool edges_allow_kind(journal::Appender& appender, EntityId entity, std::string_view kind);

WriteResult<Edge> refused(Refusal refusal);

/// Marks both ends' neighbourhoods as changed by the edge's last event.
void stamp_neighborhoods(journal::Appender& appender, const Edge& edge);

}  // namespace holdfast::graph
