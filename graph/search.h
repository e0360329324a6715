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
  /// Of each node there is room for: `now()` when it was met in this search.
  std::uint32_t* stamps() { return stamps_.data(); }
  std::uint32_t now() const { return now_; }

 private:
  std::vector<std::uint32_t> stamps_;
  std::uint32_t now_ = 0;
};

/// The queue of a search that only counts.
class NodeQueue {
 public:
  void clear() { size_ = 0; }
  void make_room(std::size_t nodes) {
    if (nodes_.size() < nodes) nodes_.resize(std::max(nodes, nodes_.size() * 2));
  }
  std::size_t size() const { return size_; }
  std::uint32_t operator[](std::size_t at) const { return nodes_[at]; }
  template <class Via>
  void push(std::uint32_t node, std::size_t, unsigned, const Via&) {
    nodes_[size_++] = node;
  }

 private:
  std::vector<std::uint32_t> nodes_;
  std::size_t size_ = 0;
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
  void make_room(std::size_t) {}
  std::size_t size() const { return arrivals_.size(); }
  std::uint32_t operator[](std::size_t at) const { return arrivals_[at].node; }
  void push(std::uint32_t node, std::size_t from, unsigned depth, const Via& via) {
    arrivals_.push_back({.node = node, .from = from, .depth = depth, .via = via});
  }
  const Arrival& arrival(std::size_t at) const { return arrivals_[at]; }

 private:
  std::vector<Arrival> arrivals_;
};

/// How far ahead of a visit its hints are given.
inline constexpr std::size_t kSoon = 16;
inline constexpr std::size_t kNext = 8;

inline constexpr std::uint32_t kNoGoal = std::numeric_limits<std::uint32_t>::max();

/// The one breadth-first search. `Graph` numbers entities and has
///   bool visit(node, f)    // f(ends, edges, count), a run of edges and where they lead, in order,
///                          // until it is false; whether it never was
///   bool holds(edge, time)
///   Via via(edge)
///   std::size_t nodes()    // above every number handed out so far
///   void expect_soon(node), expect_next(node)  // hints: it will be visited
/// The queue gets the starts, each once, and then what was reached. Stops once `goal` is last in
/// the queue. Sets what `extent` says of the search.
template <class Graph, class Queue>
class Search {
 public:
  Search(Graph& graph, const TraversalOptions& options, Visited& visited, Queue& queue,
         SearchExtent& extent, std::uint32_t goal)
      : graph_(graph), visited_(visited), queue_(queue), extent_(extent), goal_(goal),
        left_(options.edges_max), per_hop_max_(options.per_hop_max), hops_max_(options.hops_max),
        is_timed_(options.valid_at.has_value()), time_(is_timed_ ? to_us(*options.valid_at) : 0) {}

  void run(std::span<const std::uint32_t> starts) {
    visited_.begin();
    make_room();
    for (const std::uint32_t start : starts) {
      if (visited_.stamps()[start] == visited_.now()) continue;
      visited_.stamps()[start] = visited_.now();
      queue_.push(start, 0, 0, typename Graph::Via{});
    }
    const std::uint64_t budget = left_;
    std::size_t begin = 0;
    for (depth_ = 1; depth_ <= hops_max_ && begin < queue_.size() && !is_over_; ++depth_) {
      const std::size_t end = queue_.size();
      full_ = end + per_hop_max_;
      run_hop(begin, end);
      begin = end;
    }
    extent_.edges_seen = budget - left_;
  }

 private:
  void make_room() {
    visited_.make_room(graph_.nodes());
    queue_.make_room(graph_.nodes());
  }

  void run_hop(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      if (at + kSoon < end) graph_.expect_soon(queue_[at + kSoon]);
      if (at + kNext < end) graph_.expect_next(queue_[at + kNext]);
      const auto look = [&](const std::uint32_t* ends, const auto* edges, std::uint32_t count) {
        return look_at(at, ends, edges, count);
      };
      if (!graph_.visit(queue_[at], look)) return;
    }
  }

  template <class Edge>
  bool look_at(std::size_t from, const std::uint32_t* ends, const Edge* edges,
               std::uint32_t count) {
    if constexpr (Graph::kGrows) make_room();
    const bool is_cut = count > left_;
    if (is_cut) count = static_cast<std::uint32_t>(left_);
    std::uint32_t* const stamps = visited_.stamps();
    const std::uint32_t now = visited_.now();
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t other = ends[i];
      if (stamps[other] == now) continue;
      if (is_timed_ && !graph_.holds(edges[i], time_)) continue;
      const bool is_full = queue_.size() == full_;
      if (!is_full) {
        stamps[other] = now;
        queue_.push(other, from, depth_, graph_.via(edges[i]));
      }
      if (is_full || other == goal_) {
        left_ -= i + 1;
        return end_hop(is_full);
      }
    }
    left_ -= count;
    if (is_cut) extent_.budget_spent = is_over_ = true;
    return !is_cut;
  }

  bool end_hop(bool is_full) {
    if (!is_full) is_over_ = true;
    if (is_full && extent_.capped_hop == 0) extent_.capped_hop = depth_;
    return false;
  }

  Graph& graph_;
  Visited& visited_;
  Queue& queue_;
  SearchExtent& extent_;
  std::uint32_t goal_;
  std::uint64_t left_;  ///< of the budget
  std::size_t per_hop_max_;
  unsigned hops_max_;
  bool is_timed_;
  std::int64_t time_;
  unsigned depth_ = 0;
  std::size_t full_ = 0;  ///< the queue's size beyond which this hop may not go
  bool is_over_ = false;
};

template <class Graph, class Queue>
void search(Graph& graph, std::span<const std::uint32_t> starts, const TraversalOptions& options,
            Visited& visited, Queue& queue, SearchExtent& extent, std::uint32_t goal = kNoGoal) {
  Search<Graph, Queue>(graph, options, visited, queue, extent, goal).run(starts);
}

// What follows fills in an answer; its sequence and source are the caller's.

template <class Graph>
void traverse_in(Graph& graph, std::span<const std::uint32_t> starts,
                 const TraversalOptions& options, Visited& visited, Traversal& traversal) {
  ArrivalQueue<typename Graph::Via> queue;
  search(graph, starts, options, visited, queue, traversal);
  traversal.reached.reserve(queue.size());
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const auto& arrival = queue.arrival(at);
    if (arrival.depth == 0) continue;
    traversal.reached.push_back({.entity = graph.entity(arrival.node),
                                 .depth = arrival.depth,
                                 .via = graph.edge(arrival.via),
                                 .from = graph.entity(queue[arrival.from])});
  }
}

template <class Graph>
void count_in(Graph& graph, std::uint32_t start, const TraversalOptions& options,
              Visited& visited, NodeQueue& queue, ReachCount& count) {
  queue.clear();
  search(graph, std::span(&start, 1), options, visited, queue, count);
  count.entities = queue.size() - 1;
}

template <class Graph>
void path_in(Graph& graph, std::uint32_t from, std::uint32_t to, const TraversalOptions& options,
             Visited& visited, Path& path) {
  path.outcome = PathOutcome::found;
  if (from == to) return;
  ArrivalQueue<typename Graph::Via> queue;
  search(graph, std::span(&from, 1), options, visited, queue, path, to);
  if (queue[queue.size() - 1] != to) {
    path.outcome = path.complete() ? PathOutcome::none : PathOutcome::unknown;
    return;
  }
  for (std::size_t at = queue.size() - 1; at != 0; at = queue.arrival(at).from) {
    const auto& arrival = queue.arrival(at);
    path.steps.push_back({.edge = graph.edge(arrival.via),
                          .from = graph.entity(queue[arrival.from]),
                          .to = graph.entity(arrival.node)});
  }
  std::reverse(path.steps.begin(), path.steps.end());
}

}  // namespace holdfast::graph
