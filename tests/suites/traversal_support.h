#pragma once

#include <span>
#include <string>
#include <vector>

#include "suites/support.h"

namespace holdfast::test {

inline TraversalOptions hops(unsigned hops_max, Direction direction = Direction::outgoing) {
  TraversalOptions options;
  options.hops_max = hops_max;
  options.direction = direction;
  return options;
}

/// What both sources must agree on.
inline std::string extent_of(const SearchExtent& extent) {
  return "seq " + std::to_string(extent.seq) + " seen " + std::to_string(extent.edges_seen) +
         " capped " + std::to_string(extent.capped_hop) + (extent.budget_spent ? " spent" : "");
}

/// Asks a space through SQL and through memory, and demands one answer.
class BothWays {
 public:
  explicit BothWays(const Space& space) : space_(space) {}

  Traversal traverse(std::span<const EntityId> starts, TraversalOptions options) const {
    const auto ask = [&](GraphSource source) {
      options.source = source;
      return space_.traverse(starts, options);
    };
    const Traversal sql = ask(GraphSource::sql);
    const Traversal memory = ask(GraphSource::memory);
    require_sources(sql, memory);
    REQUIRE((sql.reached == memory.reached));
    const ReachCount count = count_only(starts, options);
    if (starts.size() == 1) REQUIRE(count.entities == sql.reached.size());
    return sql;
  }
  Traversal traverse(EntityId start, const TraversalOptions& options) const {
    return traverse(std::span(&start, 1), options);
  }

  Path shortest_path(EntityId from, EntityId to, TraversalOptions options) const {
    const auto ask = [&](GraphSource source) {
      options.source = source;
      return space_.shortest_path(from, to, options);
    };
    const Path sql = ask(GraphSource::sql);
    const Path memory = ask(GraphSource::memory);
    require_sources(sql, memory);
    REQUIRE(sql.outcome == memory.outcome);
    REQUIRE((sql.steps == memory.steps));
    return sql;
  }

 private:
  static void require_sources(const SearchExtent& sql, const SearchExtent& memory) {
    REQUIRE(sql.answered_by == GraphSource::sql);
    REQUIRE(memory.answered_by == GraphSource::memory);
    REQUIRE(extent_of(sql) == extent_of(memory));
  }
  /// Of the first start, from both.
  ReachCount count_only(std::span<const EntityId> starts, TraversalOptions options) const {
    const auto ask = [&](GraphSource source) {
      options.source = source;
      return space_.count_reachable(starts, options).front();
    };
    const ReachCount sql = ask(GraphSource::sql);
    const ReachCount memory = ask(GraphSource::memory);
    require_sources(sql, memory);
    REQUIRE(sql.entities == memory.entities);
    return sql;
  }

  const Space& space_;
};

}  // namespace holdfast::test
