#pragma once

#include <chrono>
#include <exception>

#include <holdfast/storage/connection.h>

namespace holdfast::storage {

/// How a COMMIT ended.
struct CommitResult {
  enum class Kind {
    committed,
    refused,   ///< not tried, and not committed
    undone,    ///< failed half-way, and certainly not there
    broken,    ///< failed half-way; a barrier written now can settle whether it is there
    unsynced,  ///< the disk's sync failed, so a barrier written at once would prove nothing
  };
  Kind kind = Kind::committed;
  std::exception_ptr error;
};

/// One backend's way to begin, commit and take back a write transaction. Only the Writer's leader
/// calls it, so it needs no lock of its own.
class WriteSession {
 public:
  virtual ~WriteSession() = default;
  virtual Connection& connection() = 0;
  /// Waits for the store's lock unless it is held already, and begins. Throws Busy.
  virtual void begin() = 0;
  /// How long the last begin() that worked waited for the store's lock.
  virtual std::chrono::microseconds lock_wait() const noexcept { return {}; }
  virtual CommitResult commit() noexcept = 0;
  virtual void roll_back() noexcept = 0;
  /// Writes, in the open transaction, something that reaches the disk with its commit and
  /// overwrites what a failed commit may have left.
  virtual void write_barrier() = 0;
  /// True when finish() has more to do than to give the lock back.
  virtual bool is_maintenance_due() const noexcept { return false; }
  /// Gives the store's lock back, after maintenance that is due.
  virtual void finish() noexcept = 0;
};

}  // namespace holdfast::storage
