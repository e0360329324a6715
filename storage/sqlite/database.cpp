#include <holdfast/storage/database.h>

#include <mutex>

#include <spdlog/spdlog.h>

#include <holdfast/core/error.h>
#include <holdfast/core/log.h>

#include "checkpoint.h"
#include "reading.h"
#include "write_session.h"

namespace holdfast::storage {

std::string_view to_string(Durability durability) {
  return durability == Durability::full ? "full" : "normal";
}

namespace sqlite {
namespace {

ConnectionOptions reader_options(const Options& options, const Place& place) {
  return {.path = place.database,
          .vfs = options.vfs,
          .access = Access::read_only,
          .busy_limit = options.busy_limit};
}

class SqliteDatabase final : public ReadingDatabase {
 public:
  SqliteDatabase(const Options& options, Place place, core::Environment& environment)
      : ReadingDatabase(options, place, reader_options(options, place), environment),
        lock_(place_.lock, environment),
        maintenance_lock_(place_.lock, environment),
        connection_(open_for_writing(options_, place_, lock_)),
        session_(*connection_, lock_,
                 {.busy_limit = options_.busy_limit,
                  .checkpoint_pages = options_.checkpoint_pages}),
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

  DatabaseInfo info() override;

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

  void shrink(const std::function<bool()>& control) override {
    std::int64_t free = count_free();
    while (free > 0 && (!control || control())) {
      writer_.submit(
          [](Transaction& transaction) {
            auto vacuum = transaction.prepare("PRAGMA incremental_vacuum(512)");
            while (vacuum.step()) {
            }
            return Verdict::keep;
          },
          "shrink");
      const std::int64_t left = count_free();
      if (left >= free) break;
      free = left;
    }
    checkpoint();
  }

  std::uint64_t commits() override { return lock_.commits(); }

 private:
  std::int64_t count_free() {
    const auto reading = snapshot(ReaderAge::bounded);
    auto select = reading->transaction().prepare("PRAGMA freelist_count");
    return select.step() ? select.get<std::int64_t>(0) : 0;
  }
  void release_maintenance() {
    maintenance_lock_.unlock(LockFile::Byte::checkpoint);
    maintenance_lock_.unlock(LockFile::Byte::writer);
  }

  LockFile lock_;              ///< the writer's
  LockFile maintenance_lock_;  ///< excludes the writer, so it cannot be the same object
  std::mutex maintenance_mutex_;
  std::unique_ptr<SqliteConnection> connection_;
  SqliteWriteSession session_;
  Writer writer_;
};

DatabaseInfo SqliteDatabase::info() {
  DatabaseInfo info = ReadingDatabase::info();
  info.log_pages = connection_->log_pages();
  return info;
}

}  // namespace
}  // namespace sqlite

std::unique_ptr<Database> Database::open(const Options& options, core::Environment& environment) {
  auto place = sqlite::resolve(options);
  sqlite::look_before_opening(options, place);
  if (options.access == OpenMode::read_only) {
    return sqlite::open_read_only(options, std::move(place), environment);
  }
  return std::make_unique<sqlite::SqliteDatabase>(options, std::move(place), environment);
}

}  // namespace holdfast::storage
