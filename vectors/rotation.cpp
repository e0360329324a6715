#include "rotation.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace holdfast::vectors {
namespace {

/// SplitMix64: part of the format of codes, so it never changes.
std::uint64_t scrambled(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15U;
  number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31U);
}

void walsh_hadamard(float* values, std::size_t count) {
  for (std::size_t half = 1; half < count; half *= 2) {
    for (std::size_t block = 0; block < count; block += 2 * half) {
      float* const low = values + block;
      float* const high = low + half;
      for (std::size_t i = 0; i < half; ++i) {
        const float sum = low[i] + high[i];
        high[i] = low[i] - high[i];
        low[i] = sum;
      }
    }
  }
}

}  // namespace

Rotation::Rotation(std::size_t dimension) : block_(std::bit_floor(dimension)) {
  const float scale = 1 / std::sqrt(static_cast<float>(block_));
  for (std::size_t i = 0; i < 2 * block_; ++i) {
    signs_.push_back((scrambled(i) & 1U) != 0 ? scale : -scale);
  }
}

void Rotation::apply(std::span<float> vector) const {
  for (const std::size_t round : {std::size_t{0}, std::size_t{1}}) {
    float* const values = vector.data() + round * (vector.size() - block_);
    const float* const signs = signs_.data() + round * block_;
    for (std::size_t i = 0; i < block_; ++i) values[i] *= signs[i];
    walsh_hadamard(values, block_);
  }
}

}  // namespace holdfast::vectors
