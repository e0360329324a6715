#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <vector>

#include "support/clustered.h"
#include "vectors/flat_scan.h"
#include "vectors/graph_search.h"

namespace holdfast::vectors {

using Rows = std::vector<float>;

inline VectorArray array_of(const Rows& rows, std::size_t dimension, Metric metric, Form form) {
  VectorArray array(dimension, metric, form);
  array.reserve(rows.size() / dimension);
  for (std::size_t i = 0; i < rows.size() / dimension; ++i) {
    array.add(tests::row(rows, dimension, i));
  }
  return array;
}

/// The nearest of `found` by the metric itself.
inline std::vector<Candidate> reranked(std::span<const Candidate> found, const Rows& rows,
                                       std::span<const float> query, Metric metric,
                                       std::size_t count) {
  std::vector<Candidate> kept;
  Nearest nearest(count, kept);
  for (const Candidate& one : found) {
    nearest.offer({distance(metric, query, tests::row(rows, query.size(), one.slot)), one.slot});
  }
  nearest.finish();
  return kept;
}

/// The share of the true nearest that is among `found`; whatever is no farther counts as well.
inline double recall(std::span<const Candidate> found, std::span<const Candidate> exact) {
  std::size_t hits = 0;
  for (const Candidate& one : found) hits += one.distance <= exact.back().distance ? 1 : 0;
  return static_cast<double>(hits) / static_cast<double>(exact.size());
}

}  // namespace holdfast::vectors
