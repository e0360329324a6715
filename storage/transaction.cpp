#include <holdfast/storage/transaction.h>

#include <holdfast/storage/connection.h>

namespace holdfast::storage {

Transaction::Transaction(Connection& connection, core::Clock& clock,
                         std::chrono::microseconds age_max)
    : connection_(connection), writable_(false) {
  before_step_ = [&clock, age_max, start = clock.elapsed()] {
    if (clock.elapsed() - start <= age_max) return;
    throw Unavailable("read transaction older than " +
                      std::to_string(age_max.count() / 1000) +
                      " ms: read in smaller pages, each in a snapshot of its own");
  };
}

Statement Transaction::prepare(std::string_view sql) {
  return Statement(connection_.statements(), sql, &before_step_);
}

Savepoint::Savepoint(Transaction& transaction)
    : transaction_(transaction), witness_(transaction.witness()) {
  transaction_.connection().execute("SAVEPOINT part");
}

Savepoint::~Savepoint() {
  if (!open_ || !transaction_.connection().in_transaction()) return;
  try {
    undo();
  } catch (...) {
    // Whoever runs the transaction meets the same at its next statement.
  }
}

void Savepoint::keep() {
  transaction_.connection().execute("RELEASE part");
  open_ = false;
}

void Savepoint::undo() {
  open_ = false;
  transaction_.witness(witness_);
  transaction_.connection().execute("ROLLBACK TO part");
  transaction_.connection().execute("RELEASE part");
}

}  // namespace holdfast::storage
