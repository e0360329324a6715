#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace holdfast::vectors {

/// A fixed orthogonal transform for each dimension: it keeps inner products and distances, and
/// spreads a component that stands out over at least half of the others, so that eight bits do
/// for all of them. Two Walsh-Hadamard transforms with pseudo-random signs, over the first and over
/// the last 2^n components, 2^n being the largest power of two that the dimension holds.
/// Thread safety: immutable.
class Rotation {
 public:
  explicit Rotation(std::size_t dimension);
  /// In place; `vector` has the dimension's components.
  void apply(std::span<float> vector) const;

 private:
  std::size_t block_;
  std::vector<float> signs_;  ///< of the first round, then of the second; each with 1/sqrt(2^n)
};

}  // namespace holdfast::vectors
