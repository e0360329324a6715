#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "support/catch.h"
#include "vectors/kernels.h"

using namespace holdfast::vectors;

namespace {

std::vector<std::size_t> dimensions() {
  std::vector<std::size_t> all;
  for (std::size_t i = 1; i <= 130; ++i) all.push_back(i);
  for (const std::size_t i : {255, 257, 383, 384, 385, 767, 1000, 1536, 4097, 8191, 8192}) {
    all.push_back(i);
  }
  return all;
}

std::vector<float> random_floats(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<std::uint8_t> random_bytes(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> values(count);
  for (std::uint8_t& value : values) value = static_cast<std::uint8_t>(random());
  return values;
}

}  // namespace

TEST_CASE("sums of floats agree with a plain loop in double precision at every dimension",
          "[vectors]") {
  for (const std::size_t count : dimensions()) {
    const auto a = random_floats(count, 1);
    const auto b = random_floats(count, 2);
    double dot = 0;
    double l2 = 0;
    double size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      dot += double{a[i]} * double{b[i]};
      l2 += (double{a[i]} - double{b[i]}) * (double{a[i]} - double{b[i]});
      size += std::abs(double{a[i]} * double{b[i]});
    }
    CAPTURE(count);
    for (const Kernels& set : {kernels, portable_kernels}) {
      CHECK(std::abs(set.dot(a.data(), b.data(), count) - dot) <= 1e-5 * size);
      CHECK(std::abs(set.squared_l2(a.data(), b.data(), count) - l2) <= 1e-5 * l2);
    }
  }
}

TEST_CASE("sums of codes are those of a plain loop at every dimension", "[vectors]") {
  for (const std::size_t count : dimensions()) {
    // One byte in, so that nothing is aligned.
    const auto a = random_bytes(count + 1, 3);
    const auto b = random_bytes(count + 1, 4);
    std::vector<std::int8_t> less(b.size());
    std::transform(b.begin(), b.end(), less.begin(),
                   [](std::uint8_t byte) { return static_cast<std::int8_t>(byte - 128); });
    std::int32_t sum = 0;
    for (std::size_t i = 1; i <= count; ++i) sum += a[i] * less[i];
    CAPTURE(count);
    for (const Kernels& set : {kernels, portable_kernels}) {
      CHECK(set.dot_codes(a.data() + 1, less.data() + 1, count) == sum);
      CHECK(set.dot_code_pair(a.data() + 1, b.data() + 1, count) == sum);
    }
  }
}

TEST_CASE("the largest codes of the largest dimension do not overflow", "[vectors]") {
  const std::vector<std::uint8_t> most(8192, 255);
  const std::vector<std::uint8_t> least(8192, 0);
  const std::vector<std::int8_t> low(8192, -128);
  for (const Kernels& set : {kernels, portable_kernels}) {
    CHECK(set.dot_code_pair(most.data(), most.data(), 8192) == 8192 * 255 * 127);
    CHECK(set.dot_code_pair(most.data(), least.data(), 8192) == -8192 * 255 * 128);
    CHECK(set.dot_codes(most.data(), low.data(), 8192) == -8192 * 255 * 128);
  }
}
