#include <fstream>
#include <set>

#include "database_fixture.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/schema.h"
#include "support/catch.h"
#include "unprivileged.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

/// A database of one counter, closed.
struct Fixture : TestDatabase {
  Fixture() {
    run("INSERT INTO counters VALUES ('a', 7)");
    close();
    options.access = storage::OpenMode::read_only;
  }
  std::unique_ptr<storage::Database> open_read_only() {
    return storage::Database::open(options, environment.environment);
  }
  std::string beside(const char* suffix) const { return options.path.string() + suffix; }
  void keep_only_the_file() const {
    for (const char* suffix : {"-wal", "-shm", "-lock"}) fs::remove(beside(suffix));
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(dir.path())) {
      found.insert(entry.path().filename().string());
    }
    return found;
  }
  /// The counter as a process sees it that may not write in the folder; the error without one.
  std::string seen_by_nobody() {
    const ReadOnlyFolder folder(dir.path());
    return as_nobody([this] {
      const auto opened = open_read_only();
      const auto snapshot = opened->snapshot();
      return std::to_string(counter_in(snapshot->transaction(), "a"));
    });
  }
  /// Leaves a log that holds the last commit: an open reader keeps the closing from emptying it.
  void leave_a_log() {
    options.access = storage::OpenMode::read_write;
    open();
    run("UPDATE counters SET n = 8");
    const auto other = open_another();
    const auto reader = other->snapshot();
    counter_in(reader->transaction(), "a");
    run("UPDATE counters SET n = 9");
    close();
    const fs::path folder = dir / "copy";
    fs::create_directory(folder);
    for (const char* suffix : {"", "-wal", "-shm"}) {
      fs::copy_file(beside(suffix), folder / ("test.db" + std::string(suffix)));
    }
    REQUIRE(fs::file_size(folder / "test.db-wal") > 0);
    fs::permissions(dir.path(), fs::perms(0755));
    options.path = folder / "test.db";
    options.access = storage::OpenMode::read_only;
  }
};

}  // namespace

TEST_CASE("a database opened read-only is read and refuses writes with Unavailable", "[storage]") {
  Fixture f;
  f.database = f.open_read_only();
  CHECK(f.counter("a") == 7);
  try {
    f.run("UPDATE counters SET n = 8");
    FAIL("written");
  } catch (const Unavailable& error) {
    CHECK_THAT(error.what(), ContainsSubstring("was opened read-only"));
  }
  CHECK_THROWS_AS(f.database->checkpoint(), Unavailable);
  CHECK(f.database->info().is_read_only);
  CHECK(f.database->info().journal_mode == "wal");
  CHECK(f.database->oldest_reader() == 0us);
}

TEST_CASE("a read-only database takes no lock and sees what others commit", "[storage]") {
  Fixture f;
  f.options.access = storage::OpenMode::read_write;
  f.options.busy_limit = 0ms;
  f.open();
  f.options.access = storage::OpenMode::read_only;
  std::unique_ptr<storage::Database> reading;
  f.database->writer().submit(
      [&](storage::Transaction& transaction) {
        reading = f.open_read_only();
        return TestDatabase::count(transaction, "a");
      },
      "request");
  const auto snapshot = reading->snapshot();
  CHECK(TestDatabase::counter_in(snapshot->transaction(), "a") == 8);
  CHECK(reading->commits() == f.database->commits());
}

TEST_CASE("read-only creates nothing: a file that does not exist is NotFound", "[storage]") {
  Fixture f;
  f.options.path = f.dir / "other.db";
  const auto before = f.names();
  CHECK(error_code_of([&] { f.open_read_only(); }) == "not_found");
  CHECK(f.names() == before);
}

TEST_CASE("a lone file in a folder that is not writable is read, and nothing is left beside it",
          "[storage]") {
  Fixture f;
  f.keep_only_the_file();
  const std::string name = GENERATE("test.db", "odd ?#%41&name.db");
  fs::rename(f.options.path, f.dir / "moved");
  fs::rename(f.dir / "moved", f.dir / name);
  f.options.path = f.dir / name;
  CHECK(f.seen_by_nobody() == "7");
  CHECK(f.names() == std::set<std::string>{name});
}

TEST_CASE("an empty log in a folder that is not writable does not keep the file from being read",
          "[storage]") {
  Fixture f;
  REQUIRE(fs::file_size(f.beside("-wal")) == 0);
  if (GENERATE(false, true)) fs::remove(f.beside("-shm"));
  CHECK(f.seen_by_nobody() == "7");
}

TEST_CASE("a log in a folder that is not writable is read where its index is there", "[storage]") {
  Fixture f;
  f.leave_a_log();
  const ReadOnlyFolder folder(f.options.path.parent_path());
  CHECK(as_nobody([&] {
          const auto opened = f.open_read_only();
          const auto snapshot = opened->snapshot();
          return std::to_string(TestDatabase::counter_in(snapshot->transaction(), "a"));
        }) == "9");
}

TEST_CASE("a log in a folder that is not writable without its index is Unavailable, not ignored",
          "[storage]") {
  Fixture f;
  f.leave_a_log();
  fs::remove(f.beside("-shm"));
  const ReadOnlyFolder folder(f.options.path.parent_path());
  CHECK_THAT(as_nobody([&]() -> std::string {
               try {
                 f.open_read_only();
               } catch (const Unavailable& error) {
                 return error.what();
               }
               return "opened";
             }),
             ContainsSubstring("its log holds changes"));
}

TEST_CASE("a file read as unchanging that somebody changes is Unavailable from then on",
          "[storage]") {
  Fixture f;
  f.keep_only_the_file();
  const std::string change = GENERATE("", "-wal");
  // A folder of nobody's, and a file that the child may write.
  fs::permissions(f.options.path, fs::perms(0666));
  std::ofstream(f.beside("-wal")).flush();
  fs::permissions(f.beside("-wal"), fs::perms(0666));
  fs::permissions(f.dir.path(), fs::perms(0555));
  CHECK(as_nobody([&]() -> std::string {
          const auto opened = f.open_read_only();
          opened->snapshot();
          std::ofstream(f.beside(change.c_str()), std::ios::app) << "x";
          return error_code_of([&] { opened->snapshot(); });
        }) == "unavailable");
  fs::permissions(f.dir.path(), fs::perms(0755));
}

TEST_CASE("an older schema is not read until it was migrated", "[storage]") {
  Fixture f;
  sqlite3* other = nullptr;
  REQUIRE(sqlite3_open(f.options.path.c_str(), &other) == SQLITE_OK);
  REQUIRE(sqlite3_exec(other, "DROP TABLE meta", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(other);
  try {
    f.open_read_only();
    FAIL("opened");
  } catch (const Unsupported& error) {
    const std::string ours = std::to_string(storage::sqlite::kSchemaVersion);
    CHECK_THAT(error.what(), ContainsSubstring("schema version 0") &&
                                 ContainsSubstring("reads version " + ours) &&
                                 ContainsSubstring("open it for writing once"));
  }
}

TEST_CASE("a foreign file is refused read-only too", "[storage]") {
  Fixture f;
  f.options.path = f.dir / "diary.txt";
  std::ofstream(f.options.path) << std::string(200, '.');
  CHECK(error_code_of([&] { f.open_read_only(); }) == "unsupported");
}

TEST_CASE("without a lock file commits are 0, and waiting for one is Unavailable", "[storage]") {
  Fixture f;
  f.keep_only_the_file();
  const auto opened = f.open_read_only();
  CHECK(opened->commits() == 0);
  CHECK_THROWS_AS(opened->wait_for_commit(0, 1ms), Unavailable);
  CHECK_FALSE(fs::exists(f.beside("-lock")));
  CHECK(opened->check_integrity().size() == 1);  // the tests' own table
}

TEST_CASE("a read-only database is told of commits", "[storage]") {
  Fixture f;
  const auto reading = f.open_read_only();
  const auto seen = reading->commits();
  f.options.access = storage::OpenMode::read_write;
  f.open();
  f.run("UPDATE counters SET n = 8");
  CHECK(reading->wait_for_commit(seen, 1min));
}

TEST_CASE("info tells the size of the log's file", "[storage]") {
  Fixture f;
  f.options.access = storage::OpenMode::read_write;
  f.open();
  CHECK_FALSE(f.database->info().is_read_only);
  f.run("UPDATE counters SET n = 8");
  CHECK(f.database->info().log_bytes ==
        static_cast<std::int64_t>(fs::file_size(f.beside("-wal"))));
  CHECK(f.database->info().log_bytes > 0);
  f.close();
  f.keep_only_the_file();
  f.options.access = storage::OpenMode::read_only;
  CHECK(f.open_read_only()->info().log_bytes == 0);
}
