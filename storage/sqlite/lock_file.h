#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

#include <holdfast/core/environment.h>

#include "lock_queue.h"

namespace holdfast::storage::sqlite {

/// The file `<database>-lock`: byte 0 is locked by whoever writes, byte 1 by whoever checkpoints,
/// in any process; bytes 8 to 15 count commits (native order) and wake followers elsewhere. Those
/// who wait for byte 0 stand in a queue, so that a process that writes all the time leaves turns to
/// the others (see LockQueue).
/// Open-file-description locks: they belong to this object, not to the process, so two databases
/// open in one process exclude each other too, and no close elsewhere drops them.
/// Thread safety: one thread at a time.
class LockFile {
 public:
  enum class Byte : int { writer = 0, checkpoint = 1 };
  struct Times {
    /// For so long after it got the writer's byte a holder may take it again before those who wait:
    /// each change of hands costs a wake-up, and the new writer its page cache.
    std::chrono::microseconds turn{2'000};
    /// A holder that was last back after so short a time is expected back in its turn, and nobody
    /// is woken meanwhile.
    std::chrono::microseconds quick_return{100};
    /// How long nobody has to have been woken before a waiter looks whether the byte was left to
    /// somebody who does not take it, because it was killed or stopped.
    std::chrono::microseconds patience{10'000};
  };

  /// Creates the file when there is none; it is never deleted, because a lock on a deleted file
  /// excludes nobody.
  LockFile(std::filesystem::path path, core::Environment& environment)
      : LockFile(std::move(path), environment, Times{}) {}
  LockFile(std::filesystem::path path, core::Environment& environment, const Times& times);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// Takes the byte when it is free, whoever waits for it.
  bool try_lock(Byte byte);
  /// Waits, for the writer's byte behind those who came before (but for its own turn), and answers
  /// how long. Throws Busy
  /// after `limit`, Unavailable when the file was removed meanwhile.
  std::chrono::microseconds lock(Byte byte, std::chrono::milliseconds limit);
  /// Wakes the first who waits for the writer's byte, when the turn is over or may well be.
  void unlock(Byte byte) noexcept;
  bool is_held(Byte byte) const { return held_[static_cast<int>(byte)]; }

  /// Adds one to the commit counter; only while holding the writer's byte.
  void count_commit() noexcept;
  std::uint64_t commits() const;

 private:
  class Waiting;
  void require_linked() const;
  bool take_at_once(Byte byte);
  bool has_turn(std::chrono::microseconds now) const { return now - turn_since_ < times_.turn; }
  void wait(Byte byte, std::chrono::microseconds start, std::chrono::milliseconds limit);
  LockQueue::Ticket first_heeded() const;
  void wake_next() noexcept;

  std::filesystem::path path_;
  core::Environment& environment_;
  const Times times_;
  int descriptor_ = -1;
  LockQueue queue_;
  std::chrono::microseconds turn_since_ = std::chrono::microseconds::min() / 2;
  std::chrono::microseconds unlocked_at_ = std::chrono::microseconds::min() / 2;
  bool came_back_quickly_ = false;
  /// Tickets before this one did not take the lock when it was theirs, and until then nobody waits
  /// for them: somebody stopped would hold up all others.
  LockQueue::Ticket passed_over_ = 0;
  std::chrono::microseconds passed_over_until_{0};
  bool held_[2] = {false, false};
};

/// The commit counter as somebody reads it who may not write the file; 0 without one.
std::uint64_t read_commits(const std::filesystem::path& lock_file);

}  // namespace holdfast::storage::sqlite
