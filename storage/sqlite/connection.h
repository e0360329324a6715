#pragma once

#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <holdfast/storage/connection.h>

namespace holdfast::storage::sqlite {

enum class Access {
  create,      ///< read and write, making the file when there is none
  read_write,  ///< fails when there is no file
  read_only,
};

struct ConnectionOptions {
  std::string path;
  std::string vfs;  ///< empty for the default one
  Access access = Access::read_only;
  std::chrono::milliseconds busy_limit{0};
  /// Reads the file as one that nobody changes: no locks, no log, nothing made beside it.
  bool is_immutable = false;
};

/// A SQLite connection set up the one way this project uses it: no automatic checkpoints, none at
/// close, no memory mapping, nothing run that a foreign schema asks for.
class SqliteConnection final : public Connection {
 public:
  explicit SqliteConnection(const ConnectionOptions& options);
  ~SqliteConnection() override;

  void execute(const char* sql) override;
  bool in_transaction() const override;
  StatementCache& statements() override { return statements_; }
  std::string_view lock_rows() const override { return ""; }

  /// The one value of a PRAGMA or a query; empty when there is no row.
  std::string answer(const char* sql);
  std::int64_t answer_integer(const char* sql) { return std::stoll("0" + answer(sql)); }

  /// True when the file was removed or replaced since it was opened: what is written would be gone.
  bool has_moved();

  sqlite3* handle() { return handle_.get(); }
  int last_error() const { return sqlite3_extended_errcode(handle_.get()); }
  /// Pages in the write-ahead log after this connection's last commit.
  int log_pages() const { return log_pages_; }
  void log_was_copied() { log_pages_ = 0; }
  /// Sets the engine's own waiting for locks to what the options say.
  void wait_as_configured();

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  void configure();

  std::chrono::milliseconds busy_limit_;
  std::unique_ptr<sqlite3, Close> handle_;
  StatementCache statements_;
  std::atomic<int> log_pages_{0};  ///< info() reads it while the writer works
};

}  // namespace holdfast::storage::sqlite
