#include <sys/resource.h>
#include <sys/wait.h>

#include <atomic>
#include <condition_variable>
#include <thread>

#include "database_fixture.h"
#include "support/catch.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;

constexpr auto kLong = std::chrono::minutes(5);  ///< no test may need it

/// Counts how often waiters reached a fault point, and lets others wait for that.
struct Fixture : TestDatabase {
  Fixture() {
    environment.faults.arm([this](std::string_view point) {
      const std::unique_lock lock(mutex);
      if (point == "commit_watch.lead") ++leads;
      if (point == "commit_watch.follow") ++follows;
      moved.notify_all();
    });
  }
  ~Fixture() { environment.faults.arm({}); }
  template <class Condition>
  void until(Condition condition) {
    std::unique_lock lock(mutex);
    moved.wait(lock, condition);
  }
  void commit() { run("INSERT INTO counters VALUES ('a', 1) ON CONFLICT DO UPDATE SET n = n + 1"); }

  std::mutex mutex;
  std::condition_variable moved;
  int leads = 0;
  int follows = 0;
};

}  // namespace

TEST_CASE("a commit between reading the counter and waiting is seen at once", "[storage]") {
  Fixture f;
  const auto seen = f.database->commits();
  f.commit();
  CHECK(f.database->commits() == seen + 1);
  CHECK(f.database->wait_for_commit(seen, kLong));
  CHECK(f.leads == 0);
}

TEST_CASE("waiting for a commit that does not come ends with the limit", "[storage]") {
  Fixture f;
  const auto seen = f.database->commits();
  CHECK_FALSE(f.database->wait_for_commit(seen, 0ms));
  CHECK_FALSE(f.database->wait_for_commit(seen, 2ms));
  CHECK(f.database->wait_for_commit(seen + 1, kLong));
}

TEST_CASE("a waiter is woken by a commit of its own database, and by one of another handle",
          "[storage]") {
  Fixture f;
  const bool own = GENERATE(true, false);
  const auto other = f.open_another();
  const auto seen = f.database->commits();
  std::thread waiting([&] { CHECK(f.database->wait_for_commit(seen, kLong)); });
  f.until([&] { return f.leads > 0; });
  TestDatabase::run_on(own ? *f.database : *other, "INSERT INTO counters VALUES ('a', 1)");
  waiting.join();
}

TEST_CASE("a waiter is woken by a commit of another process", "[storage]") {
  Fixture f;
  f.close();
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  // The child makes its database after the fork, and commits when it is told to.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    char told = 0;
    close(ends[1]);
    if (read(ends[0], &told, 1) != 1) _exit(1);
    try {
      TestEnvironment environment(2);
      auto database = storage::Database::open(f.options, environment.environment);
      TestDatabase::run_on(*database, "INSERT INTO counters VALUES ('a', 1)");
    } catch (...) {
      _exit(2);
    }
    _exit(0);
  }
  close(ends[0]);
  f.open();
  const auto seen = f.database->commits();
  std::thread waiting([&] { CHECK(f.database->wait_for_commit(seen, kLong)); });
  f.until([&] { return f.leads > 0; });
  CHECK(write(ends[1], "x", 1) == 1);
  waiting.join();
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(f.counter("a") == 1);
}

TEST_CASE("one commit wakes twenty waiters", "[storage]") {
  Fixture f;
  const auto seen = f.database->commits();
  std::atomic<int> woken = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&] { woken += f.database->wait_for_commit(seen, kLong) ? 1 : 0; });
  }
  f.until([&] { return f.leads == 1 && f.follows == 19; });
  f.commit();
  for (std::thread& thread : threads) thread.join();
  CHECK(woken == 20);
}

TEST_CASE("when the time of the waiter that watches is up, another watches on", "[storage]") {
  Fixture f;
  const auto seen = f.database->commits();
  std::thread patient;
  std::atomic<bool> patient_saw = false;
  // The first stands where it is about to wait until the second waits behind it.
  f.environment.faults.arm([&](std::string_view point) {
    std::unique_lock lock(f.mutex);
    if (point == "commit_watch.follow") ++f.follows;
    if (point == "commit_watch.lead" && ++f.leads == 1) {
      patient = std::thread(
          [&] { patient_saw = f.database->wait_for_commit(seen, kLong); });
      f.moved.wait(lock, [&] { return f.follows == 1; });
    }
    f.moved.notify_all();
  });
  CHECK_FALSE(f.database->wait_for_commit(seen, 1ms));
  f.until([&] { return f.leads == 2; });
  f.commit();
  patient.join();
  CHECK(patient_saw);
}

TEST_CASE("a waiter whose time is up leaves those behind it waiting", "[storage]") {
  Fixture f;
  const auto seen = f.database->commits();
  std::thread first([&] { CHECK(f.database->wait_for_commit(seen, kLong)); });
  f.until([&] { return f.leads == 1; });
  CHECK_FALSE(f.database->wait_for_commit(seen, 1ms));
  f.commit();
  first.join();
  CHECK(f.leads == 1);
}

#ifndef __SANITIZE_ADDRESS__  // the sanitizer's own checks need descriptors
TEST_CASE("where the system grants no watch, waiting looks again by the clock", "[storage]") {
  Fixture f;
  const auto seen = f.database->commits();
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit none = before;
  none.rlim_cur = 0;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  const auto start = f.environment.clock.elapsed();
  const bool moved = f.database->wait_for_commit(seen, 25ms);
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK_FALSE(moved);
  CHECK(f.environment.clock.elapsed() - start == 25ms);
  f.commit();
  CHECK(f.database->wait_for_commit(seen, kLong));
  CHECK(f.leads == 0);
}
#endif
