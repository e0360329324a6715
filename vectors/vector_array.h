#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <holdfast/vectors/metric.h>

namespace holdfast::vectors {

/// A vector's place in an array or graph.
using Slot = std::uint32_t;

/// How vectors are kept in memory.
enum class Form {
  codes,   ///< 8 bits a component: distances are estimates, to be made exact from the rows
  floats,  ///< as they are: distances are exact
};

/// Vectors by slot, as the index keeps them. They are only ever added.
/// Thread safety: any number of readers, or one add().
class VectorArray {
 public:
  VectorArray(std::size_t dimension, Metric metric, Form form);

  std::size_t dimension() const { return dimension_; }
  Metric metric() const { return metric_; }
  Form form() const { return form_; }
  std::size_t size() const;
  std::size_t bytes() const;

  /// `vector` has `dimension` finite components.
  Slot add(std::span<const float> vector);
  /// Adds a slot of another array of the same dimension, metric and form as it is there.
  Slot add_from(const VectorArray& other, Slot slot);
  void reserve(std::size_t count);

 private:
  std::size_t dimension_;
  Metric metric_;
  Form form_;
};

}  // namespace holdfast::vectors
