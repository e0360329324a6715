#include <fcntl.h>

#include <fstream>
#include <set>

#include "database_fixture.h"
#include "storage/sqlite/connection.h"
#include "support/catch.h"
#include "unprivileged.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;
namespace fs = std::filesystem;

/// Some 3,000 pages, so that a backup takes several steps.
struct Fixture : TestDatabase {
  Fixture() {
    fs::create_directory(folder);
    run("INSERT INTO counters WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c"
        " WHERE n < 3000) SELECT hex(randomblob(1800)) || n, n FROM c");
    run("INSERT INTO counters VALUES ('a', 1)");
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) {
      found.insert(entry.path().filename().string());
    }
    return found;
  }
  /// The counter in the copy, opened as any database.
  std::int64_t counter_in_copy() {
    storage::Options copied = options;
    copied.path = to;
    copied.create = false;
    const auto copy = storage::Database::open(copied, environment.environment);
    const auto snapshot = copy->snapshot();
    return counter_in(snapshot->transaction(), "a");
  }

  fs::path folder = dir / "backups";
  fs::path to = folder / "copy.db";
};

}  // namespace

TEST_CASE("a backup is one file that opens as the database it was made of", "[storage]") {
  Fixture f;
  CHECK(f.database->backup(f.to, {}));
  CHECK(f.names() == std::set<std::string>{"copy.db"});
  CHECK(f.counter_in_copy() == 1);
}

TEST_CASE("a backup sees the instant of its start while writers go on", "[storage]") {
  Fixture f;
  int steps = 0;
  CHECK(f.database->backup(f.to, [&](const storage::BackupProgress& progress) {
    f.run("UPDATE counters SET n = n + 1 WHERE name = 'a'");
    CHECK(progress.pages_done <= progress.pages_total);
    CHECK(progress.pages_done <= static_cast<std::uint64_t>(++steps) * 1024);
    return true;
  }));
  REQUIRE(steps > 2);
  CHECK(f.counter("a") == 1 + steps);
  CHECK(f.counter_in_copy() == 1);
}

TEST_CASE("a backup that is stopped leaves nothing", "[storage]") {
  Fixture f;
  int steps = 0;
  const int last = GENERATE(1, 2, 3);
  CHECK_FALSE(f.database->backup(
      f.to, [&](const storage::BackupProgress&) { return ++steps < last; }));
  CHECK(steps == last);
  CHECK(f.names().empty());
}

TEST_CASE("a backup that fails on its way leaves nothing", "[storage]") {
  Fixture f;
  const std::string where = GENERATE("backup.started", "backup.copied");
  f.environment.faults.arm([&](std::string_view point) {
    if (point == where) throw Unavailable("fault");
  });
  CHECK_THROWS_AS(f.database->backup(f.to, {}), Unavailable);
  f.environment.faults.arm({});
  CHECK(f.names().empty());
  CHECK_THROWS_AS(f.database->backup(
                      f.to,
                      [](const storage::BackupProgress&) -> bool { throw std::runtime_error(""); }),
                  std::runtime_error);
  CHECK(f.names().empty());
}

TEST_CASE("a copy that was damaged on its way is Corrupt and is not kept", "[storage]") {
  Fixture f;
  f.environment.faults.arm([&](std::string_view point) {
    if (point != "backup.copied") return;
    for (const auto& entry : fs::directory_iterator(f.folder)) {
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(500 * 4096);
      file << std::string(4096, 'X');
    }
  });
  CHECK_THROWS_AS(f.database->backup(f.to, {}), Corrupt);
  f.environment.faults.arm({});
  CHECK(f.names().empty());
}

TEST_CASE("a backup overwrites nothing, not even what appears while it runs", "[storage]") {
  Fixture f;
  const auto put = [&] { std::ofstream(f.to) << "mine"; };
  SECTION("there before") { put(); }
  SECTION("there meanwhile") {
    f.environment.faults.arm([&](std::string_view point) {
      if (point == "backup.copied") put();
    });
  }
  SECTION("a link that leads nowhere") { fs::create_symlink("nowhere", f.to); }
  CHECK(error_code_of([&] { f.database->backup(f.to, {}); }) == "invalid_argument");
  f.environment.faults.arm({});
  CHECK(f.names() == std::set<std::string>{"copy.db"});
}

TEST_CASE("a backup refuses a name beside which an earlier database left its log", "[storage]") {
  Fixture f;
  const std::string suffix = GENERATE("-wal", "-journal");
  std::ofstream(f.to.string() + suffix) << "old";
  CHECK(error_code_of([&] { f.database->backup(f.to, {}); }) == "invalid_argument");
}

TEST_CASE("a backup needs a folder that exists and a name", "[storage]") {
  Fixture f;
  const std::string to = GENERATE("nowhere/copy.db", "backups/", "");
  CHECK(error_code_of([&] {
          f.database->backup(to.empty() ? fs::path() : f.dir / to, {});
        }) == "invalid_argument");
}

TEST_CASE("a backup may be read by those who may read the database", "[storage]") {
  Fixture f;
  const auto mode = GENERATE(fs::perms(0600), fs::perms(0640));
  fs::permissions(f.options.path, mode);
  REQUIRE(f.database->backup(f.to, {}));
  CHECK(fs::status(f.to).permissions() == mode);
}

TEST_CASE("a backup into a folder that is not writable is Unavailable", "[storage]") {
  Fixture f;
  f.close();
  f.options.access = storage::OpenMode::read_only;
  const ReadOnlyFolder backups(f.folder);
  const ReadOnlyFolder database(f.dir.path());
  fs::permissions(f.folder, fs::perms(0555));
  CHECK(as_nobody([&] {
          const auto opened = storage::Database::open(f.options, f.environment.environment);
          return error_code_of([&] { opened->backup(f.to, {}); });
        }) == "unavailable");
}

TEST_CASE("the bytes of the tables add up to the pages in use", "[storage]") {
  Fixture f;
  const auto tables = f.database->table_bytes();
  std::int64_t sum = 0;
  std::set<std::string> names;
  for (const auto& [table, bytes] : tables) {
    sum += bytes;
    names.insert(table);
  }
  CHECK(tables.front().table == "counters");
  CHECK(names.size() == tables.size());
  CHECK(names.count("entities") == 1);
  CHECK(names.count("entities_name") == 0);
  const auto info = f.database->info();
  // The pages that map pages to their parents belong to no table.
  const std::int64_t maps = info.database_bytes / info.page_bytes / 820 + 1;
  CHECK(sum <= info.database_bytes - info.free_bytes);
  CHECK(sum >= info.database_bytes - info.free_bytes - maps * info.page_bytes);
}
