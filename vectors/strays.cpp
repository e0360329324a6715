#include "strays.h"

#include <atomic>
#include <thread>

#include "graph_search.h"

namespace holdfast::vectors {
namespace {

bool finds_itself(const HnswGraph& graph, const VectorArray& array, SearchWorkspace& work,
                  std::size_t ef, Slot slot) {
  work.query.prepare(array, slot);
  const float own = work.query.comparable(array, slot);
  const auto found = search_graph(graph, array, work, ef, AcceptAll{});
  for (const Candidate& one : found) {
    if (one.slot == slot) return true;
  }
  return found.size() == ef && found.back().distance <= to_distance(array.metric(), own);
}

}  // namespace

std::vector<Slot> find_strays(const HnswGraph& graph, const VectorArray& array, std::size_t ef,
                              std::size_t /*threads*/) {
  std::vector<Slot> strays;
  SearchWorkspace work(array);
  for (Slot slot = 0; slot < graph.size(); ++slot) {
    if (!finds_itself(graph, array, work, ef, slot)) strays.push_back(slot);
  }
  return strays;
}

}  // namespace holdfast::vectors
