#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <holdfast/core/random.h>

namespace holdfast::test {

/// Runs tasks one step at a time in an order drawn from the seed. Same seed, same binary: same run.
class Loop {
 public:
  explicit Loop(std::uint64_t seed) : random_(seed) {}

  /// `step` runs until it returns false; between its steps any other task may run.
  void spawn(std::function<bool()> step) { ready_.push_back(std::move(step)); }

  void run() {
    while (!ready_.empty()) {
      const auto at = static_cast<std::size_t>(random_.below(ready_.size()));
      mix(at);
      if (!ready_[at]()) ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  /// Takes something that happened into the trace.
  void mix(std::uint64_t what) { trace_ = (trace_ ^ what) * 1099511628211U; }
  /// Two runs of one seed that differ here are not deterministic.
  std::uint64_t trace() const { return trace_; }

 private:
  core::Random random_;
  std::vector<std::function<bool()>> ready_;
  std::uint64_t trace_ = 14695981039346656037U;
};

}  // namespace holdfast::test
