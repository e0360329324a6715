#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>

#include <holdfast/core/environment.h>

namespace holdfast::storage::sqlite {

/// Waits for the commit counter in a lock file to move. Whoever commits writes the counter, which
/// the system tells the one inotify watch of this object; the first of the waiters reads it and
/// wakes the others. Where the system grants no watch, each waiter looks every 10 ms instead.
/// Thread safety: any thread; no wait may last when the object goes.
class CommitWatch {
 public:
  /// `commits` reads the counter, from any thread; the environment must outlive the watch.
  CommitWatch(std::filesystem::path lock_file, std::function<std::uint64_t()> commits,
              core::Environment& environment);
  ~CommitWatch();
  CommitWatch(const CommitWatch&) = delete;
  CommitWatch& operator=(const CommitWatch&) = delete;

  /// True as soon as the counter is not `seen`, false when `limit` has passed. Throws Unavailable
  /// when there is no such file, or none that may be read.
  bool wait(std::uint64_t seen, std::chrono::milliseconds limit);

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Left = std::chrono::microseconds;
  enum class Wake { event, time_up };
  class Leading;

  void open();
  Wake look_again_later(Lock& lock, Left left);
  Wake lead(Lock& lock, Left left);
  Wake follow(Lock& lock, Left left);

  const std::filesystem::path path_;
  const std::function<std::uint64_t()> commits_;
  core::Environment& environment_;
  std::mutex mutex_;
  std::condition_variable turned_;
  bool is_open_ = false;
  int watch_ = -1;           ///< -1 in an open object: the system granted none
  bool leading_ = false;
  std::uint64_t turns_ = 0;  ///< of leaders that ended their wait
};

}  // namespace holdfast::storage::sqlite
