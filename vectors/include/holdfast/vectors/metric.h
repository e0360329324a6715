#pragma once

// Thread safety: values and functions without state; any thread.

#include <span>
#include <string_view>

namespace holdfast {

/// How far two vectors are from each other; smaller is nearer. The definitions are those of
/// pgvector's operators <=>, <#> and <->.
enum class Metric {
  cosine,  ///< 1 - cosine similarity, 0 to 2; 1 when either vector is all zero
  ip,      ///< negative inner product
  l2,      ///< Euclidean distance
};
std::string_view to_string(Metric metric);
/// Throws InvalidArgument(field) for any other word.
Metric parse_metric(std::string_view field, std::string_view text);

namespace vectors {

/// Between two vectors of one dimension, in single precision.
float distance(Metric metric, std::span<const float> a, std::span<const float> b);

}  // namespace vectors
}  // namespace holdfast
