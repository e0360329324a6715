#pragma once

#include <chrono>
#include <cstdint>

#include "../write_session.h"
#include "connection.h"
#include "lock_file.h"

namespace holdfast::storage::sqlite {

class SqliteWriteSession final : public WriteSession {
 public:
  struct Limits {
    std::chrono::milliseconds busy_limit;
    std::uint64_t checkpoint_pages;
  };
  /// Both must outlive the session; the connection is open for writing.
  SqliteWriteSession(SqliteConnection& connection, LockFile& lock, Limits limits)
      : connection_(connection), lock_(lock), limits_(limits) {}

  Connection& connection() override { return connection_; }
  void begin() override;
  std::chrono::microseconds lock_wait() const noexcept override { return lock_wait_; }
  CommitResult commit() noexcept override;
  void roll_back() noexcept override;
  void write_barrier() override;
  bool is_maintenance_due() const noexcept override;
  void finish() noexcept override;

  /// Copies the log that open found into the database and empties it. What is read in a found log
  /// need not be on the disk (see wipe_log_tail), and commits behind it would be lost with it; so
  /// nothing is written before this has worked once. Nothing needs copying where readers of other
  /// processes hold it back: the log was in use all the time, so it was not found.
  void copy_found_log();

 private:
  CommitResult::Kind kind_of_failure(int code) noexcept;
  void checkpoint_when_due();

  SqliteConnection& connection_;
  LockFile& lock_;
  Limits limits_;
  std::chrono::microseconds lock_wait_{0};
  std::uint64_t next_checkpoint_pages_ = 0;
  bool found_log_is_copied_ = false;
};

}  // namespace holdfast::storage::sqlite
