#include "graph_search.h"

namespace holdfast::vectors {

Candidate descend(const HnswGraph& graph, const VectorArray& array, const PreparedQuery& query) {
  Candidate at{query.comparable(array, graph.entry_point()), graph.entry_point()};
  for (int level = graph.max_level(); level > 0; --level) {
    at = walk_nearer(LevelEdges(graph, level), array, query, at);
  }
  return at;
}

bool should_scan(std::size_t matching, std::size_t total, std::size_t ef) {
  // A search looks at some 64 slots for each of `ef`, and at total / matching times as many when it
  // must walk through those that do not match.
  constexpr double kMetForEach = 64;
  const double met = kMetForEach * static_cast<double>(ef) * static_cast<double>(total);
  return static_cast<double>(matching) * static_cast<double>(matching) <= met;
}

}  // namespace holdfast::vectors
