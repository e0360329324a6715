#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
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

enum class OpenMode {
  read_write,
  /// Takes no lock, migrates nothing, and needs no right to write: for a database on read-only
  /// media, or one that others write. Every write is Unavailable. Where no log is there and none
  /// can be made, the file is taken for one that nobody changes: when somebody does all the same,
  /// snapshots from then on are Unavailable.
  read_only,
};

struct Options {
  std::filesystem::path path{};
  OpenMode access = OpenMode::read_write;
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
  std::string vfs{};
  std::filesystem::path lock_path{};
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
  std::int64_t log_bytes = 0;   ///< size of the log's file; 0 when there is none
  bool is_read_only = false;
  std::uint64_t commits_seen = 0;  ///< the counter beside the database, from every process
  /// Set when the linked engine is known to damage databases unless commits and checkpoints
  /// exclude each other, which this store makes them do.
  std::string advice;
};

/// How far a backup is.
struct BackupProgress {
  std::uint64_t pages_done = 0;
  std::uint64_t pages_total = 0;
};
/// Called between the steps of a backup; false stops it.
using BackupControl = std::function<bool(const BackupProgress& progress)>;

struct TableBytes {
  std::string table;
  std::int64_t bytes = 0;  ///< of its pages and those of its indexes
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
  /// newer writer, or a place where write-ahead logging is not granted. Read-only: NotFound
  /// without a file, Unsupported for a schema that would have to be migrated first, Unavailable
  /// where a log cannot be read because its index is missing and the folder is not writable.
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
  /// Gives pages that hold nothing back to the file system, while others read and write: up to 512
  /// of them by each of several write transactions, and then by checkpoint(). `control`, when there
  /// is one, is asked between these; false stops it.
  virtual void shrink(const std::function<bool()>& control) = 0;
  /// Age of the oldest snapshot now open; zero without one.
  virtual std::chrono::microseconds oldest_reader() = 0;

  /// How many commits the file has seen, from every process. To follow the database, take this
  /// number, then read, then wait for it to move. It is a wake-up, not a durable number: a restored
  /// or copied file starts elsewhere. Zero while nobody has opened the file for writing.
  virtual std::uint64_t commits() = 0;
  /// True as soon as commits() is not `seen`, at once when it is not already; false when `limit`
  /// has passed. No commit after `seen` was read is missed. Throws Unavailable when the database
  /// is read-only and its lock file is missing or cannot be read. Any number of threads may wait.
  virtual bool wait_for_commit(std::uint64_t seen, std::chrono::milliseconds limit) = 0;

  /// Writes a copy of one instant, a single file that opens as a database, while writers go on.
  /// `to` must not exist; it appears whole, checked and synced, or not at all. `control`, which
  /// may be empty, is asked between steps of at most 1,024 pages.
  /// False when `control` stopped it. Throws InvalidArgument("to") for a path that exists or names
  /// no place, Full, Unavailable; Corrupt when the copy fails its checks.
  virtual bool backup(const std::filesystem::path& to, const BackupControl& control) = 0;
  /// The bytes of each table, largest first; every page is read. Throws Unsupported where the
  /// linked engine cannot tell.
  virtual std::vector<TableBytes> table_bytes() = 0;
};

}  // namespace holdfast::storage
