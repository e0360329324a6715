#include "database_fixture.h"
#include "support/catch.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;

}  // namespace

TEST_CASE("a snapshot still sees edges that were deleted after its first read", "[storage]") {
  TestStore f;
  const Entity a = f.add_entity("a");
  const Entity b = f.add_entity("b");
  const Edge edge = f.add_edge(a.id, "knows", b.id);
  const auto snapshot = f.store->database().snapshot();
  REQUIRE(graph::EdgeStore::count(snapshot->transaction(), "main", {}) == 1);
  REQUIRE(f.space->edges().remove(edge.id).applied());
  CHECK(f.space->edges().get(edge.id).deleted_at);
  CHECK_FALSE(graph::EdgeStore::find(snapshot->transaction(), "main", edge.id)->deleted_at);
}

TEST_CASE("everything that a snapshot reads is one instant", "[storage]") {
  TestDatabase f;
  const auto snapshot = f.database->snapshot();
  REQUIRE(TestDatabase::counter_in(snapshot->transaction(), "a") == 0);
  for (int i = 0; i < 5; ++i) {
    f.database->writer().submit([](storage::Transaction& t) { return TestDatabase::count(t, "a"); },
                                "r");
  }
  CHECK(f.counter("a") == 5);
  CHECK(TestDatabase::counter_in(snapshot->transaction(), "a") == 0);
}

TEST_CASE("a read that follows a write sees it", "[storage]") {
  TestDatabase f;
  for (int i = 1; i <= 20; ++i) {
    f.database->writer().submit([](storage::Transaction& t) { return TestDatabase::count(t, "a"); },
                                "r");
    REQUIRE(f.counter("a") == i);
  }
}

TEST_CASE("a read transaction over its age limit is refused its next step", "[storage]") {
  TestDatabase f;
  const auto snapshot = f.database->snapshot();
  auto select = snapshot->transaction().prepare("SELECT 1 UNION ALL SELECT 2");
  REQUIRE(select.step());
  f.environment.clock.advance(f.options.reader_age_max + 1us);
  CHECK_THROWS_AS(select.step(), Unavailable);
}

TEST_CASE("a read transaction of exactly its age limit goes on", "[storage]") {
  TestDatabase f;
  const auto snapshot = f.database->snapshot();
  f.environment.clock.advance(f.options.reader_age_max);
  auto select = snapshot->transaction().prepare("SELECT 1");
  CHECK(select.step());
}

TEST_CASE("a read transaction without an age limit goes on", "[storage]") {
  TestDatabase f;
  const auto snapshot = f.database->snapshot(storage::ReaderAge::unbounded);
  f.environment.clock.advance(24h);
  auto select = snapshot->transaction().prepare("SELECT 1");
  CHECK(select.step());
}

TEST_CASE("a wall clock that jumps does not age a read transaction", "[storage]") {
  TestDatabase f;
  const auto snapshot = f.database->snapshot();
  f.environment.clock.set(f.environment.clock.now() + 24h);
  auto select = snapshot->transaction().prepare("SELECT 1");
  CHECK(select.step());
}

TEST_CASE("oldest_reader is the age of the oldest snapshot that is still open", "[storage]") {
  TestDatabase f;
  CHECK(f.database->oldest_reader() == 0us);
  auto first = f.database->snapshot();
  f.environment.clock.advance(10s);
  const auto second = f.database->snapshot();
  f.environment.clock.advance(5s);
  CHECK(f.database->oldest_reader() == 15s);
  first.reset();
  CHECK(f.database->oldest_reader() == 5s);
}

TEST_CASE("a snapshot cannot write", "[storage]") {
  TestDatabase f;
  const auto snapshot = f.database->snapshot();
  CHECK_FALSE(snapshot->transaction().writable());
  auto insert = snapshot->transaction().prepare("INSERT INTO counters VALUES ('a', 1)");
  CHECK_THROWS_AS(insert.run(), Unavailable);
}

TEST_CASE("a change that reads before it writes never meets a newer commit in between (M2)",
          "[storage]") {
  // In a deferred transaction the second step would fail at once with BUSY_SNAPSHOT.
  TestDatabase f;
  f.options.busy_limit = 0ms;
  const auto impatient = f.open_another();
  int tries = 0;
  std::string other_ended;
  f.database->writer().submit(
      [&](storage::Transaction& transaction) {
        ++tries;
        const auto read = TestDatabase::counter_in(transaction, "a");
        other_ended = error_code_of(
            [&] { TestDatabase::run_on(*impatient, "INSERT INTO counters VALUES ('b', 1)"); });
        transaction.prepare("INSERT INTO counters VALUES ('a', $1)").bind(read + 1).run();
        return storage::Verdict::keep;
      },
      "request");
  CHECK(other_ended == "busy");
  CHECK(tries == 1);
  CHECK(f.counter("a") == 1);
}
