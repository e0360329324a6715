#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include <holdfast/graph/traversal.h>

#include "graph_arrays.h"
#include "search.h"

namespace holdfast::graph {

/// A graph in memory for search(). Thread safety: any thread, while the arrays do not change.
class MemoryGraph {
 public:
  static constexpr bool kGrows = false;
  using Via = Slot;

  MemoryGraph(const GraphArrays& arrays, const TraversalOptions& options)
      : arrays_(arrays), sides_(sides(arrays, options)) {}

  EntityId entity(Node node) const { return arrays_.entity(node); }
  std::size_t nodes() const { return arrays_.nodes(); }
  EdgeId edge(Slot slot) const { return arrays_.edge(slot); }
  static Slot via(Slot slot) { return slot; }
  bool holds(Slot slot, std::int64_t time) const { return arrays_.holds(slot, time); }

  template <class Visit>
  bool visit(Node node, const Visit& visit_edge) const {
    return visit_side(End::out, node, visit_edge) && visit_side(End::in, node, visit_edge);
  }

 private:
  using Relations = Followed<RelationCode>;

  static std::array<Relations, 2> sides(const GraphArrays& arrays,
                                        const TraversalOptions& options) {
    std::vector<RelationCode> wanted;
    for (const std::string& relation : options.relations) {
      // One that no edge has ever had leads nowhere.
      if (const auto code = arrays.code(relation)) wanted.push_back(*code);
    }
    return followed_sides(options.direction, options.relations.empty() ? nullptr : &wanted,
                          arrays.symmetric());
  }

  template <class Visit>
  bool visit_side(End end, Node node, const Visit& visit_edge) const {
    const Relations& followed = sides_[static_cast<std::size_t>(end)];
    if (followed.none()) return true;
    const EdgeRow row = arrays_.row(end, node);
    if (followed.all) {
      for (std::uint32_t at = 0; at < row.size; ++at) {
        if (!visit_edge(row.ends[at], row.slots[at])) return false;
      }
      return true;
    }
    for (const RelationCode relation : followed.some) {
      for (std::uint32_t at = first_of(row, relation);
           at < row.size && arrays_.relation(row.slots[at]) == relation; ++at) {
        if (!visit_edge(row.ends[at], row.slots[at])) return false;
      }
    }
    return true;
  }

  /// Where the relation's edges begin in a row, if it has any.
  std::uint32_t first_of(const EdgeRow& row, RelationCode relation) const {
    const Slot* const end = row.slots + row.size;
    const auto is_it = [&](Slot slot) { return arrays_.relation(slot) == relation; };
    constexpr std::uint32_t kShort = 16;
    if (row.size <= kShort) {
      return static_cast<std::uint32_t>(std::find_if(row.slots, end, is_it) - row.slots);
    }
    const std::string& name = arrays_.name(relation);
    const auto is_before = [&](Slot slot, RelationCode wanted) {
      const RelationCode here = arrays_.relation(slot);
      return here != wanted && arrays_.name(here) < name;
    };
    return static_cast<std::uint32_t>(std::lower_bound(row.slots, end, relation, is_before) -
                                      row.slots);
  }

  const GraphArrays& arrays_;
  std::array<Relations, 2> sides_;
};

}  // namespace holdfast::graph
