#include "open.h"

#include <optional>
#include <system_error>

#include <holdfast/core/error.h>

#include "file_look.h"
#include "schema.h"

namespace holdfast::storage::sqlite {
namespace {

namespace fs = std::filesystem;

enum class Found { nothing, ours };

[[noreturn]] void refuse_foreign(const std::string& path, const std::string& reason) {
  throw Unsupported(path + " is not a Holdfast database (" + reason +
                    "); it was left as it is; choose another path");
}

/// As SQLite asks before it reads a log or a journal.
bool has_content(const Options& options, const std::string& path) {
  sqlite3_vfs* vfs = sqlite3_vfs_find(options.vfs.empty() ? nullptr : options.vfs.c_str());
  int found = 0;
  return vfs != nullptr &&
         vfs->xAccess(vfs, path.c_str(), SQLITE_ACCESS_EXISTS, &found) == SQLITE_OK && found != 0;
}

bool exists(const Options& options, const std::string& path) {
  if (!options.vfs.empty()) return has_content(options, path);
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return false;
  if (error) throw Unavailable("cannot look at " + path + ": " + error.message());
  if (status.type() != fs::file_type::regular) {
    throw Unsupported(path + " is not a regular file");
  }
  if (const auto names = fs::hard_link_count(path, error); !error && names > 1) {
    throw Unsupported(path + " has " + std::to_string(names) +
                      " hard links, and each name would get a log and a lock of its own; remove "
                      "the others, or use symbolic links");
  }
  return true;
}

/// Where symbolic links lead, also when nothing is there yet.
fs::path follow_links(fs::path path) {
  constexpr int kLinksMax = 40;
  std::error_code error;
  for (int i = 0; i < kLinksMax && fs::is_symlink(path, error); ++i) {
    const fs::path target = fs::read_symlink(path);
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return path;
}

/// What a file is that does not begin as a SQLite file does. A power cut can leave our first page
/// half written: by a checkpoint, and the log has the whole page; or by the creation, and the
/// rollback journal undoes it. The lock file is made before the database, so a journal without
/// one is somebody else's.
std::optional<Found> look_at_remains(const Options& options, const Place& place) {
  if (has_content(options, place.database + "-wal")) return Found::ours;
  std::error_code error;
  if (has_content(options, place.database + "-journal") && fs::exists(place.lock, error)) {
    return Found::nothing;
  }
  return std::nullopt;
}

Found look_at(const Options& options, const Place& place) {
  const std::string header = read_header({.path = place.database,
                                          .vfs = options.vfs,
                                          .access = Access::read_only,
                                          .busy_limit = options.busy_limit});
  if (header.empty()) return Found::nothing;
  const bool is_sqlite = header.size() == kHeaderBytes && header.starts_with(kMagic);
  if (is_sqlite && header.substr(kApplicationIdAt, 4) == kApplicationBytes) return Found::ours;
  if (is_sqlite) refuse_foreign(place.database, "it is a SQLite file of another application");
  if (const auto found = look_at_remains(options, place)) return *found;
  refuse_foreign(place.database, "it does not begin as a SQLite file does");
}

void create(SqliteConnection& connection, const std::string& path) {
  if (connection.answer_integer("PRAGMA page_count") != 0) {
    refuse_foreign(path, "it became a file of another application meanwhile");
  }
  // Syncs the folder too when the journal goes, which could come back and undo everything.
  connection.answer("PRAGMA synchronous = EXTRA");
  connection.answer("PRAGMA page_size = 4096");
  // One transaction, so that no crash leaves a file without the id. A deferred one: the vacuum mode
  // must be set before the first page is made.
  connection.execute("BEGIN");
  connection.answer("PRAGMA auto_vacuum = INCREMENTAL");
  connection.answer(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str());
  connection.execute("COMMIT");
}

void require_wal(SqliteConnection& connection, const std::string& path) {
  const std::string mode = connection.answer("PRAGMA journal_mode = WAL");
  if (mode == "wal") return;
  throw Unsupported(path + ": write-ahead logging was not granted (journal mode is " + mode +
                    "); use a local file system with shared memory");
}

void set_durability(SqliteConnection& connection, Durability durability) {
  const bool full = durability == Durability::full;
  connection.answer(full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  const auto in_force = connection.answer_integer("PRAGMA synchronous");
  if (in_force != (full ? 2 : 1)) {
    throw Unsupported("durability " + std::string(to_string(durability)) + " was not granted");
  }
}

}  // namespace

Place resolve(const Options& options) {
  if (options.path.empty()) throw InvalidArgument("path", "", "name a file");
  Place place{.database = options.path.string(), .lock = options.lock_path};
  if (options.vfs.empty()) {
    if (place.database == ":memory:" || place.database.starts_with("file:")) {
      throw InvalidArgument("path", place.database, "name a file, not a SQLite URI or :memory:");
    }
    std::error_code error;
    const auto real = fs::weakly_canonical(follow_links(fs::absolute(options.path)), error);
    if (error) throw Unavailable("cannot resolve " + place.database + ": " + error.message());
    place.database = real.string();
  }
  if (place.lock.empty()) place.lock = place.database + "-lock";
  return place;
}

void require_writable_schema(SqliteConnection& connection, const std::string& path) {
  const SchemaVersion found = read_schema_version(connection);
  if (found.min_writer <= kSchemaVersion) return;
  throw Unsupported(path + " needs a writer of schema version " + std::to_string(found.min_writer) +
                    " or later; this one has " + std::to_string(kSchemaVersion));
}

bool log_has_content(const Options& options, const Place& place) {
  return has_content(options, place.database + "-wal");
}

std::unique_ptr<SqliteConnection> open_for_writing(const Options& options, const Place& place,
                                                   LockFile& lock) {
  lock.lock(LockFile::Byte::writer, options.busy_limit);
  try {
    auto connection = std::make_unique<SqliteConnection>(
        ConnectionOptions{.path = place.database,
                          .vfs = options.vfs,
                          .access = options.create ? Access::create : Access::read_write,
                          .busy_limit = options.busy_limit});
    if (connection->answer_integer("PRAGMA application_id") != kApplicationId) {
      create(*connection, place.database);
    }
    require_writable_schema(*connection, place.database);
    require_wal(*connection, place.database);
    set_durability(*connection, options.durability);
    // Import and large batches touch many index pages; 64 MiB, in KiB.
    connection->answer("PRAGMA cache_size = -65536");
    // A log that readers once made long is cut back when it starts over.
    connection->answer("PRAGMA journal_size_limit = 67108864");
    migrate(*connection);
    lock.unlock(LockFile::Byte::writer);
    return connection;
  } catch (...) {
    lock.unlock(LockFile::Byte::writer);
    throw;
  }
}

void look_before_opening(const Options& options, const Place& place) {
  const bool may_create = options.create && options.access == OpenMode::read_write;
  if (!exists(options, place.database) || look_at(options, place) == Found::nothing) {
    if (!may_create) throw NotFound("database", place.database);
  }
}

}  // namespace holdfast::storage::sqlite
