#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hnsw_graph.h"

namespace holdfast::vectors {

/// Those of `suspects` that a search of the graph for their own vector misses at `ef`: it returns
/// neither the slot nor `ef` slots that are no farther. In their order.
///
/// A slot that is not missed at `ef` is not missed at a greater one, nor by a search with a
/// predicate that accepts the slot: each looks at all that this search looks at, and more. Costs
/// about a third of a search for each suspect, since it ends as soon as it meets the slot.
std::vector<Slot> find_strays(const HnswGraph& graph, const VectorArray& array, std::size_t ef,
                              std::span<const Slot> suspects, std::size_t threads = 1);

/// The same among all slots: what is not in the answer is certain to be found.
std::vector<Slot> find_strays(const HnswGraph& graph, const VectorArray& array, std::size_t ef,
                              std::size_t threads = 1);

/// Slots of `after`, a copy of `before` that was added to, that may have become strays: those that
/// are new, that lost an edge towards them, or that no path leads to. Ascending. The others can all
/// be reached, but it is not certain that a search still takes the way that it took to them.
std::vector<Slot> find_suspects(const HnswGraph& before, const HnswGraph& after);

}  // namespace holdfast::vectors
