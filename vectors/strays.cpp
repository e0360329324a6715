#include "strays.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <numeric>

#include "graph_search.h"

namespace holdfast::vectors {
namespace {

bool is_found(const HnswGraph& graph, const VectorArray& array, SearchWorkspace& work,
              std::size_t ef, Slot slot) {
  work.query.prepare(array, slot);
  bool met = false;
  const auto note = [&met, slot](Slot accepted) {
    met = met || accepted == slot;
    return true;
  };
  const LevelEdges edges(graph, 0);
  LevelSearch search(edges, array, graph.size(), work, ef, descend(graph, array, work.query),
                     note);
  while (!met && search.step()) {
  }
  if (met) return true;
  return search.is_full() && work.nearest.front().distance <= work.query.comparable(array, slot);
}

/// Marks what can be reached from the entry point, by level 0 or by any level on the way down.
std::vector<bool> reachable(const HnswGraph& graph) {
  std::vector<bool> reached(graph.size());
  if (graph.empty()) return reached;
  std::vector<Slot> open{graph.entry_point()};
  reached[graph.entry_point()] = true;
  while (!open.empty()) {
    const Slot at = open.back();
    open.pop_back();
    const auto reach = [&](Slot slot) {
      if (reached[slot]) return;
      reached[slot] = true;
      open.push_back(slot);
    };
    LevelEdges(graph, 0).for_each_equal(at, reach);
    for (int level = 0; level <= graph.level(at); ++level) {
      LevelEdges(graph, level).for_each(at, reach);
    }
  }
  return reached;
}

}  // namespace

std::vector<Slot> find_strays(const HnswGraph& graph, const VectorArray& array, std::size_t ef,
                              std::span<const Slot> suspects, std::size_t threads) {
  std::vector<char> is_stray(suspects.size(), 0);
  constexpr std::size_t kAtOnce = 256;
  std::atomic<std::size_t> next = 0;
  const auto look = [&] {
    SearchWorkspace work(array);
    for (std::size_t first = next.fetch_add(kAtOnce); first < suspects.size();
         first = next.fetch_add(kAtOnce)) {
      const std::size_t end = std::min(first + kAtOnce, suspects.size());
      for (std::size_t i = first; i < end; ++i) {
        is_stray[i] = is_found(graph, array, work, ef, suspects[i]) ? 0 : 1;
      }
    }
  };
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < threads; ++i) {
    others.push_back(std::async(std::launch::async, look));
  }
  look();
  for (std::future<void>& other : others) other.get();
  std::vector<Slot> strays;
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    if (is_stray[i] != 0) strays.push_back(suspects[i]);
  }
  return strays;
}

std::vector<Slot> find_strays(const HnswGraph& graph, const VectorArray& array, std::size_t ef,
                              std::size_t threads) {
  std::vector<Slot> all(graph.size());
  std::iota(all.begin(), all.end(), Slot{0});
  return find_strays(graph, array, ef, all, threads);
}

std::vector<Slot> find_suspects(const HnswGraph& before, const HnswGraph& after) {
  std::vector<bool> is_well = reachable(after);
  std::fill(is_well.begin() + static_cast<std::ptrdiff_t>(before.size()), is_well.end(), false);
  for (Slot slot = 0; slot < before.size(); ++slot) {
    for (int level = 0; level <= before.level(slot); ++level) {
      const auto now = after.neighbors(slot, level);
      LevelEdges(before, level).for_each(slot, [&](Slot neighbor) {
        const auto number = static_cast<std::int32_t>(neighbor);
        if (std::find(now.begin(), now.end(), number) == now.end()) is_well[neighbor] = false;
      });
    }
  }
  std::vector<Slot> suspects;
  for (Slot slot = 0; slot < after.size(); ++slot) {
    if (!is_well[slot]) suspects.push_back(slot);
  }
  return suspects;
}

}  // namespace holdfast::vectors
