#include "write_session.h"

#include <string>

#include <spdlog/spdlog.h>

#include <holdfast/core/error.h>
#include <holdfast/core/log.h>

#include "checkpoint.h"
#include "log_tail.h"

namespace holdfast::storage::sqlite {

void SqliteWriteSession::begin() {
  lock_wait_ = lock_.lock(LockFile::Byte::writer, limits_.busy_limit);
  if (connection_.has_moved()) {
    throw Unavailable("the database file was moved or removed while it was open; reopen it");
  }
  if (!found_log_is_copied_) copy_found_log();
  connection_.execute("BEGIN IMMEDIATE");
}

void SqliteWriteSession::copy_found_log() {
  lock_.lock(LockFile::Byte::writer, limits_.busy_limit);
  lock_.lock(LockFile::Byte::checkpoint, limits_.busy_limit);
  run_checkpoint(connection_, lock_, Checkpoint::truncate);
  found_log_is_copied_ = true;
}

CommitResult SqliteWriteSession::commit() noexcept {
  try {
    connection_.execute("COMMIT");
    lock_.count_commit();
    return {};
  } catch (...) {
    const int code = connection_.last_error();
    roll_back();
    return {.kind = kind_of_failure(code), .error = std::current_exception()};
  }
}

CommitResult::Kind SqliteWriteSession::kind_of_failure(int code) noexcept {
  using Kind = CommitResult::Kind;
  if ((code & 0xff) == SQLITE_BUSY) return Kind::refused;
  if (code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC) {
    // A disk whose sync has just failed is not asked to prove anything at once.
    wipe_log_tail(connection_, WipeSync::none);
    return Kind::unsynced;
  }
  return wipe_log_tail(connection_, WipeSync::full) ? Kind::undone : Kind::broken;
}

void SqliteWriteSession::roll_back() noexcept {
  if (!connection_.in_transaction()) return;
  try {
    connection_.execute("ROLLBACK");
  } catch (...) {
    // After some errors SQLite has rolled back already and says so by failing here.
  }
}

void SqliteWriteSession::write_barrier() {
  // A change of the header's user_version is always written, where an UPDATE to an equal value
  // would leave no frame in the log.
  const auto version = connection_.answer_integer("PRAGMA user_version");
  connection_.answer(("PRAGMA user_version = " + std::to_string((version + 1) % 1000)).c_str());
}

void SqliteWriteSession::finish() noexcept {
  try {
    checkpoint_when_due();
  } catch (const std::exception& error) {
    // The log keeps everything; the next commit tries again.
    core::log()->warn("checkpoint failed: {}", error.what());
  }
  lock_.unlock(LockFile::Byte::checkpoint);
  lock_.unlock(LockFile::Byte::writer);
}

bool SqliteWriteSession::is_maintenance_due() const noexcept {
  const auto pages = static_cast<std::uint64_t>(connection_.log_pages());
  return pages >= limits_.checkpoint_pages && pages >= next_checkpoint_pages_;
}

void SqliteWriteSession::checkpoint_when_due() {
  const auto pages = static_cast<std::uint64_t>(connection_.log_pages());
  if (pages < limits_.checkpoint_pages) next_checkpoint_pages_ = 0;
  if (!is_maintenance_due()) return;
  if (!lock_.is_held(LockFile::Byte::writer)) return;
  if (!lock_.try_lock(LockFile::Byte::checkpoint)) return;
  // While a reader holds the log back, asking after every commit would only cost.
  next_checkpoint_pages_ = pages + limits_.checkpoint_pages / 4;
  run_checkpoint(connection_, lock_, Checkpoint::passive);
}

}  // namespace holdfast::storage::sqlite
