#include "hnsw_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <holdfast/core/error.h>

namespace holdfast::vectors {
namespace {

/// With m = 2, one slot in 2^32 would be on as many levels.
constexpr int kLevelsMax = 32;

std::uint64_t scrambled(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15U;
  number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31U);
}

/// A slot's levels depend on nothing but slot and seed, so that a graph that grows in steps has
/// those of one that was built at once.
std::int32_t levels_of(Slot slot, const HnswParameters& parameters) {
  const std::uint64_t drawn = scrambled(scrambled(parameters.seed) ^ slot);
  const double share = (static_cast<double>(drawn >> 11U) + 1) * 0x1p-53;  // 0 < share <= 1
  const double level = -std::log(share) / std::log(static_cast<double>(parameters.m));
  return 1 + static_cast<std::int32_t>(std::min(level, double{kLevelsMax - 1}));
}

std::size_t width(std::int32_t levels, int m) {
  return static_cast<std::size_t>(levels + 1) * static_cast<std::size_t>(m);
}

void require(bool holds, const char* field, std::int64_t value, const std::string& rule) {
  if (!holds) throw InvalidArgument(field, std::to_string(value), rule);
}

[[noreturn]] void refuse(const std::string& what) { throw Corrupt("kept graph: " + what); }

}  // namespace

HnswGraph::HnswGraph(const HnswParameters& parameters) : parameters_(parameters) {
  require(parameters.m >= kHnswMMin && parameters.m <= kHnswMMax, "m", parameters.m,
          "be 2 to 64");
  require(parameters.ef_construction >= 1 && parameters.ef_construction <= kEfConstructionMax,
          "ef_construction", parameters.ef_construction, "be 1 to 10,000");
}

HnswGraph::HnswGraph(const HnswParameters& parameters, std::span<const std::int32_t> raw_levels,
                     std::span<const std::int32_t> raw_neighbors, std::int32_t entry_point)
    : HnswGraph(parameters, std::vector<std::int32_t>(raw_levels.begin(), raw_levels.end()),
                std::vector<std::int32_t>(raw_neighbors.begin(), raw_neighbors.end()),
                entry_point) {}

HnswGraph::HnswGraph(const HnswParameters& parameters, std::vector<std::int32_t>&& raw_levels,
                     std::vector<std::int32_t>&& raw_neighbors, std::int32_t entry_point)
    : HnswGraph(parameters) {
  const std::size_t count = raw_levels.size();
  if (count > std::numeric_limits<std::int32_t>::max()) refuse("too many slots");
  offsets_.reserve(count + 1);
  for (const std::int32_t levels : raw_levels) {
    if (levels < 1 || levels > kLevelsMax) refuse("a level is out of range");
    offsets_.push_back(offsets_.back() + width(levels, parameters.m));
  }
  if (raw_neighbors.size() != offsets_.back()) refuse("lengths do not match");
  const bool entry_is_there =
      count == 0 ? entry_point == -1
                 : entry_point >= 0 && static_cast<std::size_t>(entry_point) < count;
  if (!entry_is_there) refuse("the entry point is out of range");
  levels_ = std::move(raw_levels);
  neighbors_ = std::move(raw_neighbors);
  entry_point_ = entry_point;
  if (count > 0) max_level_ = level(this->entry_point());
  check_neighbors(check_equals());
}

/// Every chain of equals has a beginning and an end. Marks who hangs on another.
std::vector<bool> HnswGraph::check_equals() const {
  std::vector<bool> follows(size());
  std::size_t following = 0;
  for (Slot slot = 0; slot < size(); ++slot) {
    const std::int32_t next = next_equal(slot);
    if (next < 0) continue;
    if (static_cast<std::size_t>(next) >= size()) refuse("an equal is out of range");
    if (follows[static_cast<std::size_t>(next)]) refuse("a slot follows two equals");
    follows[static_cast<std::size_t>(next)] = true;
    ++following;
  }
  for (Slot slot = 0; slot < size(); ++slot) {
    if (follows[slot]) continue;
    for (std::int32_t next = next_equal(slot); next >= 0;
         next = next_equal(static_cast<Slot>(next))) {
      --following;
    }
  }
  if (following != 0) refuse("equals follow each other in a circle");
  if (!empty() && follows[entry_point()]) refuse("the entry point hangs on an equal");
  return follows;
}

void HnswGraph::check_neighbors(const std::vector<bool>& follows) const {
  const auto count = static_cast<std::int64_t>(size());
  for (Slot slot = 0; slot < count; ++slot) {
    for (int on = 0; on < levels_[slot]; ++on) {
      const auto list = neighbors(slot, on);
      for (const std::int32_t& neighbor : list) {
        if (neighbor == -1) continue;
        if (neighbor < -1) {
          if (on > 0 || &neighbor != &list.back()) refuse("an equal is out of place");
          continue;
        }
        if (neighbor >= count) refuse("a neighbour is out of range");
        // Its neighbours on this level are read next.
        if (level(static_cast<Slot>(neighbor)) < on) refuse("a neighbour is not on its level");
        // A search would meet it twice.
        if (follows[static_cast<Slot>(neighbor)]) refuse("a neighbour hangs on an equal");
      }
    }
  }
}

std::size_t HnswGraph::bytes() const {
  return levels_.capacity() * sizeof(levels_[0]) + offsets_.capacity() * sizeof(offsets_[0]) +
         neighbors_.capacity() * sizeof(neighbors_[0]);
}

void HnswGraph::append_slots(std::size_t last) {
  if (last > std::numeric_limits<std::int32_t>::max()) {
    throw Full("a graph holds at most 2^31 - 1 vectors");
  }
  levels_.reserve(last);
  offsets_.reserve(last + 1);
  for (auto slot = static_cast<Slot>(size()); slot < last; ++slot) {
    levels_.push_back(levels_of(slot, parameters_));
    offsets_.push_back(offsets_.back() + width(levels_.back(), parameters_.m));
  }
  neighbors_.reserve(offsets_.back());  // exactly, where resize() alone might double it
  neighbors_.resize(offsets_.back(), -1);
}

std::vector<Slot> HnswGraph::order_of(std::size_t first) const {
  std::vector<Slot> order;
  order.reserve(size() - first);
  for (auto slot = static_cast<Slot>(first); slot < size(); ++slot) order.push_back(slot);
  // Upper levels first, so that the way down is there; otherwise mixed, because vectors often come
  // sorted by subject, and a graph grown so is a worse one.
  std::vector<std::uint64_t> rank(order.size());
  for (const Slot slot : order) rank[slot - first] = scrambled(parameters_.seed + 1 + slot);
  std::sort(order.begin(), order.end(), [&](Slot a, Slot b) {
    if (levels_[a] != levels_[b]) return levels_[a] > levels_[b];
    if (rank[a - first] != rank[b - first]) return rank[a - first] < rank[b - first];
    return a < b;
  });
  return order;
}

}  // namespace holdfast::vectors
