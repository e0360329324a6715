#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "hnsw_graph.h"
#include "search_workspace.h"

namespace holdfast::vectors {

/// May be in a result: every slot.
struct AcceptAll {
  bool operator()(Slot /*slot*/) const { return true; }
};

/// The best first step on level 0: the slot that no neighbour on the levels above is nearer than.
Candidate descend(const HnswGraph& graph, const VectorArray& array, const PreparedQuery& query);

/// One search on level 0, step by step.
template <typename Accepts>
class LowestLevel {
 public:
  LowestLevel(const HnswGraph& graph, const VectorArray& array, SearchWorkspace& work,
              std::size_t ef, Accepts accepts)
      : graph_(graph), array_(array), work_(work), ef_(ef), accepts_(accepts) {
    work_.visited.begin(graph.size());
    work_.frontier.clear();
    work_.nearest.clear();
    const Candidate start = descend(graph, array, work.query);
    work_.visited.insert(start.slot);
    take(start);
  }

  /// Looks at the neighbours of the nearest slot whose neighbours it has not looked at. False when
  /// that is farther than `ef` slots that it has found, or there is none.
  bool step() {
    auto& frontier = work_.frontier;
    if (frontier.empty()) return false;
    const Candidate at = frontier.front();
    if (is_full() && work_.nearest.front() < at) return false;
    std::pop_heap(frontier.begin(), frontier.end(), std::greater<>());
    frontier.pop_back();
    gather(at.slot);
    for (const Slot slot : work_.fresh) {
      const Candidate met{work_.query.comparable(array_, slot), slot};
      if (!is_full() || met < work_.nearest.front()) take(met);
    }
    return true;
  }

  bool is_full() const { return work_.nearest.size() == ef_; }

 private:
  /// The neighbours not yet met, on their way into the cache.
  void gather(Slot slot) {
    work_.fresh.clear();
    const std::int32_t* const neighbors = graph_.lowest_neighbors(slot);
    for (std::size_t i = 0; i < graph_.lowest_neighbors_max() && neighbors[i] >= 0; ++i) {
      const auto neighbor = static_cast<Slot>(neighbors[i]);
      if (!work_.visited.insert(neighbor)) continue;
      PreparedQuery::prefetch(array_, neighbor);
      work_.fresh.push_back(neighbor);
    }
  }

  void take(const Candidate& met) {
    auto& frontier = work_.frontier;
    frontier.push_back(met);
    std::push_heap(frontier.begin(), frontier.end(), std::greater<>());
    if (!accepts_(met.slot)) return;
    auto& nearest = work_.nearest;
    if (is_full()) {
      std::pop_heap(nearest.begin(), nearest.end());
      nearest.pop_back();
    }
    nearest.push_back(met);
    std::push_heap(nearest.begin(), nearest.end());
  }

  const HnswGraph& graph_;
  const VectorArray& array_;
  SearchWorkspace& work_;
  std::size_t ef_;
  Accepts accepts_;
};

/// The nearest slots that `accepts(slot)` is true of, at most `ef`, nearest first. Those that it is
/// false of are walked through all the same. `work.query` is prepared; `ef` is at least 1. The span
/// lies in `work`, until its next search. An approximation: see find_strays().
template <typename Accepts>
std::span<const Candidate> search_graph(const HnswGraph& graph, const VectorArray& array,
                                        SearchWorkspace& work, std::size_t ef, Accepts accepts) {
  work.nearest.clear();
  if (graph.empty()) return work.nearest;
  LowestLevel<Accepts> level(graph, array, work, ef, accepts);
  while (level.step()) {
  }
  std::sort_heap(work.nearest.begin(), work.nearest.end());
  for (Candidate& found : work.nearest) {
    found.distance = to_distance(array.metric(), found.distance);
  }
  return work.nearest;
}

/// Whether `matching` of `total` slots are found sooner by looking at each of them than by a search
/// that walks through the others.
bool should_scan(std::size_t matching, std::size_t total, std::size_t ef);

}  // namespace holdfast::vectors
