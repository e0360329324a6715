#pragma once

// Thread safety: values any thread; functions that of the transaction, one thread at a time.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/id.h>
#include <holdfast/core/revision.h>
#include <holdfast/graph/edge.h>
#include <holdfast/storage/transaction.h>

namespace holdfast {

/// Where the edges come from. The answers are the same.
enum class GraphSource {
  automatic,  ///< memory once it is loaded, which happens when SQL has looked at enough edges
  memory,     ///< loaded now if need be; SQL all the same where memory is off or too small
  sql,
};

struct TraversalOptions {
  /// Edges of a symmetric relation go either way.
  Direction direction = Direction::outgoing;
  std::vector<std::string> relations{};    ///< any of these; all when empty
  std::optional<Timestamp> valid_at{};     ///< only edges that hold then
  unsigned hops_max = 1;                   ///< 1 to 1,000
  std::size_t per_hop_max = 100'000;       ///< entities found at one hop; the rest is cut off
  /// Edges looked at, of the direction and relations asked for, valid or not. Loops lead nowhere
  /// and are not looked at.
  std::uint64_t edges_max = 1'000'000;
  GraphSource source = GraphSource::automatic;
};

/// How far a search went.
struct SearchExtent {
  bool budget_spent = false;  ///< `edges_max` ended it
  unsigned capped_hop = 0;    ///< the first hop that `per_hop_max` cut; 0: none
  std::uint64_t edges_seen = 0;
  Sequence seq = 0;           ///< of the journal: what the answer reflects
  GraphSource answered_by = GraphSource::sql;

  /// Whether nothing within `hops_max` was left out.
  bool complete() const { return !budget_spent && capped_hop == 0; }
};

/// An entity, and the edge that first reached it.
struct Reached {
  EntityId entity;
  unsigned depth = 0;  ///< hops from the nearest start, from 1
  EdgeId via;
  EntityId from;       ///< the other end of `via`
  bool operator==(const Reached&) const = default;
};

struct Traversal : SearchExtent {
  std::vector<Reached> reached;  ///< in the order they were met; without the starts
};

struct ReachCount : SearchExtent {
  std::uint64_t entities = 0;
};

enum class PathOutcome {
  found,
  none,     ///< there is no path of at most `hops_max` hops
  unknown,  ///< none was met before the budget was spent or a hop was cut
};

std::string_view to_string(PathOutcome outcome);

struct PathStep {
  EdgeId edge;
  EntityId from;
  EntityId to;
  bool operator==(const PathStep&) const = default;
};

/// Of a path found after a hop was cut, it is not known whether a shorter one was cut off.
struct Path : SearchExtent {
  PathOutcome outcome = PathOutcome::unknown;
  std::vector<PathStep> steps;  ///< from the start to the goal; none when they are one entity
};

namespace graph {

/// The options in stored form: relations as NFC, in byte order, each once. Throws InvalidArgument.
TraversalOptions normalised(TraversalOptions options);

/// The answers from SQL, which Space::traverse() and its like describe; `options` are
/// normalised().
Traversal traverse(storage::Transaction& transaction, std::string_view space,
                   std::span<const EntityId> starts, const TraversalOptions& options);
std::vector<ReachCount> count_reachable(storage::Transaction& transaction, std::string_view space,
                                        std::span<const EntityId> starts,
                                        const TraversalOptions& options);
Path shortest_path(storage::Transaction& transaction, std::string_view space, EntityId from,
                   EntityId to, const TraversalOptions& options);

}  // namespace graph
}  // namespace holdfast
