#include <limits>
#include <stdexcept>

#include "database_fixture.h"
#include "support/catch.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using storage::Transaction;

/// One write transaction, taken back at the end.
struct Fixture : TestDatabase {
  void in_transaction(const std::function<void(storage::Transaction&)>& body) {
    database->writer().submit(
        [&](storage::Transaction& transaction) {
          body(transaction);
          return storage::Verdict::undo;
        },
        "request");
  }
};

}  // namespace

TEST_CASE("parameters are bound by name, whatever their order in the text", "[storage]") {
  Fixture f;
  f.in_transaction([](storage::Transaction& transaction) {
    auto select = transaction.prepare("SELECT $3 || $1 || $2 || $1");
    select.bind("a", "b", "c");
    REQUIRE(select.step());
    CHECK(select.get<std::string>(0) == "caba");
  });
}

TEST_CASE("each C++ type is bound as its one SQL type", "[storage]") {
  Fixture f;
  f.in_transaction([](storage::Transaction& transaction) {
    auto select = transaction.prepare(
        "SELECT typeof($1), typeof($2), typeof($3), typeof($4), typeof($5), typeof($6),"
        " typeof($7)");
    select.bind(std::int64_t{1}, true, 1.0, std::string("x"), Uuid{}, Sequence{7},
                Revision{.us = 5});
    REQUIRE(select.step());
    std::string types;
    for (int i = 0; i < 7; ++i) types += select.get<std::string>(i) + " ";
    CHECK(types == "integer integer real text blob integer integer ");
  });
}

TEST_CASE("an absent optional of any type is bound and read as null", "[storage]") {
  Fixture f;
  f.in_transaction([](storage::Transaction& transaction) {
    auto select = transaction.prepare("SELECT $1, $2, $3, $4");
    select.bind(std::optional<std::int64_t>(), std::optional<double>(),
                std::optional<std::string>(), std::optional<EntityId>());
    REQUIRE(select.step());
    CHECK_FALSE(select.get<std::optional<std::int64_t>>(0));
    CHECK_FALSE(select.get<std::optional<std::string>>(2));
    CHECK_FALSE(select.get<std::optional<EntityId>>(3));
  });
}

TEST_CASE("values come back as they were bound", "[storage]") {
  Fixture f;
  const Uuid id = uuid_v5(Uuid{}, "x");
  const std::string text("a\0b", 3);
  f.in_transaction([&](storage::Transaction& transaction) {
    auto select = transaction.prepare("SELECT $1, $2, $3");
    select.bind(std::numeric_limits<std::int64_t>::min(), text, id);
    REQUIRE(select.step());
    CHECK(select.get<std::int64_t>(0) == std::numeric_limits<std::int64_t>::min());
    CHECK(select.get<std::string>(1) == text);
    CHECK(select.get<Uuid>(2) == id);
  });
}

TEST_CASE("binding another number of values than the statement has is a bug", "[storage]") {
  Fixture f;
  f.in_transaction([](storage::Transaction& transaction) {
    auto select = transaction.prepare("SELECT $1, $2");
    CHECK_THROWS_AS(select.bind("one"), std::logic_error);
    CHECK_THROWS_AS(select.bind("one", "two", "three"), std::logic_error);
  });
}

TEST_CASE("a statement whose parameters are not $1, $2, ... is a bug", "[storage]") {
  Fixture f;
  f.in_transaction([](storage::Transaction& transaction) {
    CHECK_THROWS_AS(transaction.prepare("SELECT $1, $3"), std::logic_error);
    CHECK_THROWS_AS(transaction.prepare("SELECT ?"), std::logic_error);
  });
}

TEST_CASE("a sequence beyond signed 64 bits is refused when bound", "[storage]") {
  Fixture f;
  f.in_transaction([](storage::Transaction& transaction) {
    auto select = transaction.prepare("SELECT $1");
    CHECK_THROWS_AS(select.bind(std::numeric_limits<Sequence>::max()), InvalidArgument);
  });
}

TEST_CASE("a stored sequence that is negative is Corrupt", "[storage]") {
  Fixture f;
  f.in_transaction([](storage::Transaction& transaction) {
    auto select = transaction.prepare("SELECT -1");
    REQUIRE(select.step());
    CHECK_THROWS_AS(select.get<Sequence>(0), Corrupt);
  });
}

TEST_CASE("a stored id that is not 16 bytes is Corrupt", "[storage]") {
  Fixture f;
  f.in_transaction([](storage::Transaction& transaction) {
    auto select = transaction.prepare("SELECT x'0102', NULL, zeroblob(17)");
    REQUIRE(select.step());
    for (const int column : {0, 1, 2}) CHECK_THROWS_AS(select.get<EntityId>(column), Corrupt);
  });
}

TEST_CASE("one text can be in use twice at once", "[storage]") {
  Fixture f;
  f.in_transaction([](storage::Transaction& transaction) {
    const char* const sql = "SELECT $1 UNION ALL SELECT $1 + 1";
    auto outer = transaction.prepare(sql);
    outer.bind(10);
    std::string seen;
    while (outer.step()) {
      auto inner = transaction.prepare(sql);
      inner.bind(20);
      while (inner.step()) {
        seen += std::to_string(outer.get<std::int64_t>(0)) + "/" +
                std::to_string(inner.get<std::int64_t>(0)) + " ";
      }
    }
    CHECK(seen == "10/20 10/21 11/20 11/21 ");
  });
}

TEST_CASE("a statement that was left half read starts afresh when it is used again", "[storage]") {
  Fixture f;
  f.in_transaction([](storage::Transaction& transaction) {
    const char* const sql = "SELECT $1 UNION ALL SELECT $1 + 1";
    for (int i = 0; i < 3; ++i) {
      auto select = transaction.prepare(sql);
      select.bind(i);
      REQUIRE(select.step());
      CHECK(select.get<std::int64_t>(0) == i);
    }
  });
}

TEST_CASE("run() says how many rows were touched, also when none was", "[storage]") {
  Fixture f;
  f.in_transaction([](storage::Transaction& transaction) {
    TestDatabase::count(transaction, "a");
    CHECK(transaction.prepare("UPDATE counters SET n = 5 WHERE name = $1").bind("a").run() == 1);
    CHECK(transaction.prepare("UPDATE counters SET n = 5 WHERE name = $1").bind("b").run() == 0);
    CHECK(transaction.prepare("SELECT 1").run() == 0);
  });
}

TEST_CASE("more texts than the cache keeps all work", "[storage]") {
  Fixture f;
  f.in_transaction([](storage::Transaction& transaction) {
    for (int i = 0; i < 600; ++i) {
      const std::string sql = "SELECT " + std::to_string(i);
      auto select = transaction.prepare(sql);
      REQUIRE(select.step());
      REQUIRE(select.get<std::int64_t>(0) == i);
    }
  });
}

TEST_CASE("a table that somebody took away is Corrupt", "[storage]") {
  TestDatabase f;
  f.run("DROP TABLE notes");
  const auto snapshot = f.database->snapshot();
  CHECK_THROWS_AS(snapshot->transaction().prepare("SELECT id FROM notes"), Corrupt);
}
