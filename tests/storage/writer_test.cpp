#include <holdfast/storage/writer.h>

#include <set>
#include <thread>

#include "database_fixture.h"
#include "storage/sqlite/schema.h"
#include "support/catch.h"
#include "support/writer_batch.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using storage::Transaction;
using storage::Verdict;

/// Runs changes in one batch behind a leader, and keeps how each ended.
struct Fixture : TestDatabase {
  using Change = storage::Writer::Change;

  static Change counting(const std::string& name) {
    return [name](storage::Transaction& transaction) { return count(transaction, name); };
  }
  /// The first leads alone; the others ride one commit.
  void run_batch(const std::vector<Change>& changes) {
    endings.assign(changes.size(), "");
    std::vector<std::function<void()>> calls;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      calls.emplace_back([this, &changes, i] {
        try {
          database->writer().submit(changes[i], "request " + std::to_string(i));
          endings[i] = "done";
        } catch (const std::exception& error) {
          endings[i] = error.what();
        }
      });
    }
    WriterBatch batch(environment.faults);
    batch.before_commit = before_commit;
    REQUIRE(batch.run(calls));
  }

  std::function<void(int)> before_commit;
  std::vector<std::string> endings;
};

using Endings = std::vector<std::string>;

}  // namespace

TEST_CASE("changes that wait together ride one commit", "[storage]") {
  Fixture f;
  const auto before = f.database->writer().stats();
  f.run_batch({f.counting("a"), f.counting("b"), f.counting("b"), f.counting("b")});
  const auto after = f.database->writer().stats();
  CHECK(after.commits == before.commits + 2);
  CHECK(after.changes == before.changes + 4);
  CHECK(after.batch_max == 3);
  CHECK(after.batch_sizes.sum == before.batch_sizes.sum + 4);
  CHECK(after.batch_sizes.buckets[2] == before.batch_sizes.buckets[2] + 1);
  CHECK(f.counter("b") == 3);
}

TEST_CASE("a refused member undoes only itself", "[storage]") {
  Fixture f;
  f.run_batch({f.counting("a"), f.counting("b"),
               [](storage::Transaction& transaction) {
                 TestDatabase::count(transaction, "refused");
                 return Verdict::undo;
               },
               f.counting("c")});
  CHECK(f.endings == Endings(4, "done"));
  CHECK(f.counter("b") == 1);
  CHECK(f.counter("refused") == 0);
  CHECK(f.counter("c") == 1);
}

TEST_CASE("a throwing member undoes only itself and gets its own exception", "[storage]") {
  Fixture f;
  f.run_batch({f.counting("a"), f.counting("b"),
               [](storage::Transaction& transaction) -> Verdict {
                 TestDatabase::count(transaction, "thrown");
                 throw std::runtime_error("mine");
               },
               f.counting("c")});
  CHECK(f.endings == Endings{"done", "done", "mine", "done"});
  CHECK(f.counter("b") == 1);
  CHECK(f.counter("thrown") == 0);
  CHECK(f.counter("c") == 1);
}

TEST_CASE("a later member of a batch sees what an earlier one wrote", "[storage]") {
  Fixture f;
  std::int64_t seen = -1;
  f.run_batch({f.counting("a"), f.counting("b"), [&](storage::Transaction& transaction) {
                 seen = TestDatabase::counter_in(transaction, "b");
                 return Verdict::undo;
               }});
  CHECK(seen == 1);
}

TEST_CASE("no member has its answer before the commit", "[storage]") {
  Fixture f;
  std::set<std::string> early;
  f.before_commit = [&](int commit) {
    if (commit != 2) return;
    for (const std::string& ending : f.endings) early.insert(ending);
  };
  f.run_batch({f.counting("a"), f.counting("b"),
               [](storage::Transaction&) { return Verdict::undo; },
               [](storage::Transaction&) -> Verdict { throw std::runtime_error("mine"); }});
  early.erase("done");  // the leader of the first batch may have returned
  CHECK(early == std::set<std::string>{""});
}

TEST_CASE("a member that makes the engine roll everything back is run out of the batch",
          "[storage]") {
  Fixture f;
  int runs = 0;
  f.run_batch({f.counting("a"),
               [&](storage::Transaction& transaction) {
                 ++runs;
                 return TestDatabase::count(transaction, "b");
               },
               [](storage::Transaction& transaction) {
                 transaction.prepare("INSERT OR ROLLBACK INTO counters VALUES ('a', 1)").run();
                 return Verdict::keep;
               },
               f.counting("c")});
  CHECK(f.endings[2].find("constraint") != std::string::npos);
  CHECK(runs == 2);
  CHECK(f.counter("b") == 1);
  CHECK(f.counter("c") == 1);
}

TEST_CASE("a member that outgrows the database undoes only itself and gets Full", "[storage]") {
  Fixture f;
  f.run_batch({f.counting("a"), f.counting("b"),
               [](storage::Transaction& transaction) {
                 auto limit = transaction.prepare("PRAGMA max_page_count = 100");
                 limit.step();
                 const auto fill = "INSERT INTO counters VALUES (hex(zeroblob(1000000)), 1)";
                 transaction.prepare(fill).run();
                 return Verdict::keep;
               },
               f.counting("c")});
  CHECK(f.endings[2].find("full") != std::string::npos);
  CHECK(f.counter("b") == 1);
  CHECK(f.counter("c") == 1);
}

TEST_CASE("when the lock stays taken, every member of the batch gets Busy", "[storage]") {
  Fixture f;
  const auto holder = f.open_another();
  std::vector<std::thread> threads;
  std::vector<std::string> endings(3);
  holder->writer().submit(
      [&](storage::Transaction&) {
        for (std::string& ending : endings) {
          threads.emplace_back([&] {
            ending = error_code_of([&] { f.run("INSERT INTO counters VALUES ('a', 1)"); });
          });
        }
        for (std::thread& thread : threads) thread.join();
        return Verdict::undo;
      },
      "request");
  CHECK(endings == Endings(3, "busy"));
  CHECK(f.counter("a") == 0);
}

TEST_CASE("a fault at the commit reaches the callers, and the writer goes on", "[storage]") {
  Fixture f;
  f.environment.faults.arm([](std::string_view point) {
    if (point == "writer.before_commit") throw std::runtime_error("fault");
  });
  CHECK_THROWS_WITH(f.run("INSERT INTO counters VALUES ('a', 1)"), "fault");
  f.environment.faults.arm({});
  CHECK(f.counter("a") == 0);
  f.run("INSERT INTO counters VALUES ('a', 1)");
  CHECK(f.counter("a") == 1);
}

TEST_CASE("a batch of refusals commits nothing", "[storage]") {
  Fixture f;
  const auto before = f.database->writer().stats();
  f.database->writer().submit([](storage::Transaction&) { return Verdict::undo; }, "request");
  const auto after = f.database->writer().stats();
  CHECK(after.commits == before.commits);
  CHECK(after.undone == before.undone + 1);
}

TEST_CASE("the writer tells how long commits took and how long the lock was waited for",
          "[storage]") {
  Fixture f;
  const auto before = f.database->writer().stats();
  const auto holder = f.open_another();
  holder->writer().submit(
      [&](storage::Transaction&) {
        // Busy: the clock of the tests moves on to the limit.
        CHECK(error_code_of([&] { f.run("DELETE FROM counters"); }) == "busy");
        return Verdict::undo;
      },
      "request");
  f.run("INSERT INTO counters VALUES ('a', 1)");
  const auto after = f.database->writer().stats();
  CHECK(after.commit_us.count == before.commit_us.count + 1);
  CHECK(after.lock_wait_us.count == before.lock_wait_us.count + 1);
  CHECK(after.lock_wait_us.max == 0);
}

TEST_CASE("sixteen threads count exactly", "[storage]") {
  constexpr int kThreads = 16;
  constexpr int kEach = 200;
  Fixture f;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&f, i] {
      for (int n = 0; n < kEach; ++n) {
        f.database->writer().submit(Fixture::counting("shared"), "request");
        f.database->writer().submit(Fixture::counting(std::to_string(i)), "request");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(f.counter("shared") == kThreads * kEach);
  for (int i = 0; i < kThreads; ++i) CHECK(f.counter(std::to_string(i)) == kEach);
  CHECK(f.database->writer().stats().changes >= 2 * kThreads * kEach);
}

TEST_CASE("two handles of one process write through one lock and count exactly (B17)",
          "[storage]") {
  constexpr int kEach = 200;
  Fixture f;
  TestEnvironment environment(2);
  const auto other = storage::Database::open(f.options, environment.environment);
  const auto work = [](storage::Database& database) {
    for (int n = 0; n < kEach; ++n) {
      for (;;) {
        // The simulated clock spends the busy limit in no time, so Busy is common here.
        try {
          database.writer().submit(Fixture::counting("shared"), "request");
          break;
        } catch (const Busy&) {
          std::this_thread::yield();
        }
      }
    }
  };
  std::thread first(work, std::ref(*f.database));
  std::thread second(work, std::ref(*other));
  first.join();
  second.join();
  CHECK(f.counter("shared") == 2 * kEach);
}

TEST_CASE("info and the reader's age can be asked for while others write", "[storage]") {
  Fixture f;
  std::thread writing([&f] {
    for (int n = 0; n < 100; ++n) f.database->writer().submit(Fixture::counting("a"), "request");
  });
  while (f.counter("a") < 100) {
    CHECK(f.database->info().schema_version == storage::sqlite::kSchemaVersion);
    CHECK(f.database->oldest_reader() == std::chrono::microseconds{0});
  }
  writing.join();
}

TEST_CASE("a change that submits another is a bug, not a wait for itself", "[storage]") {
  Fixture f;
  CHECK_THROWS_AS(f.database->writer().submit(
                      [&](storage::Transaction&) {
                        f.run("INSERT INTO counters VALUES ('inner', 1)");
                        return storage::Verdict::keep;
                      },
                      "outer"),
                  std::logic_error);
  CHECK_NOTHROW(f.run("INSERT INTO counters VALUES ('later', 1)"));
  CHECK(f.counter("inner") == 0);
}
