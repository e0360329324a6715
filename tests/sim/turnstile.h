#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <holdfast/core/random.h>

namespace holdfast::test {

/// Lets threads run one at a time and change over only where they say so, in an order drawn from
/// the seed: calls that cannot be cut into steps interleave all the same, and alike in every run.
class Turnstile {
 public:
  explicit Turnstile(std::uint64_t seed) : random_(seed) {}

  /// Runs all of `tasks`, each in a thread of its own with its number.
  void run(const std::vector<std::function<void(std::size_t)>>& tasks) {
    for (std::size_t i = 0; i < tasks.size(); ++i) waiting_.push_back(i);
    current_ = next();
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      threads.emplace_back([this, i, &tasks] {
        {
          std::unique_lock lock(mutex_);
          await(lock, i);
        }
        tasks[i](i);
        leave(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  /// A place where another may go on first.
  void pass(std::size_t me) {
    std::unique_lock lock(mutex_);
    current_ = next();
    if (current_ == me) return;
    moved_.notify_all();
    await(lock, me);
  }

 private:
  std::size_t next() { return waiting_[random_.below(waiting_.size())]; }
  void await(std::unique_lock<std::mutex>& lock, std::size_t me) {
    moved_.wait(lock, [&] { return current_ == me; });
  }
  void leave(std::size_t me) {
    const std::unique_lock lock(mutex_);
    std::erase(waiting_, me);
    if (waiting_.empty()) return;
    current_ = next();
    moved_.notify_all();
  }

  core::Random random_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::vector<std::size_t> waiting_;
  std::size_t current_ = 0;
};

}  // namespace holdfast::test
