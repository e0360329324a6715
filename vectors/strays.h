#pragma once

#include <cstddef>
#include <vector>

#include "hnsw_graph.h"

namespace holdfast::vectors {

/// Slots that a search at `ef` for their own vector does not find, ascending: it returns neither the
/// slot nor `ef` others that are no farther. Found are all such slots of the whole graph as it is.
std::vector<Slot> find_strays(const HnswGraph& graph, const VectorArray& array, std::size_t ef,
                              std::size_t threads = 1);

}  // namespace holdfast::vectors
