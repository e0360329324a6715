#pragma once

#include <chrono>

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
  CommitResult commit() noexcept override;
  void roll_back() noexcept override;
  void write_barrier() override;
  void finish() noexcept override;

 private:
  void checkpoint_when_due();

  SqliteConnection& connection_;
  LockFile& lock_;
  Limits limits_;
  std::uint64_t next_checkpoint_pages_ = 0;
};

}  // namespace holdfast::storage::sqlite
