#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <holdfast/vectors/metric.h>

#include "aligned.h"
#include "rotation.h"

namespace holdfast::vectors {

/// A vector's place in an array or graph.
using Slot = std::uint32_t;

/// How vectors are kept in memory.
enum class Form {
  codes,   ///< 8 bits a component: distances are estimates, to be made exact from the rows
  floats,  ///< as they are: distances are exact
};

/// What is kept of each vector beside its components.
struct Factors {
  /// codes: of the signed codes, 0 for a zero vector. floats: for cosine 1 / norm, else 1.
  float scale = 0;
  float squared_norm = 0;
  std::int32_t sum = 0;  ///< of the signed codes
};

/// Whether arrays and distances take the vector: every component is finite and their squares sum
/// to at most 1e37, so that nothing computed from two vectors overflows.
bool fits(std::span<const float> vector);

/// Vectors whose squared norm is less are multiplied by kEnlarge, a power of two, before cosines
/// are computed, which changes no cosine.
inline constexpr float kSquaredNormSmall = 1e-26F;
inline constexpr float kEnlarge = 0x1p100F;

/// 1 / norm, or 0 for a zero vector.
float inverse_norm(std::span<const float> vector);

/// Copies a vector as arrays of floats keep it.
Factors keep_floats(Metric metric, std::span<const float> vector, std::span<float> to);

/// Vectors by slot, as the index keeps them. They are only ever added.
///
/// A code is a component of the rotated vector (of the normalised one, for cosine) in units of its
/// largest / 127, kept as an unsigned byte, plus 128. The scale is not that unit but the one that
/// makes the inner product with the vector itself exact: so errors grow with the distance between
/// two vectors, and near ones are told apart well.
/// Thread safety: any number of readers, or one add().
class VectorArray {
 public:
  VectorArray(std::size_t dimension, Metric metric, Form form);
  /// From what raw_vectors() and raw_factors() once gave. Throws Corrupt when they are not of one
  /// size or hold anything that no add() writes and a search would trip over.
  VectorArray(std::size_t dimension, Metric metric, Form form,
              std::span<const std::byte> raw_vectors, std::span<const Factors> raw_factors);
  /// The same without a copy.
  VectorArray(std::size_t dimension, Metric metric, Form form, AlignedBytes&& raw_vectors,
              std::vector<Factors>&& raw_factors);

  std::size_t dimension() const { return dimension_; }
  Metric metric() const { return metric_; }
  Form form() const { return form_; }
  std::size_t size() const { return factors_.size(); }
  /// Of memory, including what is reserved.
  std::size_t bytes() const;

  /// `vector` has `dimension` components and fits().
  Slot add(std::span<const float> vector);
  /// Adds a slot of another array of the same dimension, metric and form, byte for byte.
  Slot add_from(const VectorArray& other, Slot slot);
  /// Without it, what is reserved grows by a quarter at a time.
  void reserve(std::size_t count);

  /// Bytes of one vector's components.
  std::size_t stride() const { return stride_; }
  /// `size() * stride()` bytes, vector by vector: unsigned codes or floats of this machine.
  std::span<const std::byte> raw_vectors() const { return {vectors_.data(), size() * stride_}; }
  std::span<const Factors> raw_factors() const { return factors_; }

  const std::uint8_t* codes(Slot slot) const {
    return reinterpret_cast<const std::uint8_t*>(vectors_.data() + slot * stride_);
  }
  const float* floats(Slot slot) const {
    return reinterpret_cast<const float*>(vectors_.data() + slot * stride_);
  }
  const Factors& factors(Slot slot) const { return factors_[slot]; }

  /// Whether every query is as far from one as from the other, to the last bit.
  bool are_equal(Slot a, Slot b) const;
  /// What the distance between two slots is compared by; see PreparedQuery::comparable().
  float comparable(Slot a, Slot b) const;

  /// Writes the vector as this array would keep it; `codes` has `dimension` bytes, `work` as many
  /// floats. For form `codes`.
  Factors encode(std::span<const float> vector, std::span<float> work,
                 std::span<std::uint8_t> codes) const;

 private:
  void grow();

  std::size_t dimension_;
  Metric metric_;
  Form form_;
  std::size_t stride_;
  Rotation rotation_;
  std::vector<float> work_;
  AlignedBytes vectors_;
  std::vector<Factors> factors_;
};

/// The distance that a comparable value stands for.
float to_distance(Metric metric, float comparable);

}  // namespace holdfast::vectors
