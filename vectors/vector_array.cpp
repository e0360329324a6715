#include "vector_array.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <holdfast/core/error.h>

#include "kernels.h"
#include "prepared_query.h"

namespace holdfast::vectors {
namespace {

constexpr double kSquaredNormMax = 1e37;
/// What no vector that fits() exceeds: its largest component / 127, and a little for rounding.
constexpr float kScaleMax = 1e17F;
/// 1 / the norm of a vector that is not enlarged.
constexpr float kInverseNormMax = 1e14F;

double squared_norm(std::span<const float> vector) {
  double sum = 0;
  for (const float component : vector) sum += double{component} * double{component};
  return sum;
}

bool is_enlarged(Metric metric, double squared) {
  return metric == Metric::cosine && squared < double{kSquaredNormSmall};
}

float largest(std::span<const float> vector) {
  float most = 0;
  for (const float component : vector) most = std::max(most, std::abs(component));
  return most;
}

[[noreturn]] void refuse(const std::string& what) { throw Corrupt("kept vectors: " + what); }

void check(const Factors& factors, Form form) {
  const float scale_max = form == Form::codes ? kScaleMax : kInverseNormMax;
  if (!(factors.scale >= 0 && factors.scale <= scale_max)) refuse("a scale is out of range");
  if (!(factors.squared_norm >= 0 && double{factors.squared_norm} <= kSquaredNormMax * 1.0001)) {
    refuse("a norm is out of range");
  }
}

}  // namespace

bool fits(std::span<const float> vector) {
  const double squared = squared_norm(vector);
  return squared <= kSquaredNormMax;  // false for NaN
}

float to_distance(Metric metric, float comparable) {
  return metric == Metric::l2 ? std::sqrt(std::max(comparable, 0.0F)) : comparable;
}

Factors keep_floats(Metric metric, std::span<const float> vector, std::span<float> to) {
  const double squared = squared_norm(vector);
  const float by = is_enlarged(metric, squared) ? kEnlarge : 1;
  std::transform(vector.begin(), vector.end(), to.begin(), [by](float x) { return x * by; });
  return {.scale = metric == Metric::cosine ? inverse_norm(to) : 1,
          .squared_norm = static_cast<float>(squared),
          .sum = 0};
}

VectorArray::VectorArray(std::size_t dimension, Metric metric, Form form)
    : dimension_(dimension),
      metric_(metric),
      form_(form),
      stride_(form == Form::codes ? dimension : dimension * sizeof(float)),
      rotation_(dimension),
      work_(dimension) {}

VectorArray::VectorArray(std::size_t dimension, Metric metric, Form form,
                         std::span<const std::byte> raw_vectors,
                         std::span<const Factors> raw_factors)
    : VectorArray(dimension, metric, form, AlignedBytes(raw_vectors.begin(), raw_vectors.end()),
                  std::vector<Factors>(raw_factors.begin(), raw_factors.end())) {}

VectorArray::VectorArray(std::size_t dimension, Metric metric, Form form,
                         AlignedBytes&& raw_vectors, std::vector<Factors>&& raw_factors)
    : VectorArray(dimension, metric, form) {
  if (raw_factors.size() > std::numeric_limits<std::int32_t>::max()) refuse("too many");
  if (raw_vectors.size() != raw_factors.size() * stride_) refuse("lengths do not match");
  for (const Factors& factors : raw_factors) check(factors, form);
  vectors_ = std::move(raw_vectors);
  factors_ = std::move(raw_factors);
  for (Slot slot = 0; slot < size(); ++slot) {
    if (form_ == Form::floats) {
      if (!fits({floats(slot), dimension_})) refuse("a component is out of range");
      continue;
    }
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < dimension_; ++i) sum += codes(slot)[i] - 128;
    if (sum != factors_[slot].sum) refuse("a sum is not that of its codes");
  }
}

std::size_t VectorArray::bytes() const {
  return vectors_.capacity() + factors_.capacity() * sizeof(Factors);
}

void VectorArray::reserve(std::size_t count) {
  vectors_.reserve(count * stride_);
  factors_.reserve(count);
}

void VectorArray::grow() {
  if (size() == factors_.capacity()) reserve(size() + std::max<std::size_t>(size() / 4, 16));
  vectors_.resize((size() + 1) * stride_);
}

Slot VectorArray::add(std::span<const float> vector) {
  grow();
  const auto slot = static_cast<Slot>(size());
  std::byte* const to = vectors_.data() + slot * stride_;
  if (form_ == Form::floats) {
    const std::span<float> floats(reinterpret_cast<float*>(to), dimension_);
    factors_.push_back(keep_floats(metric_, vector, floats));
  } else {
    factors_.push_back(
        encode(vector, work_, {reinterpret_cast<std::uint8_t*>(to), dimension_}));
  }
  return slot;
}

Slot VectorArray::add_from(const VectorArray& other, Slot slot) {
  grow();
  const auto added = static_cast<Slot>(size());
  std::memcpy(vectors_.data() + added * stride_, other.vectors_.data() + slot * stride_, stride_);
  factors_.push_back(other.factors_[slot]);
  return added;
}

bool VectorArray::are_equal(Slot a, Slot b) const {
  if (factors_[a].scale != factors_[b].scale) return false;
  if (metric_ == Metric::l2 && factors_[a].squared_norm != factors_[b].squared_norm) return false;
  return std::memcmp(codes(a), codes(b), stride_) == 0;
}

float VectorArray::comparable(Slot a, Slot b) const {
  if (form_ == Form::floats) {
    return comparable_of(metric_, floats(a), floats(b), dimension_,
                         factors_[a].scale * factors_[b].scale);
  }
  const std::int32_t dot = kernels.dot_code_pair(codes(a), codes(b), dimension_);
  return comparable_of(metric_, dot - 128 * factors_[b].sum, factors_[a], factors_[b]);
}

Factors VectorArray::encode(std::span<const float> vector, std::span<float> work,
                            std::span<std::uint8_t> codes) const {
  const double squared = squared_norm(vector);
  double by = 1;
  if (metric_ == Metric::cosine && squared > 0) by = 1 / std::sqrt(squared);
  std::transform(vector.begin(), vector.end(), work.begin(),
                 [by](float x) { return static_cast<float>(x * by); });
  rotation_.apply(work);
  Factors factors{.scale = 0, .squared_norm = static_cast<float>(squared), .sum = 0};
  const float unit = largest(work) / 127;
  if (unit < std::numeric_limits<float>::min()) {
    std::fill(codes.begin(), codes.end(), std::uint8_t{128});
    return factors;
  }
  const float inverse = 1 / unit;
  double self = 0;  // the inner product of vector and codes
  for (std::size_t i = 0; i < work.size(); ++i) {
    const float code = std::clamp(std::nearbyint(work[i] * inverse), -127.0F, 127.0F);
    codes[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(code) + 128);
    factors.sum += static_cast<std::int32_t>(code);
    self += double{work[i]} * double{code};
  }
  factors.scale = static_cast<float>((metric_ == Metric::cosine ? 1 : squared) / self);
  return factors;
}

}  // namespace holdfast::vectors
