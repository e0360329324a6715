#include <cstdint>
#include <stdexcept>

#include <holdfast/core/error.h>

#include "file_look.h"
#include "lock_file.h"
#include "reading.h"
#include "schema.h"
#include "../write_session.h"

namespace holdfast::storage::sqlite {
namespace {

/// What the writer of a database that was opened read-only works with.
class NoWriting final : public WriteSession {
 public:
  explicit NoWriting(std::string path) : path_(std::move(path)) {}
  void begin() override { throw Unavailable(path_ + " was opened read-only"); }
  // Nothing below is reached, since nothing begins.
  Connection& connection() override { throw std::logic_error("no connection to write by"); }
  CommitResult commit() noexcept override { return {}; }
  void roll_back() noexcept override {}
  void write_barrier() override {}
  void finish() noexcept override {}

 private:
  const std::string path_;
};

class ReadOnlyDatabase final : public ReadingDatabase {
 public:
  ReadOnlyDatabase(const Options& options, Place place, const ConnectionOptions& readers,
                   const Trace& trace, core::Environment& environment)
      : ReadingDatabase(options, std::move(place), readers, environment),
        is_immutable_(readers.is_immutable),
        trace_(trace),
        session_(place_.database),
        writer_(session_, environment) {}

  Writer& writer() override { return writer_; }
  DatabaseInfo info() override {
    DatabaseInfo info = ReadingDatabase::info();
    // Read as immutable, a file has no log, and the engine says so.
    if (is_immutable_) info.journal_mode = "wal";
    return info;
  }
  bool checkpoint() override { throw Unavailable(place_.database + " was opened read-only"); }
  void shrink(const std::function<bool()>&) override { (void)checkpoint(); }
  std::uint64_t commits() override { return read_commits(place_.lock); }

 private:
  void require_readable() override {
    if (!is_immutable_) return;
    const bool has_log = log_has_content(options_, place_);
    if (!has_log && trace_of(place_.database) == trace_) return;
    throw Unavailable(place_.database +
                      " has changed since it was opened read-only in a folder where changes cannot "
                      "be followed; open it again");
  }

  const bool is_immutable_;
  const Trace trace_;
  NoWriting session_;
  Writer writer_;
};

void require_known_schema(SqliteConnection& connection, const std::string& path) {
  const std::int64_t version = read_schema_version(connection).version;
  if (version < kSchemaVersion) {
    throw Unsupported(path + " has schema version " + std::to_string(version) +
                      ", and this program reads version " + std::to_string(kSchemaVersion) +
                      "; open it for writing once, which migrates it");
  }
  require_writable_schema(connection, path);
}

}  // namespace

std::unique_ptr<Database> open_read_only(const Options& options, Place place,
                                         core::Environment& environment) {
  ConnectionOptions readers{.path = place.database,
                            .vfs = options.vfs,
                            .access = Access::read_only,
                            .busy_limit = options.busy_limit};
  // Before anything is read, so that no change after that goes unseen.
  const Trace trace = trace_of(place.database);
  try {
    SqliteConnection connection(readers);
    require_known_schema(connection, place.database);
  } catch (const Unavailable& error) {
    // Readers of a log need its index beside it, and may not be able to make one.
    if (log_has_content(options, place)) {
      throw Unavailable(place.database +
                        " cannot be read: its log holds changes, and the log's index can be made "
                        "only in a writable folder (" +
                        error.what() + "); open it once where it may be written");
    }
    readers.is_immutable = true;
    SqliteConnection connection(readers);
    require_known_schema(connection, place.database);
  }
  return std::make_unique<ReadOnlyDatabase>(options, std::move(place), readers, trace,
                                            environment);
}

}  // namespace holdfast::storage::sqlite
