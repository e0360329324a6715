#pragma once

#include <cstdint>
#include <mutex>
#include <random>

namespace holdfast::core {

/// Random numbers that are the same for a seed on every platform (the standard's distributions are
/// not). Thread safety: any thread.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// Seeded from the operating system.
  static std::uint64_t fresh_seed();

  std::uint64_t next();
  /// Uniform in [0, bound); bound must be positive.
  std::uint64_t below(std::uint64_t bound);

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_;
};

}  // namespace holdfast::core
