#pragma once

#include <spdlog/spdlog.h>

#include <holdfast/core/error.h>
#include <holdfast/core/log.h>
#include <holdfast/storage/connection.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::scheduler {

/// Runs one row's part of a transaction by itself: what stops it, as long as the transaction still
/// stands, does not stop the others. False when it was stopped and taken back.
template <class Part>
bool apart(storage::Transaction& transaction, Part part) {
  storage::Savepoint savepoint(transaction);
  try {
    part();
    savepoint.keep();
    return true;
  } catch (const Error& error) {
    if (!transaction.connection().in_transaction()) throw;
    savepoint.undo();
    core::log()->warn("scheduler: one event was left as it is: {}", error.what());
    return false;
  }
}

}  // namespace holdfast::scheduler
