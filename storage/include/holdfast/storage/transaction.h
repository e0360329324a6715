#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <holdfast/core/environment.h>
#include <holdfast/core/error.h>
#include <holdfast/core/revision.h>
#include <holdfast/storage/statement.h>

namespace holdfast::storage {

class Connection;

/// A statement broke a constraint of the schema. The stores ask before they write, so this is a bug
/// here or a database that somebody else has changed.
class ConstraintViolation : public Error {
 public:
  using Error::Error;
  const char* code() const noexcept override { return "constraint"; }
};

/// One event whose presence shows that a transaction was committed.
struct Witness {
  std::string space;
  Sequence seq = 0;
  std::string request_id;
};

/// The door to the database while a transaction is open: what the stores' functions take. A write
/// transaction is made by the Writer, a read transaction by a Snapshot.
/// Thread safety: none; stays in the thread that got it.
class Transaction {
 public:
  /// A write transaction, or a read transaction without an age limit.
  explicit Transaction(Connection& connection, bool writable)
      : connection_(connection), writable_(writable) {}
  /// A read transaction that must end within `age_max`; statements after that throw Unavailable,
  /// so that no reader keeps the log from shrinking.
  Transaction(Connection& connection, core::Clock& clock, std::chrono::microseconds age_max);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// The text must live as long as the statement.
  Statement prepare(std::string_view sql);
  bool writable() const noexcept { return writable_; }
  Connection& connection() noexcept { return connection_; }

  /// Names an event written here by which a commit of unknown outcome can be recognised.
  void witness(std::optional<Witness> witness) { witness_ = std::move(witness); }
  const std::optional<Witness>& witness() const noexcept { return witness_; }

 private:
  Connection& connection_;
  bool writable_;
  std::function<void()> before_step_;
  std::optional<Witness> witness_;
};

/// A part of a write transaction that can be taken back by itself. Undone when it is left without
/// keep(). Nothing can be undone once the engine has ended the whole transaction, as it does on a
/// full disk: the next statement then fails.
/// Thread safety: that of the transaction.
class Savepoint {
 public:
  explicit Savepoint(Transaction& transaction);
  ~Savepoint();
  Savepoint(const Savepoint&) = delete;
  Savepoint& operator=(const Savepoint&) = delete;
  void keep();
  /// Throws what the engine does.
  void undo();

 private:
  Transaction& transaction_;
  std::optional<Witness> witness_;
  bool open_ = true;
};

}  // namespace holdfast::storage
