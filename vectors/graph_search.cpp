#include "graph_search.h"

namespace holdfast::vectors {

Candidate descend(const HnswGraph& graph, const VectorArray& array, const PreparedQuery& query) {
  Candidate at{query.comparable(array, graph.entry_point()), graph.entry_point()};
  for (int level = graph.max_level(); level > 0; --level) {
    for (bool moved = true; moved;) {
      moved = false;
      const auto neighbors = graph.neighbors(at.slot, level);
      for (const std::int32_t neighbor : neighbors) {
        if (neighbor < 0) break;
        const auto slot = static_cast<Slot>(neighbor);
        const Candidate met{query.comparable(array, slot), slot};
        if (met.distance < at.distance) {
          at = met;
          moved = true;
        }
      }
    }
  }
  return at;
}

bool should_scan(std::size_t matching, std::size_t total, std::size_t ef) {
  return matching * matching <= total * ef * 16;
}

}  // namespace holdfast::vectors
