#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::vectors {

/// Hashes of a text's features, one for each time that a feature is there.
struct HashedFeatures {
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> parts;
};

/// What HashingEmbedder's description calls the features of a text. Malformed bytes end a word.
/// Frozen: stored vectors were made of it.
HashedFeatures hashed_features(const std::string& text, std::size_t gram_min,
                               std::size_t gram_max);

}  // namespace holdfast::vectors
