#include "hashing_embedder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dimension.h"
#include "hashing_features.h"

namespace holdfast::vectors {
namespace {

/// Weights are whole numbers of 1/1024, so that sums are exact in any order and on any machine; a
/// square root is exactly rounded everywhere, which a logarithm is not.
constexpr double kWordUnit = 1024;
constexpr double kPartUnit = kWordUnit / 4;

void add_weights(std::vector<std::int64_t>& sums, std::vector<std::uint64_t>& hashes,
                 double unit) {
  std::sort(hashes.begin(), hashes.end());
  for (auto at = hashes.begin(); at != hashes.end();) {
    const auto next = std::upper_bound(at, hashes.end(), *at);
    const auto count = static_cast<double>(next - at);
    const auto weight = static_cast<std::int64_t>(std::llround(unit * std::sqrt(count)));
    sums[(*at >> 1U) % sums.size()] += (*at & 1U) != 0 ? weight : -weight;
    at = next;
  }
}

Embedding of_length_one(const std::vector<std::int64_t>& sums) {
  double squares = 0;
  for (const std::int64_t sum : sums) {
    const auto value = static_cast<double>(sum);
    squares += value * value;
  }
  Embedding vector(sums.size(), 0.0F);
  if (squares == 0) return vector;
  const double length = std::sqrt(squares);
  std::transform(sums.begin(), sums.end(), vector.begin(), [length](std::int64_t sum) {
    return static_cast<float>(static_cast<double>(sum) / length);
  });
  return vector;
}

}  // namespace

HashingEmbedder::HashingEmbedder(const HashingEmbedderSpec& spec, std::size_t dimension)
    : spec_(spec), dimension_(dimension) {
  check_embedder_spec(spec);
  check_dimension(dimension);
}

std::vector<Embedding> HashingEmbedder::embed(std::span<const std::string> texts) {
  std::vector<Embedding> vectors;
  vectors.reserve(texts.size());
  for (const std::string& text : texts) vectors.push_back(embed_one(text));
  return vectors;
}

Embedding HashingEmbedder::embed_one(const std::string& text) const {
  HashedFeatures features = hashed_features(text, static_cast<std::size_t>(spec_.gram_min),
                                            static_cast<std::size_t>(spec_.gram_max));
  std::vector<std::int64_t> sums(dimension_);
  add_weights(sums, features.words, kWordUnit);
  add_weights(sums, features.parts, kPartUnit);
  return of_length_one(sums);
}

}  // namespace holdfast::vectors
