#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "support/crash_vfs.h"

namespace holdfast::test {

inline constexpr int kTransactions = 8;
inline constexpr std::uint64_t kSeeds = 25;

/// A bare SQLite connection, so that the disk is tested without our own storage code.
class BareConnection {
 public:
  explicit BareConnection(const CrashDisk& disk) {
    sqlite3* opened = nullptr;
    sqlite3_open_v2("/data/main.db", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                    disk.vfs_name().c_str());
    database_.reset(opened);
    sqlite3_extended_result_codes(opened, 1);
    sqlite3_busy_timeout(opened, 20'000);
  }
  int execute(const std::string& sql) {
    return sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  }
  /// First column of the first row; none on any error and when there is no row.
  std::optional<std::string> text(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr);
    std::optional<std::string> answer;
    if (statement != nullptr && sqlite3_step(statement) == SQLITE_ROW) {
      const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      answer = value == nullptr ? "" : value;
    }
    if (sqlite3_finalize(statement) != SQLITE_OK) return std::nullopt;
    return answer;
  }
  /// The same as a number; -1 where there is none.
  long number(const std::string& sql) {
    const std::string digits = text(sql).value_or("");
    return digits.empty() ? -1 : std::strtol(digits.c_str(), nullptr, 10);
  }
  bool set_up(const std::string& synchronous) {
    return text("PRAGMA journal_mode = WAL") == "wal" &&
           execute("PRAGMA synchronous = " + synchronous) == SQLITE_OK &&
           execute("PRAGMA wal_autocheckpoint = 0") == SQLITE_OK;
  }
  /// One transaction that counts and writes the new count down in a second table.
  int count_up() {
    int code = execute("BEGIN IMMEDIATE");
    if (code != SQLITE_OK) return code;
    code = execute(
        "UPDATE counter SET value = value + 1;"
        "INSERT INTO entries SELECT value, hex(zeroblob(900)) FROM counter");
    if (code == SQLITE_OK) code = execute("COMMIT");
    if (sqlite3_get_autocommit(database_.get()) == 0) execute("ROLLBACK");
    return code;
  }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::unique_ptr<sqlite3, Close> database_;
};

inline const std::string kSchema =
    "BEGIN IMMEDIATE; CREATE TABLE counter(value INTEGER NOT NULL);"
    "CREATE TABLE entries(number INTEGER PRIMARY KEY, filler TEXT);"
    "INSERT INTO counter VALUES (0); COMMIT";

/// What a workload was told by SQLite: -1 before the schema was there.
struct Acknowledged {
  long count = -1;
  bool is_finished = false;
};

/// Two connections that count in turn, with checkpoints of each kind in between. Stops at the
/// first error; `at_end` sees the disk while the connections are open.
template <typename AtEnd>
Acknowledged run(CrashDisk& disk, const std::string& synchronous, AtEnd at_end) {
  Acknowledged told;
  BareConnection first(disk);
  BareConnection second(disk);
  const auto work = [&] {
    if (!first.set_up(synchronous) || first.execute(kSchema) != SQLITE_OK) return;
    told.count = 0;
    if (!second.set_up(synchronous)) return;
    for (int i = 0; i < kTransactions; ++i) {
      BareConnection& writer = i % 2 == 0 ? first : second;
      if (writer.count_up() != SQLITE_OK) return;
      ++told.count;
      const char* const mode = i % 4 == 1 ? "PASSIVE" : i % 4 == 2 ? "RESTART" : "TRUNCATE";
      if (i % 4 == 0) continue;
      if (first.execute("PRAGMA wal_checkpoint(" + std::string(mode) + ")") != SQLITE_OK) return;
    }
    told.is_finished = true;
  };
  work();
  at_end(told);
  return told;
}

struct Found {
  bool is_sound = false;  ///< integrity_check says ok
  bool is_split = false;  ///< counter and entries disagree
  long count = -1;        ///< -1 without a schema
};

inline Found inspect(CrashDisk& disk) {
  BareConnection connection(disk);
  Found found;
  found.is_sound = connection.text("PRAGMA integrity_check") == "ok";
  if (connection.number("SELECT count(*) FROM sqlite_schema") != 2) return found;
  found.count = connection.number("SELECT value FROM counter");
  found.is_split = found.count != connection.number("SELECT count(*) FROM entries") ||
                   found.count != connection.number("SELECT ifnull(max(number), 0) FROM entries");
  return found;
}

inline Found inspect(DiskImage image, const DiskOptions& options = {}) {
  CrashDisk disk(std::move(image), options);
  return inspect(disk);
}

struct Tally {
  long cycles = 0;
  long unsound = 0;
  long split = 0;
  long lost = 0;      ///< fewer transactions than were acknowledged
  long invented = 0;  ///< more than the acknowledged and the one in flight
  long violations = 0;

  void add(const Found& found, const Acknowledged& told) {
    ++cycles;
    unsound += found.is_sound ? 0 : 1;
    split += found.is_split ? 1 : 0;
    lost += found.count < told.count ? 1 : 0;
    invented += found.count > told.count + 1 ? 1 : 0;
  }
};

}  // namespace holdfast::test
