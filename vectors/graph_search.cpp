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
  return matching * matching <= total * ef * 16;
}

}  // namespace holdfast::vectors
