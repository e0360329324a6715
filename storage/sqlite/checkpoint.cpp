#include "checkpoint.h"

#include <stdexcept>

#include "errors.h"

namespace holdfast::storage::sqlite {
namespace {

class NoWaiting {
 public:
  explicit NoWaiting(SqliteConnection& connection) : connection_(connection) {
    sqlite3_busy_timeout(connection.handle(), 0);
  }
  ~NoWaiting() { connection_.wait_as_configured(); }
  NoWaiting(const NoWaiting&) = delete;
  NoWaiting& operator=(const NoWaiting&) = delete;

 private:
  SqliteConnection& connection_;
};

}  // namespace

bool run_checkpoint(SqliteConnection& connection, const LockFile& lock, Checkpoint kind) {
  if (!lock.is_held(LockFile::Byte::writer) || !lock.is_held(LockFile::Byte::checkpoint)) {
    throw std::logic_error("checkpoint without the lock");
  }
  int log_pages = 0;
  int copied = 0;
  const int mode =
      kind == Checkpoint::passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE;
  const NoWaiting no_waiting(connection);
  const int code =
      sqlite3_wal_checkpoint_v2(connection.handle(), nullptr, mode, &log_pages, &copied);
  if ((code & 0xff) == SQLITE_BUSY) return false;
  if (code != SQLITE_OK) fail(connection.handle(), "checkpoint");
  if (log_pages < 0) throw std::logic_error("checkpoint by a connection without a log");
  if (copied < log_pages) return false;
  connection.log_was_copied();
  return true;
}

}  // namespace holdfast::storage::sqlite
