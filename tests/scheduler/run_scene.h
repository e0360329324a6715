#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "support.h"

namespace holdfast::test {

/// Something that a thread waits for until another lets it go on. A wait that lasts for a minute
/// fails, so that no test hangs.
/// Thread safety: any thread.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  /// Whether it was opened.
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

/// Counts, and lets others wait for a count.
/// Thread safety: any thread.
class Count {
 public:
  void add(int by = 1) {
    const std::lock_guard lock(mutex_);
    count_ += by;
    most_ = std::max(most_, count_);
    changed_.notify_all();
  }
  bool wait_for(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return count_ >= count; });
  }
  int now() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  int most() const {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
  int most_ = 0;
};

/// Its instant stands still, so that nothing falls due; waiting takes its time.
/// Thread safety: any thread.
class StandingClock final : public core::Clock {
 public:
  explicit StandingClock(Timestamp at) : at_(at) {}
  Timestamp now() override { return at_; }
  std::chrono::microseconds elapsed() override { return system_.elapsed(); }
  void sleep_for(std::chrono::microseconds duration) override { system_.sleep_for(duration); }

 private:
  Timestamp at_;
  core::SystemClock system_;
};

/// A scheduler that runs in a thread of its own until it is told to stop, or at the scene's end.
class Running {
 public:
  explicit Running(std::unique_ptr<Scheduler> scheduler)
      : scheduler_(std::move(scheduler)),
        thread_([this](const std::stop_token& stop) { scheduler_->run(stop); }) {}

  void ask_to_stop() { thread_.request_stop(); }
  /// Returns when it has ended.
  DrainReport stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    return scheduler_->total();
  }

 private:
  std::unique_ptr<Scheduler> scheduler_;
  std::jthread thread_;
};

}  // namespace holdfast::test
