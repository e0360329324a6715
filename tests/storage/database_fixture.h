#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <holdfast/core/error.h>
#include <holdfast/storage/database.h>

#include "support/fixture.h"

namespace holdfast::test {

/// A fresh database with one table `counters(name, n)` of the tests' own.
class TestDatabase {
 public:
  TestDatabase() {
    options.path = dir / "test.db";
    open();
    run("CREATE TABLE counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT");
  }
  void open() { database = storage::Database::open(options, environment.environment); }
  void close() { database.reset(); }
  std::unique_ptr<storage::Database> open_another() {
    return storage::Database::open(options, environment.environment);
  }

  /// Runs one statement as a change of its own.
  void run(const std::string& sql) { run_on(*database, sql); }
  static void run_on(storage::Database& on, const std::string& sql) {
    on.writer().submit(
        [&](storage::Transaction& transaction) {
          transaction.prepare(sql).run();
          return storage::Verdict::keep;
        },
        "request");
  }
  /// Adds one to the named counter.
  static storage::Verdict count(storage::Transaction& transaction, const std::string& name) {
    transaction
        .prepare("INSERT INTO counters VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET n = n + 1")
        .bind(name)
        .run();
    return storage::Verdict::keep;
  }
  /// The counter in a snapshot of its own; 0 when there is none.
  std::int64_t counter(const std::string& name) {
    const auto snapshot = database->snapshot();
    return counter_in(snapshot->transaction(), name);
  }
  static std::int64_t counter_in(storage::Transaction& transaction, const std::string& name) {
    auto select = transaction.prepare("SELECT n FROM counters WHERE name = $1");
    select.bind(name);
    return select.step() ? select.get<std::int64_t>(0) : 0;
  }
  /// The one value of a query on the write connection.
  std::string on_writer(const std::string& sql) {
    std::string value;
    database->writer().submit(
        [&](storage::Transaction& transaction) {
          auto select = transaction.prepare(sql);
          if (select.step()) value = select.get<std::string>(0);
          return storage::Verdict::undo;
        },
        "request");
    return value;
  }
  /// The one value of a query on a reading connection.
  std::string on_reader(const std::string& sql) {
    const auto snapshot = database->snapshot();
    auto select = snapshot->transaction().prepare(sql);
    return select.step() ? select.get<std::string>(0) : "";
  }

  TempDir dir;
  TestEnvironment environment;
  storage::Options options;
  std::unique_ptr<storage::Database> database;
};

/// Code of the exception that a call throws; "none" without one.
template <class Call>
std::string error_code_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return "none";
}

}  // namespace holdfast::test
