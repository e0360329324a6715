#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace holdfast::tests {

/// Vectors around centres, as embeddings of texts lie around subjects; the same for one seed.
struct Clustered {
  std::size_t dimension = 384;
  std::size_t centres = 1000;
  float noise = 0.5F;  ///< the standard deviation of a component around its centre's; theirs is 1
  std::uint32_t seed = 42;

  /// `count` vectors, one after the other; `part` tells vectors and queries apart.
  std::vector<float> make(std::size_t count, std::uint32_t part) const {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> middle(centres * dimension);
    for (float& component : middle) component = normal(random);
    random.seed(seed + 1000 * (part + 1));
    std::uniform_int_distribution<std::size_t> any(0, centres - 1);
    std::vector<float> made;
    made.reserve(count * dimension);
    for (std::size_t i = 0; i < count; ++i) {
      const float* const centre = middle.data() + any(random) * dimension;
      for (std::size_t j = 0; j < dimension; ++j) {
        made.push_back(centre[j] + noise * normal(random));
      }
    }
    return made;
  }
};

inline std::span<const float> row(const std::vector<float>& rows, std::size_t dimension,
                                  std::size_t number) {
  return std::span(rows).subspan(number * dimension, dimension);
}

/// What makes vectors hard to keep in eight bits.
struct Difficulty {
  const char* name;
  void (*apply)(std::span<float> vector, std::size_t number);
};

inline void multiply(std::span<float> vector, float by) {
  for (float& component : vector) component *= by;
}

inline constexpr std::array kDifficulties{
    Difficulty{"clustered", [](std::span<float>, std::size_t) {}},
    Difficulty{"unnormalised",
               [](std::span<float> vector, std::size_t number) {
                 multiply(vector, std::exp2(static_cast<float>((number * 7) % 9) - 4));
               }},
    Difficulty{"outlier vectors",
               [](std::span<float> vector, std::size_t number) {
                 if (number % 100 == 0) multiply(vector, 1000);
               }},
    Difficulty{"outlier components",
               [](std::span<float> vector, std::size_t /*number*/) {
                 vector[5] *= 10;
                 vector[70] += 300;
               }},
    Difficulty{"far from zero",
               [](std::span<float> vector, std::size_t /*number*/) {
                 for (float& component : vector) component += 10;
               }},
};

inline std::vector<float> make_difficult(const Clustered& clustered, const Difficulty& difficulty,
                                         std::size_t count, std::uint32_t part) {
  std::vector<float> rows = clustered.make(count, part);
  for (std::size_t i = 0; i < count; ++i) {
    difficulty.apply(std::span(rows).subspan(i * clustered.dimension, clustered.dimension),
                     i + part);
  }
  return rows;
}

}  // namespace holdfast::tests
