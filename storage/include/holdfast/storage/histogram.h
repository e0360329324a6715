#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace holdfast::storage {

/// How often values of each size were seen, in powers of two.
/// Thread safety: none.
struct Histogram {
  static constexpr std::size_t kBuckets = 40;

  /// Element 0 counts zeros, element i the values from 2^(i-1) to 2^i - 1; the last one takes all
  /// that is larger.
  std::array<std::uint64_t, kBuckets> buckets{};
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t max = 0;

  void add(std::uint64_t value) {
    ++buckets[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(value)), kBuckets - 1)];
    ++count;
    sum += value;
    max = std::max(max, value);
  }
  void add(const Histogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) buckets[i] += other.buckets[i];
    count += other.count;
    sum += other.sum;
    max = std::max(max, other.max);
  }
  /// A value that at least the share `q` (0 to 1) of all values does not exceed: the upper end of
  /// the bucket that holds the quantile, so at most twice too large, and never above `max`. Zero
  /// when nothing was counted.
  std::uint64_t quantile(double q) const {
    const auto share = std::clamp(q, 0.0, 1.0) * static_cast<double>(count);
    const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i + 1 < kBuckets; ++i) {
      seen += buckets[i];
      if (seen >= wanted) return std::min(max, (std::uint64_t{1} << i) - 1);
    }
    return max;
  }
};

}  // namespace holdfast::storage
