#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "hnsw_graph.h"
#include "search_workspace.h"

namespace holdfast::vectors {

/// May be in a result: every slot.
struct AcceptAll {
  bool operator()(Slot /*slot*/) const { return true; }
};

/// The edges of one level of a graph that nobody adds to.
class LevelEdges {
 public:
  LevelEdges(const HnswGraph& graph, int level) : graph_(graph), level_(level) {}

  template <typename Function>
  void for_each(Slot slot, Function function) const {
    for (const std::int32_t neighbor : graph_.neighbors(slot, level_)) {
      if (neighbor < 0) return;
      function(static_cast<Slot>(neighbor));
    }
  }

  /// The other slots with the slot's vector, when it is the one that has edges.
  template <typename Function>
  void for_each_equal(Slot slot, Function function) const {
    for (std::int32_t next = graph_.next_equal(slot); next >= 0;
         next = graph_.next_equal(static_cast<Slot>(next))) {
      function(static_cast<Slot>(next));
    }
  }

 private:
  const HnswGraph& graph_;
  int level_;
};

/// Goes on to a nearer neighbour as long as there is one.
template <typename Edges>
Candidate walk_nearer(const Edges& edges, const VectorArray& array, const PreparedQuery& query,
                      Candidate at) {
  for (bool moved = true; moved;) {
    moved = false;
    edges.for_each(at.slot, [&](Slot slot) { PreparedQuery::prefetch(array, slot); });
    edges.for_each(at.slot, [&, from = at.slot](Slot slot) {
      const Candidate met{query.comparable(array, slot), slot};
      if (met.distance < at.distance) at = met;
      moved = at.slot != from;
    });
  }
  return at;
}

/// One best-first search on one level, step by step: the `ef` nearest that `accepts(slot)` is true
/// of; those that it is false of are walked through all the same. `work.nearest` holds what is
/// found, as a heap.
template <typename Edges, typename Accepts>
class LevelSearch {
 public:
  LevelSearch(const Edges& edges, const VectorArray& array, std::size_t size,
              SearchWorkspace& work, std::size_t ef, const Candidate& start, Accepts accepts)
      : edges_(edges), array_(array), work_(work), ef_(ef), accepts_(accepts) {
    work_.visited.begin(size);
    work_.frontier.clear();
    work_.nearest.clear();
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
    edges_.for_each_equal(at.slot, [&](Slot slot) { keep({at.distance, slot}); });
    work_.fresh.clear();
    edges_.for_each(at.slot, [this](Slot slot) {
      if (!work_.visited.insert(slot)) return;
      PreparedQuery::prefetch(array_, slot);
      work_.fresh.push_back(slot);
    });
    for (const Slot slot : work_.fresh) {
      const Candidate met{work_.query.comparable(array_, slot), slot};
      if (!is_full() || met < work_.nearest.front()) take(met);
    }
    return true;
  }

  bool is_full() const { return work_.nearest.size() == ef_; }

 private:
  void take(const Candidate& met) {
    auto& frontier = work_.frontier;
    frontier.push_back(met);
    std::push_heap(frontier.begin(), frontier.end(), std::greater<>());
    keep(met);
  }

  void keep(const Candidate& met) {
    auto& nearest = work_.nearest;
    if (is_full() && !(met < nearest.front())) return;
    if (!accepts_(met.slot)) return;
    if (is_full()) {
      std::pop_heap(nearest.begin(), nearest.end());
      nearest.pop_back();
    }
    nearest.push_back(met);
    std::push_heap(nearest.begin(), nearest.end());
  }

  const Edges& edges_;
  const VectorArray& array_;
  SearchWorkspace& work_;
  std::size_t ef_;
  Accepts accepts_;
};

/// Where a search on level 0 begins: as near as the levels above lead. The graph is not empty.
Candidate descend(const HnswGraph& graph, const VectorArray& array, const PreparedQuery& query);

/// The nearest slots that `accepts(slot)` is true of, at most `ef`, nearest first. `work.query` is
/// prepared; `ef` is at least 1. The span lies in `work`, until its next search. An approximation,
/// and find_strays() says of what. Nothing when it has looked at more than `met_max` slots: with a
/// predicate that accepts few, or only what is far from the query, it might come to look at all.
template <typename Accepts>
std::optional<std::span<const Candidate>> try_search_graph(const HnswGraph& graph,
                                                           const VectorArray& array,
                                                           SearchWorkspace& work, std::size_t ef,
                                                           Accepts accepts, std::size_t met_max) {
  work.nearest.clear();
  if (graph.empty()) return work.nearest;
  const LevelEdges edges(graph, 0);
  LevelSearch search(edges, array, graph.size(), work, ef, descend(graph, array, work.query),
                     accepts);
  while (search.step()) {
    if (work.visited.size() > met_max) return std::nullopt;
  }
  std::sort_heap(work.nearest.begin(), work.nearest.end());
  for (Candidate& found : work.nearest) {
    found.distance = to_distance(array.metric(), found.distance);
  }
  return work.nearest;
}

/// The same, however long it takes.
template <typename Accepts>
std::span<const Candidate> search_graph(const HnswGraph& graph, const VectorArray& array,
                                        SearchWorkspace& work, std::size_t ef, Accepts accepts) {
  return *try_search_graph(graph, array, work, ef, accepts,
                           std::numeric_limits<std::size_t>::max());
}

/// Whether `matching` of `total` slots are found sooner by looking at each of them than by a search
/// that walks through the others.
bool should_scan(std::size_t matching, std::size_t total, std::size_t ef);

}  // namespace holdfast::vectors
