#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <holdfast/core/environment.h>
#include <holdfast/storage/transaction.h>
#include <holdfast/storage/writer.h>

namespace holdfast::storage {

/// What an acknowledged write survives.
enum class Durability {
  full,    ///< the death of the process and the loss of power
  normal,  ///< the death of the process; a power cut may lose the last commits, never split one
};
std::string_view to_string(Durability durability);

struct Options {
  std::filesystem::path path;
  Durability durability = Durability::full;
  /// False: a file that does not exist is NotFound instead of a new database.
  bool create = true;
  /// How long a call waits for a lock held elsewhere before it ends in Busy.
  std::chrono::milliseconds busy_limit{5000};
  /// How long one read transaction may last before its next statement is refused.
  std::chrono::milliseconds reader_age_max{30'000};
  std::size_t readers_idle_max = 8;
  /// Pages of the write-ahead log after which the writer copies it back into the database.
  std::uint64_t checkpoint_pages = 4000;
  /// For tests: the name of a registered VFS, and where the lock file then lies.
  std::string vfs;
  std::filesystem::path lock_path;
};

/// What `info` and `doctor` report of the database below the stores.
struct DatabaseInfo {
  std::string backend;         ///< "sqlite"
  std::string engine_version;  ///< of the library that is linked
  std::string path;
  std::string journal_mode;
  std::string durability;  ///< as the engine answered, not as it was asked for
  std::int64_t schema_version = 0;
  std::int64_t min_writer = 0;
  std::int64_t page_bytes = 0;
  std::int64_t database_bytes = 0;
  std::int64_t free_bytes = 0;  ///< inside the file, reusable
  std::int64_t log_pages = 0;   ///< of the write-ahead log, as last seen by this process's writer
  std::uint64_t commits_seen = 0;  ///< the counter beside the database, from every process
  /// Set when the linked engine is known to damage databases unless commits and checkpoints
  /// exclude each other, which this store makes them do.
  std::string advice;
};

/// A read transaction on a connection of its own: everything read through it is one instant, that
/// of its first read.
/// Thread safety: none.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
  virtual Transaction& transaction() = 0;
};

enum class ReaderAge {
  bounded,    ///< Options::reader_age_max applies
  unbounded,  ///< for verify, backup and export, which must see one instant however long
};

/// One open database. Opening the same file again, in this process or another, is safe.
/// Thread safety: any thread; snapshots and transactions stay in theirs.
class Database {
 public:
  /// Creates or migrates the file when needed. Throws NotFound, Unavailable, Busy; Unsupported for
  /// a file that is not a Holdfast database (which is left exactly as it is), one that needs a
  /// newer writer, or a place where write-ahead logging is not granted.
  static std::unique_ptr<Database> open(const Options& options, core::Environment& environment);

  virtual ~Database() = default;
  virtual Writer& writer() = 0;
  virtual std::unique_ptr<Snapshot> snapshot(ReaderAge age = ReaderAge::bounded) = 0;
  virtual DatabaseInfo info() = 0;
  /// The engine's own check of the file: empty when all is well, else one line per finding.
  virtual std::vector<std::string> check_integrity() = 0;
  /// Copies the write-ahead log into the database and empties it. False when a reader, here or in
  /// another process, still needs part of it; never waits for one.
  virtual bool checkpoint() = 0;
  /// Age of the oldest snapshot now open; zero without one.
  virtual std::chrono::microseconds oldest_reader() = 0;
};

}  // namespace holdfast::storage
