#include "storage/sqlite/lock_file.h"

#include "database_fixture.h"
#include "support/catch.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using storage::sqlite::LockFile;
using Byte = storage::sqlite::LockFile::Byte;

struct Two {
  TempDir dir;
  TestEnvironment environment;
  LockFile first{dir / "lock", environment.environment};
  LockFile second{dir / "lock", environment.environment};
};

}  // namespace

TEST_CASE("a lock byte has one holder, also within one process", "[storage]") {
  Two f;
  REQUIRE(f.first.try_lock(Byte::writer));
  CHECK_FALSE(f.second.try_lock(Byte::writer));
  f.first.unlock(Byte::writer);
  CHECK(f.second.try_lock(Byte::writer));
}

TEST_CASE("the two lock bytes are independent", "[storage]") {
  Two f;
  REQUIRE(f.first.try_lock(Byte::writer));
  CHECK(f.second.try_lock(Byte::checkpoint));
}

TEST_CASE("closing a lock file elsewhere in the process drops no lock", "[storage]") {
  Two f;
  REQUIRE(f.first.try_lock(Byte::writer));
  { LockFile third(f.dir / "lock", f.environment.environment); }
  CHECK_FALSE(f.second.try_lock(Byte::writer));
}

TEST_CASE("waiting for a lock ends in Busy when the limit is over", "[storage]") {
  Two f;
  REQUIRE(f.first.try_lock(Byte::writer));
  const auto start = f.environment.clock.elapsed();
  CHECK_THROWS_AS(f.second.lock(Byte::writer, 200ms), Busy);
  const auto waited = f.environment.clock.elapsed() - start;
  CHECK(waited >= 200ms);
  CHECK(waited < 205ms);
}

TEST_CASE("a lock file that was removed is Unavailable", "[storage]") {
  Two f;
  std::filesystem::remove(f.dir / "lock");
  CHECK_THROWS_AS(f.first.lock(Byte::writer, 200ms), Unavailable);
  CHECK_FALSE(f.first.is_held(Byte::writer));
}

TEST_CASE("a database whose lock file was removed refuses writes until it is reopened",
          "[storage]") {
  TestDatabase f;
  std::filesystem::remove(f.options.path.string() + "-lock");
  CHECK(error_code_of([&] { f.run("INSERT INTO counters VALUES ('a', 1)"); }) == "unavailable");
  CHECK(f.counter("a") == 0);
  f.close();
  f.open();
  f.run("INSERT INTO counters VALUES ('a', 1)");
  CHECK(f.counter("a") == 1);
}

TEST_CASE("the commit counter grows with every commit, by any handle", "[storage]") {
  TestDatabase f;
  const auto other = f.open_another();
  const auto before = f.database->info().commits_seen;
  f.run("INSERT INTO counters VALUES ('a', 1)");
  TestDatabase::run_on(*other, "INSERT INTO counters VALUES ('b', 1)");
  CHECK(f.database->info().commits_seen == before + 2);
  CHECK(other->info().commits_seen == before + 2);
}

TEST_CASE("a refused change does not move the commit counter", "[storage]") {
  TestDatabase f;
  const auto before = f.database->info().commits_seen;
  f.database->writer().submit(
      [](storage::Transaction& transaction) {
        TestDatabase::count(transaction, "a");
        return storage::Verdict::undo;
      },
      "request");
  CHECK(f.database->info().commits_seen == before);
}

TEST_CASE("two names of one file share one lock", "[storage]") {
  TestDatabase f;
  std::filesystem::create_symlink(f.options.path, f.dir / "link.db");
  std::filesystem::create_directory_symlink(f.dir.path(), f.dir / "folder");
  const std::string name = GENERATE("link.db", "folder/test.db", "folder/link.db");
  CAPTURE(name);
  storage::Options options = f.options;
  options.path = f.dir / name;
  options.busy_limit = 0ms;
  const auto other = storage::Database::open(options, f.environment.environment);
  f.database->writer().submit(
      [&](storage::Transaction&) {
        CHECK(error_code_of([&] {
                TestDatabase::run_on(*other, "INSERT INTO counters VALUES ('a', 1)");
              }) == "busy");
        return storage::Verdict::undo;
      },
      "request");
  CHECK(other->info().path == f.database->info().path);
  CHECK_FALSE(std::filesystem::exists(f.dir / "link.db-lock"));
}

TEST_CASE("readers need no lock", "[storage]") {
  TestDatabase f;
  f.database->writer().submit(
      [&](storage::Transaction& transaction) {
        TestDatabase::count(transaction, "a");
        CHECK(f.counter("a") == 0);
        return storage::Verdict::keep;
      },
      "request");
  CHECK(f.counter("a") == 1);
}

TEST_CASE("a database whose file was removed or replaced refuses writes until it is reopened",
          "[storage]") {
  TestDatabase f;
  std::filesystem::rename(f.options.path, f.dir / "moved.db");
  if (GENERATE(false, true)) std::filesystem::copy(f.dir / "moved.db", f.options.path);
  CHECK(error_code_of([&] { f.run("INSERT INTO counters VALUES ('a', 1)"); }) == "unavailable");
  std::filesystem::remove(f.options.path);
  std::filesystem::rename(f.dir / "moved.db", f.options.path);
  CHECK_NOTHROW(f.run("INSERT INTO counters VALUES ('a', 1)"));
}
