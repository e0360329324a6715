#include "checkpoint.h"

#include <stdexcept>

#include "errors.h"

namespace holdfast::storage::sqlite {

bool run_checkpoint(SqliteConnection& connection, const LockFile& lock, Checkpoint kind) {
  if (!lock.is_held(LockFile::Byte::writer) || !lock.is_held(LockFile::Byte::checkpoint)) {
    throw std::logic_error("checkpoint without the lock");
  }
  int log_pages = 0;
  int copied = 0;
  const int mode =
      kind == Checkpoint::passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE;
  const int code =
      sqlite3_wal_checkpoint_v2(connection.handle(), nullptr, mode, &log_pages, &copied);
  if (code == SQLITE_BUSY) return false;
  if (code != SQLITE_OK) fail(connection.handle(), "checkpoint");
  if (copied < log_pages) return false;
  connection.log_was_copied();
  return true;
}

}  // namespace holdfast::storage::sqlite
