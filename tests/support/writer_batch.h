#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <holdfast/core/faults.h>

namespace holdfast::test {

/// Makes a writer's callers queue in a known order: the first stands before its commit until all
/// the others have queued behind it, so that those ride one commit. Uses the fault points
/// "writer.queued" and "writer.before_commit"; disarms them at the end.
class WriterBatch {
 public:
  explicit WriterBatch(core::Faults& faults) : faults_(faults) {
    faults_.arm([this](std::string_view point) { at(point); });
  }
  ~WriterBatch() { faults_.arm({}); }
  WriterBatch(const WriterBatch&) = delete;
  WriterBatch& operator=(const WriterBatch&) = delete;

  /// Called in the leader's thread before every commit, 1 being the first caller's own.
  std::function<void(int commit)> before_commit;

  /// Runs every call in a thread of its own, and ends when all have. None may throw. When the
  /// first one fails before its commit, the others do not run and the answer is false.
  bool run(const std::vector<std::function<void()>>& calls) {
    wanted_ = calls.size();
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
      calls.front()();
      abandon();
    });
    bool goes_on = wait([this] { return commits_ > 0; });
    while (goes_on && threads.size() < calls.size()) {
      const std::size_t queued = threads.size() + 1;
      threads.emplace_back(calls[threads.size()]);
      goes_on = wait([this, queued] { return queued_ >= queued; });
    }
    for (std::thread& thread : threads) thread.join();
    return threads.size() == calls.size();
  }

 private:
  void at(std::string_view point) {
    std::unique_lock lock(mutex_);
    if (point == "writer.queued") {
      ++queued_;
      moved_.notify_all();
    } else if (point == "writer.before_commit") {
      const int commit = ++commits_;
      moved_.notify_all();
      if (commit == 1) moved_.wait(lock, [this] { return queued_ >= wanted_; });
      lock.unlock();
      if (before_commit) before_commit(commit);
    }
  }
  void abandon() {
    const std::lock_guard lock(mutex_);
    is_abandoned_ = true;
    moved_.notify_all();
  }
  template <class Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] { return condition() || is_abandoned_; });
    return condition();
  }

  core::Faults& faults_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::size_t wanted_ = 0;
  std::size_t queued_ = 0;
  int commits_ = 0;
  bool is_abandoned_ = false;
};

}  // namespace holdfast::test
