#pragma once

#include <mutex>
#include <shared_mutex>

namespace holdfast::vectors {

/// A shared mutex under which readers that keep coming cannot keep a writer out: who comes behind a
/// writer waits behind it.
/// Thread safety: that of a mutex.
class FairMutex {
 public:
  void lock() {
    const std::lock_guard turn(turn_);
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }
  void lock_shared() {
    const std::lock_guard turn(turn_);
    mutex_.lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  std::mutex turn_;
  std::shared_mutex mutex_;
};

}  // namespace holdfast::vectors
