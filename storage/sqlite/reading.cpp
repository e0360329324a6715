#include "reading.h"

#include <sqlite3.h>

#include <holdfast/core/error.h>

#include "backup.h"
#include "schema.h"

namespace holdfast::storage::sqlite {
namespace {

/// The versions whose commits and checkpoints must be kept apart: 3.7.0 to 3.51.2, but for the
/// branches that have the fix (sqlite.org/wal.html, "the WAL-reset bug").
bool may_lose_pages(int version) {
  if (version >= 3051003) return false;
  return version != 3044006 && version != 3050007;
}

std::int64_t bytes_of(const std::filesystem::path& file) {
  std::error_code absent;
  const auto bytes = std::filesystem::file_size(file, absent);
  return absent ? 0 : static_cast<std::int64_t>(bytes);
}

}  // namespace

ReadingDatabase::ReadingDatabase(const Options& options, Place place,
                                 const ConnectionOptions& readers, core::Environment& environment)
    : options_(options),
      place_(std::move(place)),
      environment_(environment),
      readers_(readers, options_.readers_idle_max, environment),
      commit_watch_(place_.lock, [this] { return commits(); }, environment) {}

std::unique_ptr<Snapshot> ReadingDatabase::snapshot(ReaderAge age) {
  require_readable();
  std::optional<std::chrono::microseconds> age_max;
  if (age == ReaderAge::bounded) age_max = options_.reader_age_max;
  return std::make_unique<SqliteSnapshot>(readers_, environment_.clock, age_max);
}

DatabaseInfo ReadingDatabase::info() {
  require_readable();
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
  info.log_bytes = bytes_of(place_.database + "-wal");
  info.is_read_only = options_.access == OpenMode::read_only;
  info.commits_seen = commits();
  if (may_lose_pages(sqlite3_libversion_number())) {
    info.advice = "SQLite " + info.engine_version +
                  " can lose pages when a checkpoint meets a commit; Holdfast keeps them apart by "
                  "its lock file, but other programs that write to this file obey no lock of ours";
  }
  return info;
}

std::vector<std::string> ReadingDatabase::check_integrity() {
  require_readable();
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

bool ReadingDatabase::backup(const std::filesystem::path& to, const BackupControl& control) {
  require_readable();
  SqliteSnapshot snapshot(readers_, environment_.clock, std::nullopt);
  return write_backup(snapshot.connection(), place_.database, to, control, environment_);
}

std::vector<TableBytes> ReadingDatabase::table_bytes() {
  require_readable();
  SqliteSnapshot snapshot(readers_, environment_.clock, std::nullopt);
  const char* const module = "SELECT name FROM pragma_module_list WHERE name = 'dbstat'";
  if (snapshot.connection().answer(module).empty()) {
    throw Unsupported("the linked SQLite cannot tell the sizes of tables (it lacks dbstat)");
  }
  // The schema's own table is in no schema, so its name is what dbstat calls it.
  auto select = snapshot.transaction().prepare(
      "SELECT coalesce(object.tbl_name, stat.name), sum(stat.pgsize) FROM dbstat AS stat"
      " LEFT JOIN sqlite_schema AS object ON object.name = stat.name WHERE stat.aggregate = TRUE"
      " GROUP BY 1 ORDER BY 2 DESC, 1");
  std::vector<TableBytes> tables;
  while (select.step()) {
    tables.push_back({select.get<std::string>(0), select.get<std::int64_t>(1)});
  }
  return tables;
}

}  // namespace holdfast::storage::sqlite
