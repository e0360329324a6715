#include "open.h"

#include <system_error>

#include <holdfast/core/error.h>

#include "schema.h"

namespace holdfast::storage::sqlite {
namespace {

namespace fs = std::filesystem;

enum class Found { nothing, ours };

[[noreturn]] void refuse_foreign(const std::string& path, const std::string& reason) {
  throw Unsupported(path + " is not a Holdfast database (" + reason +
                    "); it was left as it is; choose another path");
}

/// Reads through SQLite alone: opening and closing the file ourselves would drop the locks that
/// another connection of this process holds.
Found look_at(const Options& options, const std::string& path) {
  try {
    SqliteConnection look({.path = path,
                           .vfs = options.vfs,
                           .access = Access::read_only,
                           .busy_limit = options.busy_limit});
    const auto application = look.answer_integer("PRAGMA application_id");
    if (application == kApplicationId) return Found::ours;
    const auto objects = look.answer_integer("SELECT count(*) FROM sqlite_schema");
    if (application != 0 || objects != 0 || look.answer_integer("PRAGMA user_version") != 0) {
      refuse_foreign(path, "a SQLite file of another application");
    }
    return Found::nothing;
  } catch (const Corrupt& error) {
    refuse_foreign(path, error.what());
  }
}

bool exists(const Options& options, const std::string& path) {
  if (!options.vfs.empty()) {
    sqlite3_vfs* vfs = sqlite3_vfs_find(options.vfs.c_str());
    int found = 0;
    return vfs != nullptr &&
           vfs->xAccess(vfs, path.c_str(), SQLITE_ACCESS_EXISTS, &found) == SQLITE_OK &&
           found != 0;
  }
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return false;
  if (error) throw Unavailable("cannot look at " + path + ": " + error.message());
  if (status.type() != fs::file_type::regular) {
    throw Unsupported(path + " is not a regular file");
  }
  return true;
}

void create(SqliteConnection& connection) {
  connection.answer("PRAGMA page_size = 4096");
  connection.answer("PRAGMA auto_vacuum = INCREMENTAL");
  connection.answer(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str());
}

void require_wal(SqliteConnection& connection, const std::string& path) {
  const std::string mode = connection.answer("PRAGMA journal_mode = WAL");
  if (mode == "wal") return;
  throw Unsupported(path + ": write-ahead logging was not granted (journal mode is " + mode +
                    "); use a local file system with shared memory");
}

void require_writable_schema(SqliteConnection& connection, const std::string& path) {
  const SchemaVersion found = read_schema_version(connection);
  if (found.min_writer <= kSchemaVersion) return;
  throw Unsupported(path + " needs a writer of schema version " +
                    std::to_string(found.min_writer) + " or later; this one has " +
                    std::to_string(kSchemaVersion));
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
    const auto real = fs::weakly_canonical(fs::absolute(options.path), error);
    if (error) throw Unavailable("cannot resolve " + place.database + ": " + error.message());
    place.database = real.string();
  }
  if (place.lock.empty()) place.lock = place.database + "-lock";
  return place;
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
      create(*connection);
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

void look_before_opening(const Options& options, const std::string& path) {
  if (!exists(options, path)) {
    if (!options.create) throw NotFound("database", path);
    return;
  }
  if (look_at(options, path) == Found::nothing && !options.create) {
    throw NotFound("database", path);
  }
}

}  // namespace holdfast::storage::sqlite
