#pragma once

#include "connection.h"
#include "lock_file.h"

namespace holdfast::storage::sqlite {

enum class Checkpoint {
  passive,   ///< copies what no reader still needs; never waits
  truncate,  ///< also empties the log when no reader is left in it
};

/// Copies the write-ahead log into the database. The caller holds both bytes of the lock file:
/// that is what keeps commits and other checkpoints out (see SqliteConnection::configure).
/// Never waits for readers, since every writer waits meanwhile. False when they kept part of the
/// log, or its emptying, back.
bool run_checkpoint(SqliteConnection& connection, const LockFile& lock, Checkpoint kind);

}  // namespace holdfast::storage::sqlite
