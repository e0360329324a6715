#pragma once

#include <optional>
#include <vector>

#include <holdfast/graph/edge.h>
#include <holdfast/journal/appender.h>
#include <holdfast/journal/write_result.h>

namespace holdfast::graph {

/// Why an edge may not become live, and what is in its way.
struct Refusal {
  Outcome outcome = Outcome::missing;
  std::optional<Edge> in_the_way;
  std::vector<EntityId> missing;
};

/// Puts the ends of a symmetric relation's edge in the order of their ids, and checks what the
/// space says about its relation.
std::optional<Refusal> apply_relation(journal::Appender& appender, Edge& edge);

/// Both ends must be live entities of the space. `write` names the guard.
std::optional<Refusal> check_endpoints(journal::Appender& appender, std::string_view write,
                                       const Edge& edge);

/// No other live edge of the triple may hold over part of the same time.
std::optional<Refusal> check_overlap(journal::Appender& appender, std::string_view write,
                                     const Edge& edge);

WriteResult<Edge> refused(Refusal refusal);

/// Marks both ends' neighbourhoods as changed by the edge's last event.
void stamp_neighborhoods(journal::Appender& appender, const Edge& edge);

}  // namespace holdfast::graph
