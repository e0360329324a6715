#pragma once

#include "connection.h"

namespace holdfast::storage::sqlite {

enum class WipeSync {
  none,  ///< enough for the next process on this machine, whatever a power cut leaves
  full,  ///< survives a power cut too
};

/// Makes unreadable what a failed COMMIT may have left behind the last commit in the write-ahead
/// log, so that no recovery brings it to life. The caller holds the writer's lock and has rolled
/// back. False when it is not certain that nothing readable is left.
///
/// Why: after a failed sync the frames may be readable and yet never reach the disk, because the
/// system counts them as written. A later process would build on them, and lose with them, at a
/// power cut, whatever it had committed.
bool wipe_log_tail(SqliteConnection& connection, WipeSync sync) noexcept;

}  // namespace holdfast::storage::sqlite
