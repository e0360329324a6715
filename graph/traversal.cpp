#include <holdfast/graph/traversal.h>

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/limits.h>
#include <holdfast/journal/journal.h>

#include "entity_table.h"
#include "search.h"
#include "sql_graph.h"

namespace holdfast {

std::string_view to_string(PathOutcome outcome) {
  switch (outcome) {
    case PathOutcome::found: return "found";
    case PathOutcome::none: return "none";
    case PathOutcome::unknown: return "unknown";
  }
  return "unknown";
}

namespace graph {
namespace {

template <class Number>
void check_between(const char* field, Number value, Number max) {
  if (value >= 1 && value <= max) return;
  throw InvalidArgument(field, std::to_string(value), "be 1 to " + std::to_string(max));
}

void require_live(storage::Transaction& transaction, std::string_view space, EntityId entity) {
  const auto mark = EntityTable::mark(transaction, space, entity);
  if (!mark || !mark->is_live()) throw NotFound("entity", to_string(entity));
}

/// Both ends of a live edge are live, so only of a start without edges it must be asked.
void require_live(storage::Transaction& transaction, std::string_view space, EntityId start,
                  const SearchExtent& extent) {
  if (extent.edges_seen == 0) require_live(transaction, space, start);
}

}  // namespace

TraversalOptions normalised(TraversalOptions options) {
  if (options.valid_at) options.valid_at = within_validity(*options.valid_at);
  check_between("hops_max", options.hops_max, core::kTraversalHopsMax);
  check_between("per_hop_max", options.per_hop_max, core::kTraversalPerHopMax);
  check_between("edges_max", options.edges_max, core::kTraversalEdgesMax);
  auto& relations = options.relations;
  if (relations.size() > core::kTraversalRelationsMax) {
    throw InvalidArgument("relations", std::to_string(relations.size()),
                          "be at most " + std::to_string(core::kTraversalRelationsMax));
  }
  for (std::string& relation : relations) relation = core::check_name("relations", relation);
  std::sort(relations.begin(), relations.end());
  relations.erase(std::unique(relations.begin(), relations.end()), relations.end());
  return options;
}

Traversal traverse(storage::Transaction& transaction, std::string_view space,
                   std::span<const EntityId> starts, const TraversalOptions& options) {
  const Sequence seq = journal::tail(transaction, space).seq;
  SqlGraph graph(transaction, space, options, EdgeDetail::ids);
  std::vector<std::uint32_t> numbers;
  for (const EntityId start : starts) {
    require_live(transaction, space, start);
    numbers.push_back(graph.number(start));
  }
  Visited visited;
  Traversal traversal;
  traversal.seq = seq;
  traverse_in(graph, numbers, options, visited, traversal);
  return traversal;
}

std::vector<ReachCount> count_reachable(storage::Transaction& transaction, std::string_view space,
                                        std::span<const EntityId> starts,
                                        const TraversalOptions& options) {
  const Sequence seq = journal::tail(transaction, space).seq;
  SqlGraph graph(transaction, space, options, EdgeDetail::none);
  Visited visited;
  NodeQueue queue;
  std::vector<ReachCount> counts(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    graph.forget_entities();
    count_in(graph, graph.number(starts[i]), options, visited, queue, counts[i]);
    require_live(transaction, space, starts[i], counts[i]);
    counts[i].seq = seq;
  }
  return counts;
}

Path shortest_path(storage::Transaction& transaction, std::string_view space, EntityId from,
                   EntityId to, const TraversalOptions& options) {
  const Sequence seq = journal::tail(transaction, space).seq;
  require_live(transaction, space, from);
  require_live(transaction, space, to);
  SqlGraph graph(transaction, space, options, EdgeDetail::ids);
  const std::uint32_t start = graph.number(from);
  const std::uint32_t goal = graph.number(to);
  Visited visited;
  Path path;
  path.seq = seq;
  path_in(graph, start, goal, options, visited, path);
  return path;
}

}  // namespace graph
}  // namespace holdfast
