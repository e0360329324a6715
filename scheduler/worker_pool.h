#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace holdfast::scheduler {

/// Threads that take tasks from one queue. With none, add() runs the task in the caller's thread.
/// Tasks must not throw.
/// Thread safety: any thread.
class WorkerPool {
 public:
  explicit WorkerPool(std::size_t threads);
  ~WorkerPool();  ///< when all tasks have ended
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void add(std::function<void()> task);
  /// Tasks that wait or run.
  std::size_t in_flight() const;
  /// Tasks that have ended so far.
  std::uint64_t ended() const;
  /// Returns as soon as fewer than `count` are in flight.
  void wait_below(std::size_t count);

 private:
  void work();

  mutable std::mutex mutex_;
  std::condition_variable added_;
  std::condition_variable ended_;
  std::deque<std::function<void()>> tasks_;
  std::size_t in_flight_ = 0;
  std::uint64_t ended_count_ = 0;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace holdfast::scheduler
