#include "storage/sqlite/checkpoint.h"

#include <stdexcept>

#include "database_fixture.h"
#include "support/catch.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;
namespace fs = std::filesystem;
using storage::sqlite::Checkpoint;
using storage::sqlite::LockFile;
using storage::sqlite::run_checkpoint;
using storage::sqlite::SqliteConnection;
using Byte = storage::sqlite::LockFile::Byte;

struct Fixture : TestDatabase {
  std::uintmax_t log_bytes() const { return fs::file_size(options.path.string() + "-wal"); }
  void fill() {
    for (int i = 0; i < 20; ++i) {
      run("INSERT INTO counters VALUES (hex(randomblob(3000)), 1)");
    }
  }
};

}  // namespace

TEST_CASE("a checkpoint without both lock bytes is a bug", "[storage]") {
  Fixture f;
  SqliteConnection connection(
      {.path = f.options.path.string(), .vfs = "", .access = storage::sqlite::Access::read_write});
  connection.answer("PRAGMA schema_version");  // opens the log
  LockFile lock(f.options.path.string() + "-lock", f.environment.environment);
  const auto run = [&] { run_checkpoint(connection, lock, Checkpoint::passive); };
  CHECK_THROWS_AS(run(), std::logic_error);
  REQUIRE(lock.try_lock(Byte::writer));
  CHECK_THROWS_AS(run(), std::logic_error);
  lock.unlock(Byte::writer);
  REQUIRE(lock.try_lock(Byte::checkpoint));
  CHECK_THROWS_AS(run(), std::logic_error);
  REQUIRE(lock.try_lock(Byte::writer));
  CHECK_NOTHROW(run());
}

TEST_CASE("checkpoint() empties the log and says so", "[storage]") {
  Fixture f;
  f.fill();
  REQUIRE(f.log_bytes() > 0);
  CHECK(f.database->checkpoint());
  CHECK(f.log_bytes() == 0);
  CHECK(f.on_reader("SELECT count(*) FROM counters") == "20");
}

TEST_CASE("a reader holds a checkpoint back, and it says so without waiting", "[storage]") {
  Fixture f;
  f.fill();
  {
    const auto reader = f.database->snapshot();
    REQUIRE(Fixture::counter_in(reader->transaction(), "x") == 0);
    f.fill();
    CHECK_FALSE(f.database->checkpoint());
    CHECK(f.log_bytes() > 0);
    CHECK(Fixture::counter_in(reader->transaction(), "x") == 0);
  }
  CHECK(f.database->checkpoint());
  CHECK(f.log_bytes() == 0);
}

TEST_CASE("a checkpoint waits for no longer than the busy limit for a writer", "[storage]") {
  Fixture f;
  const auto other = f.open_another();
  f.database->writer().submit(
      [&](storage::Transaction&) {
        CHECK(error_code_of([&] { other->checkpoint(); }) == "busy");
        return storage::Verdict::undo;
      },
      "request");
  CHECK_NOTHROW(other->checkpoint());
}

TEST_CASE("the writer keeps the log short by itself", "[storage]") {
  Fixture f;
  f.close();
  f.options.checkpoint_pages = 50;
  f.open();
  for (int i = 0; i < 20; ++i) f.fill();
  CHECK(f.log_bytes() < 200 * 4096);
}

TEST_CASE("a log that a reader made long is copied and reused once the reader is gone",
          "[storage]") {
  Fixture f;
  f.close();
  f.options.checkpoint_pages = 50;
  f.open();
  {
    const auto reader = f.database->snapshot();
    REQUIRE(Fixture::counter_in(reader->transaction(), "x") == 0);
    for (int i = 0; i < 10; ++i) f.fill();
  }
  const auto longest = f.log_bytes();
  for (int i = 0; i < 10; ++i) f.fill();
  CHECK(f.log_bytes() < longest + 100 * 4120);
  CHECK(f.database->info().log_pages < 300);
}

TEST_CASE("opening a database copies the log that it finds and empties it", "[storage]") {
  Fixture f;
  f.fill();
  fs::create_directory(f.dir / "copy");
  for (const char* suffix : {"", "-wal"}) {
    fs::copy_file(f.options.path.string() + suffix, (f.dir / "copy/test.db").string() + suffix);
  }
  f.options.path = f.dir / "copy/test.db";
  REQUIRE(f.log_bytes() > 0);
  const auto other = f.open_another();
  CHECK(f.log_bytes() == 0);
}
