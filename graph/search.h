#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <holdfast/graph/traversal.h>

namespace holdfast::graph {

/// Which edges at one side of a node are followed: those of all relations, or of some.
template <class Relation>
struct Followed {
  bool all = false;
  std::vector<Relation> some;  ///< in byte order of their names
  bool none() const { return !all && some.empty(); }
};

/// What is followed at the outgoing and at the incoming side. Edges of symmetric relations are
/// stored once, so they are followed at either side whatever the direction. Both lists are in byte
/// order; no `wanted` means all.
template <class Relation>
std::array<Followed<Relation>, 2> followed_sides(Direction direction,
                                                 const std::vector<Relation>* wanted,
                                                 const std::vector<Relation>& symmetric) {
  const Followed<Relation> asked{.all = wanted == nullptr,
                                 .some = wanted ? *wanted : std::vector<Relation>{}};
  if (direction == Direction::both) return {asked, asked};
  Followed<Relation> back{.all = false, .some = {}};
  for (const Relation& relation : symmetric) {
    const bool is_asked =
        asked.all || std::find(asked.some.begin(), asked.some.end(), relation) != asked.some.end();
    if (is_asked) back.some.push_back(relation);
  }
  if (direction == Direction::outgoing) return {asked, std::move(back)};
  return {std::move(back), asked};
}

/// Which nodes a search has met; kept from one search to the next, so that none begins by clearing
/// it. Thread safety: one search at a time.
class Visited {
 public:
  void begin() {
    if (++now_ != 0) return;
    std::fill(stamps_.begin(), stamps_.end(), 0U);
    now_ = 1;
  }
  void make_room(std::size_t nodes) {
    if (stamps_.size() < nodes) stamps_.resize(std::max(nodes, stamps_.size() * 2), 0);
  }
  /// False when the node was met before. There must be room for it.
  bool contains(std::uint32_t node) const { return stamps_[node] == now_; }
  void add(std::uint32_t node) { stamps_[node] = now_; }

 private:
  std::vector<std::uint32_t> stamps_;
  std::uint32_t now_ = 0;
};

/// The queue of a search that only counts.
class NodeQueue {
 public:
  void clear() { nodes_.clear(); }
  std::size_t size() const { return nodes_.size(); }
  std::uint32_t operator[](std::size_t at) const { return nodes_[at]; }
  template <class Via>
  void push(std::uint32_t node, std::size_t, unsigned, const Via&) {
    nodes_.push_back(node);
  }

 private:
  std::vector<std::uint32_t> nodes_;
};

/// The queue of a search that says how it came to each node.
template <class Via>
class ArrivalQueue {
 public:
  struct Arrival {
    std::uint32_t node;
    std::size_t from;  ///< its place in the queue
    unsigned depth;
    Via via;
  };
  std::size_t size() const { return arrivals_.size(); }
  std::uint32_t operator[](std::size_t at) const { return arrivals_[at].node; }
  void push(std::uint32_t node, std::size_t from, unsigned depth, const Via& via) {
    arrivals_.push_back({.node = node, .from = from, .depth = depth, .via = via});
  }
  const Arrival& arrival(std::size_t at) const { return arrivals_[at]; }

 private:
  std::vector<Arrival> arrivals_;
};

inline constexpr std::uint32_t kNoGoal = std::numeric_limits<std::uint32_t>::max();

/// The one breadth-first search. `Graph` numbers entities and has
///   bool visit(node, f)    // f(other, edge) in order, until it is false; whether it never was
///   bool holds(edge, time)
///   Via via(edge)
///   std::size_t nodes()    // above every number handed out so far
/// The queue gets the starts, each once, and then what was reached. Stops once `goal` is last in
/// the queue.
template <class Graph, class Queue>
SearchExtent search(Graph& graph, std::span<const std::uint32_t> starts,
                    const TraversalOptions& options, Visited& visited, Queue& queue,
                    std::uint32_t goal = kNoGoal) {
  SearchExtent extent;
  visited.begin();
  visited.make_room(graph.nodes());
  for (const std::uint32_t start : starts) {
    if (visited.contains(start)) continue;
    visited.add(start);
    queue.push(start, 0, 0, typename Graph::Via{});
  }
  const std::int64_t time = options.valid_at ? to_us(*options.valid_at) : 0;
  const bool is_timed = options.valid_at.has_value();
  std::uint64_t left = options.edges_max;
  std::size_t begin = 0;
  bool is_over = false;
  for (unsigned depth = 1; depth <= options.hops_max && begin < queue.size() && !is_over; ++depth) {
    const std::size_t end = queue.size();
    const std::size_t full = end + options.per_hop_max;
    std::size_t at = begin;
    const auto look_at = [&](std::uint32_t other, const auto& edge) {
      if (left == 0) {
        extent.budget_spent = is_over = true;
        return false;
      }
      --left;
      if constexpr (Graph::kGrows) visited.make_room(graph.nodes());
      if (visited.contains(other)) return true;
      if (is_timed && !graph.holds(edge, time)) return true;
      if (queue.size() == full) {
        if (extent.capped_hop == 0) extent.capped_hop = depth;
        return false;
      }
      visited.add(other);
      queue.push(other, at, depth, graph.via(edge));
      if (other == goal) is_over = true;
      return other != goal;
    };
    while (at < end && graph.visit(queue[at], look_at)) ++at;
    begin = end;
  }
  extent.edges_seen = options.edges_max - left;
  return extent;
}

template <class Graph>
Traversal traverse_in(Graph& graph, std::span<const std::uint32_t> starts,
                      const TraversalOptions& options, Visited& visited) {
  ArrivalQueue<typename Graph::Via> queue;
  Traversal traversal;
  static_cast<SearchExtent&>(traversal) = search(graph, starts, options, visited, queue);
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const auto& arrival = queue.arrival(at);
    if (arrival.depth == 0) continue;
    traversal.reached.push_back({.entity = graph.entity(arrival.node),
                                 .depth = arrival.depth,
                                 .via = graph.edge(arrival.via),
                                 .from = graph.entity(queue[arrival.from])});
  }
  return traversal;
}

template <class Graph>
ReachCount count_in(Graph& graph, std::uint32_t start, const TraversalOptions& options,
                    Visited& visited, NodeQueue& queue) {
  queue.clear();
  ReachCount count;
  static_cast<SearchExtent&>(count) = search(graph, std::span(&start, 1), options, visited, queue);
  count.entities = queue.size() - 1;
  return count;
}

template <class Graph>
Path path_in(Graph& graph, std::uint32_t from, std::uint32_t to, const TraversalOptions& options,
             Visited& visited) {
  Path path;
  path.outcome = PathOutcome::found;
  if (from == to) return path;
  ArrivalQueue<typename Graph::Via> queue;
  static_cast<SearchExtent&>(path) =
      search(graph, std::span(&from, 1), options, visited, queue, to);
  if (queue[queue.size() - 1] != to) {
    path.outcome = path.complete() ? PathOutcome::none : PathOutcome::unknown;
    return path;
  }
  for (std::size_t at = queue.size() - 1; at != 0; at = queue.arrival(at).from) {
    const auto& arrival = queue.arrival(at);
    path.steps.push_back({.edge = graph.edge(arrival.via),
                          .from = graph.entity(queue[arrival.from]),
                          .to = graph.entity(arrival.node)});
  }
  std::reverse(path.steps.begin(), path.steps.end());
  return path;
}

}  // namespace holdfast::graph
