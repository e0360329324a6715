#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels.h"
#include "vector_array.h"

namespace holdfast::vectors {

/// A vector in the form in which it is compared with the slots of arrays of one dimension, metric
/// and form. Preparing another reuses the memory.
/// Thread safety: none; one for each thread.
class PreparedQuery {
 public:
  /// `array` says dimension, metric and form, and must outlive the query. Others of the same may be
  /// searched with it too.
  explicit PreparedQuery(const VectorArray& array);

  /// `vector` has the dimension's components and fits().
  void prepare(std::span<const float> vector);
  /// The vector of a slot: the same to the last bit as preparing the vector that was added.
  void prepare(const VectorArray& array, Slot slot);

  /// What distances are compared by: the distance itself, or for l2 its square. Exact for floats;
  /// an estimate from codes, which may lie a little beyond the metric's bounds. Never NaN.
  float comparable(const VectorArray& array, Slot slot) const;

  /// Begins to load the slot's vector into the cache.
  static void prefetch(const VectorArray& array, Slot slot);

  Metric metric() const { return metric_; }

 private:
  const VectorArray& like_;
  Metric metric_;
  Form form_;
  Factors factors_;
  std::vector<float> floats_;  ///< the vector, for floats; else what encoding works in
  std::vector<std::uint8_t> unsigned_codes_;
  std::vector<std::int8_t> codes_;
};

/// Of the inner product of two vectors, by their signed codes' inner product.
inline float comparable_of(Metric metric, std::int32_t dot, const Factors& a, const Factors& b) {
  const float product = static_cast<float>(dot) * (a.scale * b.scale);
  switch (metric) {
    case Metric::cosine: return 1 - product;
    case Metric::ip: return -product;
    case Metric::l2: return (a.squared_norm + b.squared_norm) - 2 * product;
  }
  return 0;
}

inline float comparable_of(Metric metric, const float* a, const float* b, std::size_t dimension,
                           float scales) {
  if (metric == Metric::l2) return kernels.squared_l2(a, b, dimension);
  const float dot = kernels.dot(a, b, dimension);
  return metric == Metric::ip ? -dot : std::clamp(1 - dot * scales, 0.0F, 2.0F);
}

inline float PreparedQuery::comparable(const VectorArray& array, Slot slot) const {
  const Factors& theirs = array.factors(slot);
  if (form_ == Form::floats) {
    return comparable_of(metric_, array.floats(slot), floats_.data(), floats_.size(),
                         theirs.scale * factors_.scale);
  }
  const std::int32_t dot = kernels.dot_codes(array.codes(slot), codes_.data(), codes_.size());
  return comparable_of(metric_, dot - 128 * factors_.sum, theirs, factors_);
}

inline void PreparedQuery::prefetch(const VectorArray& array, Slot slot) {
  constexpr std::size_t kLine = 64;
  const std::uint8_t* const from = array.codes(slot);
  for (std::size_t at = 0; at < array.stride(); at += kLine) __builtin_prefetch(from + at);
  __builtin_prefetch(&array.factors(slot));
}

}  // namespace holdfast::vectors
