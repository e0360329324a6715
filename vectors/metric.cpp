#include <holdfast/vectors/metric.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <holdfast/core/error.h>

#include "kernels.h"
#include "vector_array.h"

namespace holdfast {

std::string_view to_string(Metric metric) {
  switch (metric) {
    case Metric::cosine: return "cosine";
    case Metric::ip: return "ip";
    case Metric::l2: return "l2";
  }
  return "";
}

Metric parse_metric(std::string_view field, std::string_view text) {
  for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
    if (text == to_string(metric)) return metric;
  }
  throw InvalidArgument(std::string(field), std::string(text), "be cosine, ip or l2");
}

namespace vectors {
namespace {

bool is_tiny(float squared_norm) { return squared_norm < kSquaredNormSmall; }

std::vector<float> enlarged(std::span<const float> vector) {
  std::vector<float> copy(vector.begin(), vector.end());
  for (float& component : copy) component *= kEnlarge;
  return copy;
}

/// Of vectors that are alike, or opposite, rounding may lead beyond what a distance can be.
float bounded(float cosine) { return std::clamp(1 - cosine, 0.0F, 2.0F); }

float cosine_distance(std::span<const float> a, std::span<const float> b) {
  const float norm_a = kernels.dot(a.data(), a.data(), a.size());
  const float norm_b = kernels.dot(b.data(), b.data(), b.size());
  if (is_tiny(norm_a) || is_tiny(norm_b)) {
    const auto larger_a = is_tiny(norm_a) ? enlarged(a) : std::vector<float>(a.begin(), a.end());
    const auto larger_b = is_tiny(norm_b) ? enlarged(b) : std::vector<float>(b.begin(), b.end());
    const float dot = kernels.dot(larger_a.data(), larger_b.data(), a.size());
    return bounded(dot * (inverse_norm(larger_a) * inverse_norm(larger_b)));
  }
  const float dot = kernels.dot(a.data(), b.data(), a.size());
  return bounded(dot * (1 / std::sqrt(norm_a) * (1 / std::sqrt(norm_b))));
}

}  // namespace

float inverse_norm(std::span<const float> vector) {
  const float squared = kernels.dot(vector.data(), vector.data(), vector.size());
  return squared > 0 ? 1 / std::sqrt(squared) : 0;
}

float distance(Metric metric, std::span<const float> a, std::span<const float> b) {
  switch (metric) {
    case Metric::cosine: return cosine_distance(a, b);
    case Metric::ip: return -kernels.dot(a.data(), b.data(), a.size());
    case Metric::l2: return std::sqrt(kernels.squared_l2(a.data(), b.data(), a.size()));
  }
  return 0;
}

}  // namespace vectors
}  // namespace holdfast
