#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "vector_array.h"

namespace holdfast::vectors {

/// How a graph is built.
struct HnswParameters {
  int m = 16;                 ///< neighbours of a slot on upper levels, twice as many on the lowest
  int ef_construction = 100;  ///< candidates that a new slot's neighbours are chosen from
  std::uint64_t seed = 1;     ///< of the slots' levels and of the order in which they are added
  bool operator==(const HnswParameters&) const = default;
};

inline constexpr int kHnswMMin = 2;
inline constexpr int kHnswMMax = 64;
inline constexpr int kEfConstructionMax = 10'000;

/// Called now and then by the thread that called add(), with how many slots are in. False stops.
using BuildControl = std::function<bool(std::size_t done)>;

/// A hierarchical navigable small world graph over the slots of a VectorArray. It knows slots and
/// their neighbours only: the array is passed along. It can be copied, and the copy added to while
/// the other is searched.
///
/// Of slots with equal vectors one has edges, and the others hang on it in a chain: a thousand
/// equal vectors with edges would be each other's nearest neighbours, an island that no search
/// leaves.
/// Thread safety: any number of readers, or one add().
class HnswGraph {
 public:
  /// Throws InvalidArgument when a parameter is out of range.
  explicit HnswGraph(const HnswParameters& parameters);
  /// From what the raw accessors once gave. Throws Corrupt for anything a search would trip over.
  HnswGraph(const HnswParameters& parameters, std::span<const std::int32_t> raw_levels,
            std::span<const std::int32_t> raw_neighbors, std::int32_t entry_point);
  /// The same without a copy.
  HnswGraph(const HnswParameters& parameters, std::vector<std::int32_t>&& raw_levels,
            std::vector<std::int32_t>&& raw_neighbors, std::int32_t entry_point);

  const HnswParameters& parameters() const { return parameters_; }
  std::size_t size() const { return levels_.size(); }
  /// Of memory, including what is reserved.
  std::size_t bytes() const;

  /// Adds the array's slots from size() to `last` - 1. The same calls in the same order with one
  /// thread make the same graph to the last bit. False when `control` stopped it, and then the
  /// graph, as after an exception, is only good for being destroyed.
  bool add(const VectorArray& array, std::size_t last, std::size_t threads = 1,
           const BuildControl& control = {});

  bool empty() const { return levels_.empty(); }
  /// Where searches begin; the graph is not empty.
  Slot entry_point() const { return static_cast<Slot>(entry_point_); }
  /// The uppermost level there is, from 0.
  int max_level() const { return max_level_; }
  int level(Slot slot) const { return levels_[slot] - 1; }
  /// Of a slot on a level that it is on; a negative number stands behind the last one.
  std::span<const std::int32_t> neighbors(Slot slot, int level) const {
    const auto m = static_cast<std::size_t>(parameters_.m);
    const std::int32_t* const begin = neighbors_.data() + offsets_[slot];
    if (level == 0) return {begin, 2 * m};
    return {begin + static_cast<std::size_t>(level + 1) * m, m};
  }
  /// The next slot with an equal vector, or -1.
  std::int32_t next_equal(Slot slot) const { return equal_of(neighbors(slot, 0).back()); }

  /// For each slot, how many levels it is on.
  std::span<const std::int32_t> raw_levels() const { return levels_; }
  /// Slot by slot: 2m neighbours on level 0, then m on each further level; -1 for none. The last
  /// place of level 0 may hold -2 - slot instead, for the next slot with an equal vector.
  std::span<const std::int32_t> raw_neighbors() const { return neighbors_; }
  /// -1 for an empty graph.
  std::int32_t raw_entry_point() const { return entry_point_; }

 private:
  class Growing;
  static constexpr std::int32_t equal_of(std::int32_t entry) {
    return entry <= -2 ? -2 - entry : -1;
  }
  std::vector<bool> check_equals() const;
  void check_neighbors(const std::vector<bool>& follows) const;
  void append_slots(std::size_t last);
  std::vector<Slot> order_of(std::size_t first) const;

  HnswParameters parameters_;
  std::vector<std::int32_t> levels_;
  std::vector<std::size_t> offsets_{0};  ///< of each slot in neighbors_, and the end
  std::vector<std::int32_t> neighbors_;
  std::int32_t entry_point_ = -1;
  int max_level_ = -1;  ///< of the entry point
};

}  // namespace holdfast::vectors
