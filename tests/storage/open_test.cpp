#include <fstream>
#include <map>

#include "database_fixture.h"
#include "storage/sqlite/connection.h"
#include "support/catch.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;
namespace fs = std::filesystem;

struct Place {
  Place() { options.path = dir / "test.db"; }
  void put(const std::string& bytes) const {
    std::ofstream(options.path, std::ios::binary) << bytes;
  }
  /// Runs SQL on the file as another program would.
  void run_sql(const std::string& sql) const {
    sqlite3* connection = nullptr;
    REQUIRE(sqlite3_open(options.path.c_str(), &connection) == SQLITE_OK);
    REQUIRE(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(connection);
  }
  /// Names and contents of everything in the folder.
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::directory_iterator(dir.path())) {
      std::ifstream file(entry.path(), std::ios::binary);
      found[entry.path().filename()] = {std::istreambuf_iterator<char>(file), {}};
    }
    return found;
  }
  void open() { storage::Database::open(options, environment.environment); }
  /// The message of the Unsupported that open() must throw.
  std::string refusal() {
    try {
      open();
    } catch (const Unsupported& error) {
      return error.what();
    }
    return "opened";
  }

  TempDir dir;
  TestEnvironment environment;
  storage::Options options;
};

using Catch::Matchers::ContainsSubstring;

}  // namespace

TEST_CASE("a SQLite file of another application is refused and left as it is", "[storage]") {
  Place f;
  f.run_sql("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
  const auto before = f.contents();
  CHECK_THAT(f.refusal(), ContainsSubstring("not a Holdfast database") &&
                              ContainsSubstring("left as it is"));
  CHECK(f.contents() == before);
}

TEST_CASE("a foreign file in WAL mode is refused without a file left beside it", "[storage]") {
  Place f;
  f.run_sql("PRAGMA journal_mode = WAL; CREATE TABLE t (a)");
  const auto before = f.contents();
  CHECK_THAT(f.refusal(), ContainsSubstring("not a Holdfast database"));
  CHECK(f.contents() == before);
}

TEST_CASE("a foreign file with a log that was not copied is refused and left as it is",
          "[storage]") {
  Place f;
  sqlite3* writer = nullptr;
  REQUIRE(sqlite3_open(f.options.path.c_str(), &writer) == SQLITE_OK);
  sqlite3_exec(writer, "PRAGMA journal_mode = WAL; CREATE TABLE t (a)", nullptr, nullptr, nullptr);
  const auto before = f.contents();
  REQUIRE(before.size() == 3);
  CHECK_THAT(f.refusal(), ContainsSubstring("not a Holdfast database"));
  CHECK(f.contents() == before);
  sqlite3_close(writer);
}

TEST_CASE("an empty SQLite file with another application's id is refused", "[storage]") {
  Place f;
  f.run_sql("PRAGMA application_id = 77");
  CHECK_THAT(f.refusal(), ContainsSubstring("another application"));
}

TEST_CASE("a text file is refused and left as it is", "[storage]") {
  Place f;
  f.put("Dear diary, this is much longer than the header of a database would be. " +
        std::string(200, '.'));
  const auto before = f.contents();
  CHECK_THAT(f.refusal(), ContainsSubstring("does not begin as a SQLite file does"));
  CHECK(f.contents() == before);
}

TEST_CASE("a file with a truncated or damaged header is refused and left as it is (B17)",
          "[storage]") {
  Place f;
  f.open();
  for (const char* suffix : {"-wal", "-shm", "-lock"}) fs::remove(f.options.path.string() + suffix);
  std::string bytes = f.contents()["test.db"];
  const int damage = GENERATE(0, 1, 2);
  CAPTURE(damage);
  if (damage == 0) bytes.resize(60);
  if (damage == 1) bytes[3] = 'X';
  if (damage == 2) bytes.resize(1);
  f.put(bytes);
  const auto before = f.contents();
  CHECK_THAT(f.refusal(), ContainsSubstring("not a Holdfast database"));
  CHECK(f.contents() == before);
}

TEST_CASE("a file that is damaged below its header is Corrupt and is never moved aside",
          "[storage]") {
  Place f;
  f.open();
  std::string bytes = f.contents()["test.db"];
  for (std::size_t at = 100; at < 4096; ++at) bytes[at] = 'X';
  f.put(bytes);
  CHECK_THROWS_AS(f.open(), Corrupt);
  CHECK(f.contents()["test.db"] == bytes);
}

TEST_CASE("a healthy file under a held lock is Busy and is never moved aside (B16)", "[storage]") {
  Place f;
  f.open();
  const auto holder = storage::Database::open(f.options, f.environment.environment);
  holder->writer().submit(
      [&](storage::Transaction&) {
        const std::string bytes = f.contents()["test.db"];
        CHECK(error_code_of([&] { f.open(); }) == "busy");
        CHECK(f.contents()["test.db"] == bytes);
        return storage::Verdict::undo;
      },
      "request");
}

TEST_CASE("a directory is refused", "[storage]") {
  Place f;
  f.options.path = f.dir.path();
  CHECK_THAT(f.refusal(), ContainsSubstring("not a regular file"));
}

TEST_CASE("an empty file becomes ours", "[storage]") {
  Place f;
  f.put("");
  f.open();
  f.options.create = false;
  CHECK(storage::Database::open(f.options, f.environment.environment)->info().schema_version == 5);
}

TEST_CASE("without create a file that does not exist is NotFound and stays so", "[storage]") {
  Place f;
  f.options.create = false;
  CHECK(error_code_of([&] { f.open(); }) == "not_found");
  CHECK(f.contents().empty());
}

TEST_CASE("without create an empty file is NotFound and stays empty", "[storage]") {
  Place f;
  f.options.create = false;
  f.put("");
  CHECK(error_code_of([&] { f.open(); }) == "not_found");
  CHECK(f.contents() == std::map<std::string, std::string>{{"test.db", ""}});
}

TEST_CASE("a folder that does not exist is Unavailable", "[storage]") {
  Place f;
  f.options.path = f.dir / "nowhere/test.db";
  CHECK(error_code_of([&] { f.open(); }) == "unavailable");
}

TEST_CASE("no path, :memory: and SQLite URIs are invalid", "[storage]") {
  Place f;
  const std::string path = GENERATE("", ":memory:", "file:test.db", "file::memory:?cache=shared");
  CAPTURE(path);
  f.options.path = path;
  CHECK(error_code_of([&] { f.open(); }) == "invalid_argument");
}

TEST_CASE("a file that needs a newer writer is refused, and the message names both versions",
          "[storage]") {
  Place f;
  f.open();
  f.run_sql("UPDATE meta SET version = 9, min_writer = 7");
  CHECK_THAT(f.refusal(), ContainsSubstring("schema version 7") &&
                              ContainsSubstring("this one has 5"));
}

TEST_CASE("a file of a newer schema that this writer may write to is opened", "[storage]") {
  Place f;
  f.open();
  f.run_sql("UPDATE meta SET version = 9, min_writer = 1");
  const auto database = storage::Database::open(f.options, f.environment.environment);
  CHECK(database->info().schema_version == 9);
}

TEST_CASE("a place where write-ahead logging is not granted is refused", "[storage]") {
  Place f;
  f.options.vfs = "unix-dotfile";  // it has no shared memory
  f.options.lock_path = f.dir / "test.db-lock";
  CHECK_THAT(f.refusal(), ContainsSubstring("write-ahead logging was not granted"));
}

TEST_CASE("a file of two hard links is refused, by either name", "[storage]") {
  Place f;
  f.open();
  fs::create_hard_link(f.options.path, f.dir / "other.db");
  CHECK(f.refusal().find("2 hard links") != std::string::npos);
  f.options.path = f.dir / "other.db";
  CHECK(f.refusal().find("2 hard links") != std::string::npos);
  fs::remove(f.dir / "test.db");
  CHECK(f.refusal() == "opened");
}

TEST_CASE("a database made through a link that led nowhere has its lock beside the file",
          "[storage]") {
  Place f;
  fs::create_symlink("real.db", f.dir / "test.db");
  f.open();
  CHECK(fs::exists(f.dir / "real.db-lock"));
  CHECK_FALSE(fs::exists(f.dir / "test.db-lock"));
}
