#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/environment.h>
#include <holdfast/graph/traversal.h>
#include <holdfast/storage/database.h>

namespace holdfast {

struct AdjacencyOptions {
  bool enabled = true;
  /// Of one space's graph in memory; one that needs more is answered from SQL. A search needs up
  /// to 8 bytes a node beside it while it runs.
  std::uint64_t bytes_max = std::uint64_t{256} << 20;
};

enum class AdjacencyState {
  off,
  not_loaded,
  loaded,
  too_large,  ///< `bytes_max` is not enough; stays so until it is unloaded
};
std::string_view to_string(AdjacencyState state);

struct AdjacencyStatus {
  AdjacencyState state = AdjacencyState::off;
  std::uint64_t nodes = 0;        ///< entities that have, or since it was loaded had, an edge
  std::uint64_t edges = 0;        ///< live ones, without loops
  std::uint64_t delta_edges = 0;  ///< added to or removed from the arrays since they were made
  std::uint64_t bytes = 0;
  double bytes_per_edge = 0;
  Sequence seq = 0;               ///< of the journal: how far it has been brought
};

namespace graph {

/// One space's graph for traversal, from memory or SQL. In memory it is a projection of the
/// journal: compact arrays, and the rows of those nodes whose edges changed since. Each call first
/// brings it up to date, so no answer is older than the call: a write that was acknowledged before
/// is seen. (A commit whose process died before it could acknowledge it is seen a second later at
/// the latest.) Nothing happens when the space is written.
/// It is loaded when SQL has looked at as many edges as the space has rows, so that what is asked
/// once is not loaded for.
/// Thread safety: any thread. Searches run side by side; taking in events waits for those that
/// run.
class Adjacency {
 public:
  Adjacency(storage::Database& database, core::Environment& environment, std::string space,
            const AdjacencyOptions& options);
  ~Adjacency();
  Adjacency(const Adjacency&) = delete;
  Adjacency& operator=(const Adjacency&) = delete;

  /// See Space.
  Traversal traverse(std::span<const EntityId> starts, const TraversalOptions& options);
  std::vector<ReachCount> count_reachable(std::span<const EntityId> starts,
                                          const TraversalOptions& options);
  Path shortest_path(EntityId from, EntityId to, const TraversalOptions& options);
  AdjacencyStatus status() const;
  void unload();

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

/// The graphs of one database, by space. What it refers to must outlive it.
/// Thread safety: any thread.
class Adjacencies {
 public:
  Adjacencies(storage::Database& database, core::Environment& environment,
              const AdjacencyOptions& options)
      : database_(database), environment_(environment), options_(options) {}

  /// Lives as long as this.
  Adjacency& of(const std::string& space);

 private:
  storage::Database& database_;
  core::Environment& environment_;
  AdjacencyOptions options_;
  std::mutex mutex_;
  std::map<std::string, Adjacency> by_space_;
};

}  // namespace graph
}  // namespace holdfast
