#pragma once

#include <exception>
#include <mutex>
#include <utility>

#include <holdfast/scheduler/drain_report.h>

namespace holdfast::scheduler {

/// What the threads of one drain have done, and what stopped the first that could not go on.
/// Thread safety: any thread.
class Tally {
 public:
  void add(const DrainReport& more) {
    const std::lock_guard lock(mutex_);
    report_ += more;
  }
  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  /// Hands over what has come together.
  DrainReport take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(report_, {});
  }
  void rethrow() {
    std::exception_ptr error;
    {
      const std::lock_guard lock(mutex_);
      error = std::exchange(error_, nullptr);
    }
    if (error) std::rethrow_exception(error);
  }

 private:
  std::mutex mutex_;
  DrainReport report_;
  std::exception_ptr error_;
};

}  // namespace holdfast::scheduler
