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

  void expect_soon(Node node) const {
    for (const End end : kEnds) {
      if (!followed(end).none()) arrays_.expect_soon(end, node);
    }
  }
  void expect_next(Node node) const {
    for (const End end : kEnds) {
      if (!followed(end).none()) arrays_.expect_next(end, node);
    }
  }

  template <class Visit>
  bool visit(Node node, const Visit& visit_edges) const {
    return visit_side(End::out, node, visit_edges) && visit_side(End::in, node, visit_edges);
  }

 private:
  using Relations = Followed<RelationCode>;
  static constexpr End kEnds[] = {End::out, End::in};
  const Relations& followed(End end) const { return sides_[static_cast<std::size_t>(end)]; }

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
  bool visit_side(End end, Node node, const Visit& visit_edges) const {
    const Relations& relations = followed(end);
    if (relations.none()) return true;
    const EdgeRow row = arrays_.row(end, node);
    if (relations.all) return visit_edges(row.ends, row.slots, row.size);
    for (const RelationCode relation : relations.some) {
      const std::uint32_t first = first_of(row, relation);
      std::uint32_t last = first;
      while (last < row.size && arrays_.relation(row.slots[last]) == relation) ++last;
      if (!visit_edges(row.ends + first, row.slots + first, last - first)) return false;
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
