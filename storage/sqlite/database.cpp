#include <holdfast/storage/database.h>

#include <sqlite3.h>

#include <algorithm>
#include <mutex>
#include <set>

#include <spdlog/spdlog.h>

#include <holdfast/core/error.h>
#include <holdfast/core/log.h>

#include "checkpoint.h"
#include "open.h"
#include "schema.h"
#include "write_session.h"

namespace holdfast::storage {

std::string_view to_string(Durability durability) {
  return durability == Durability::full ? "full" : "normal";
}

namespace sqlite {
namespace {

/// Connections for reading, kept open between snapshots. Thread safety: any thread.
class ReaderPool {
 public:
  ReaderPool(const Options& options, std::string path, core::Environment& environment)
      : options_(options), path_(std::move(path)), environment_(environment) {}

  std::unique_ptr<SqliteConnection> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto connection = std::move(idle_.back());
        idle_.pop_back();
        return connection;
      }
    }
    return std::make_unique<SqliteConnection>(ConnectionOptions{.path = path_,
                                                                .vfs = options_.vfs,
                                                                .access = Access::read_only,
                                                                .busy_limit = options_.busy_limit});
  }

  void give_back(std::unique_ptr<SqliteConnection> connection) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < options_.readers_idle_max) idle_.push_back(std::move(connection));
  }

  std::chrono::microseconds started() {
    const auto now = environment_.clock.elapsed();
    const std::lock_guard lock(mutex_);
    open_since_.insert(now);
    return now;
  }

  void ended(std::chrono::microseconds since) {
    const std::lock_guard lock(mutex_);
    open_since_.erase(open_since_.find(since));
  }

  std::chrono::microseconds oldest() {
    const auto now = environment_.clock.elapsed();
    const std::lock_guard lock(mutex_);
    return open_since_.empty() ? std::chrono::microseconds{0} : now - *open_since_.begin();
  }

 private:
  const Options& options_;
  std::string path_;
  core::Environment& environment_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SqliteConnection>> idle_;
  std::multiset<std::chrono::microseconds> open_since_;
};

class SqliteSnapshot final : public Snapshot {
 public:
  SqliteSnapshot(ReaderPool& pool, core::Clock& clock,
                 std::optional<std::chrono::microseconds> age_max)
      : pool_(pool), connection_(pool.take()) {
    connection_->execute("BEGIN");
    since_ = pool_.started();
    if (age_max) {
      transaction_.emplace(*connection_, clock, *age_max);
    } else {
      transaction_.emplace(*connection_, false);
    }
  }
  ~SqliteSnapshot() override {
    pool_.ended(since_);
    try {
      connection_->execute("ROLLBACK");
      pool_.give_back(std::move(connection_));
    } catch (...) {
      // A connection that cannot end its transaction is closed instead.
    }
  }
  Transaction& transaction() override { return *transaction_; }
  SqliteConnection& connection() { return *connection_; }

 private:
  ReaderPool& pool_;
  std::unique_ptr<SqliteConnection> connection_;
  std::optional<Transaction> transaction_;
  std::chrono::microseconds since_{0};
};

/// The versions whose commits and checkpoints must be kept apart: 3.7.0 to 3.51.2, but for the
/// branches that have the fix (sqlite.org/wal.html, "the WAL-reset bug").
bool may_lose_pages(int version) {
  if (version >= 3051003) return false;
  return version != 3044006 && version != 3050007;
}

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(const Options& options, Place place, core::Environment& environment)
      : options_(options),
        place_(std::move(place)),
        environment_(environment),
        lock_(place_.lock, environment),
        maintenance_lock_(place_.lock, environment),
        connection_(open_for_writing(options_, place_, lock_)),
        session_(*connection_, lock_,
                 {.busy_limit = options_.busy_limit,
                  .checkpoint_pages = options_.checkpoint_pages}),
        readers_(options_, place_.database, environment),
        writer_(session_, environment) {
    try {
      session_.copy_found_log();
    } catch (const Error& error) {
      // What is there can be read all the same; the first write tries again.
      core::log()->warn("the log found at {} was not copied: {}", place_.database, error.what());
    }
    session_.finish();
  }

  ~SqliteDatabase() override {
    try {
      // Nobody waits at close: if somebody else is writing, the log is theirs to copy.
      if (lock_.try_lock(LockFile::Byte::writer) && lock_.try_lock(LockFile::Byte::checkpoint)) {
        run_checkpoint(*connection_, lock_, Checkpoint::truncate);
      }
    } catch (...) {
      // What was acknowledged is in the log; the next open reads it there.
    }
  }

  Writer& writer() override { return writer_; }

  std::unique_ptr<Snapshot> snapshot(ReaderAge age) override {
    std::optional<std::chrono::microseconds> age_max;
    if (age == ReaderAge::bounded) age_max = options_.reader_age_max;
    return std::make_unique<SqliteSnapshot>(readers_, environment_.clock, age_max);
  }

  DatabaseInfo info() override;
  std::vector<std::string> check_integrity() override;

  bool checkpoint() override {
    const std::lock_guard guard(maintenance_mutex_);
    SqliteConnection connection({.path = place_.database,
                                 .vfs = options_.vfs,
                                 .access = Access::read_write,
                                 .busy_limit = options_.busy_limit});
    // A connection that has read nothing does not know that there is a log to copy.
    connection.answer("PRAGMA schema_version");
    try {
      maintenance_lock_.lock(LockFile::Byte::writer, options_.busy_limit);
      maintenance_lock_.lock(LockFile::Byte::checkpoint, options_.busy_limit);
      const bool done = run_checkpoint(connection, maintenance_lock_, Checkpoint::truncate);
      release_maintenance();
      return done;
    } catch (...) {
      release_maintenance();
      throw;
    }
  }

  std::chrono::microseconds oldest_reader() override { return readers_.oldest(); }

 private:
  void release_maintenance() {
    maintenance_lock_.unlock(LockFile::Byte::checkpoint);
    maintenance_lock_.unlock(LockFile::Byte::writer);
  }

  const Options options_;
  const Place place_;
  core::Environment& environment_;
  LockFile lock_;              ///< the writer's
  LockFile maintenance_lock_;  ///< excludes the writer, so it cannot be the same object
  std::mutex maintenance_mutex_;
  std::unique_ptr<SqliteConnection> connection_;
  SqliteWriteSession session_;
  ReaderPool readers_;
  Writer writer_;
};

DatabaseInfo SqliteDatabase::info() {
  SqliteSnapshot snapshot(readers_, environment_.clock, options_.reader_age_max);
  SqliteConnection& connection = snapshot.connection();
  const SchemaVersion schema = read_schema_version(connection);
  DatabaseInfo info;
  info.backend = "sqlite";
  info.engine_version = sqlite3_libversion();
  info.path = place_.database;
  info.journal_mode = connection.answer("PRAGMA journal_mode");
  info.durability = to_string(options_.durability);
  info.schema_version = schema.version;
  info.min_writer = schema.min_writer;
  info.page_bytes = connection.answer_integer("PRAGMA page_size");
  info.database_bytes = info.page_bytes * connection.answer_integer("PRAGMA page_count");
  info.free_bytes = info.page_bytes * connection.answer_integer("PRAGMA freelist_count");
  info.log_pages = connection_->log_pages();
  info.commits_seen = lock_.commits();
  if (may_lose_pages(sqlite3_libversion_number())) {
    info.advice = "SQLite " + info.engine_version +
                  " can lose pages when a checkpoint meets a commit; Holdfast keeps them apart by "
                  "its lock file, but other programs that write to this file obey no lock of ours";
  }
  return info;
}

std::vector<std::string> SqliteDatabase::check_integrity() {
  SqliteSnapshot snapshot(readers_, environment_.clock, std::nullopt);
  auto check = snapshot.transaction().prepare("PRAGMA integrity_check(100)");
  std::vector<std::string> findings;
  while (check.step()) {
    auto line = check.get<std::string>(0);
    if (line != "ok") findings.push_back(std::move(line));
  }
  for (std::string& line : check_schema(snapshot.connection())) {
    findings.push_back(std::move(line));
  }
  return findings;
}

}  // namespace
}  // namespace sqlite

std::unique_ptr<Database> Database::open(const Options& options, core::Environment& environment) {
  auto place = sqlite::resolve(options);
  sqlite::look_before_opening(options, place);
  return std::make_unique<sqlite::SqliteDatabase>(options, std::move(place), environment);
}

}  // namespace holdfast::storage
