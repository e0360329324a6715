#include "database_fixture.h"
#include "storage/sqlite/connection.h"
#include "support/catch.h"

#include <algorithm>

namespace {

using namespace holdfast;
using namespace holdfast::test;

}  // namespace

TEST_CASE("a new file has our page size, vacuum mode, id and journal mode", "[storage]") {
  TestDatabase f;
  CHECK(f.on_writer("PRAGMA page_size") == "4096");
  CHECK(f.on_writer("PRAGMA auto_vacuum") == "2");
  CHECK(f.on_writer("PRAGMA application_id") == std::to_string(0x686f6c64));
  CHECK(f.on_writer("PRAGMA journal_mode") == "wal");
}

TEST_CASE("every table of ours is STRICT", "[storage]") {
  TestDatabase f;
  CHECK(f.on_reader("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type ="
                    " 'table' AND strict = 0 AND name NOT LIKE 'sqlite%'") == "0");
}

TEST_CASE("durability is in force as asked for and reported", "[storage]") {
  TestDatabase f;
  CHECK(f.on_writer("PRAGMA synchronous") == "2");
  CHECK(f.database->info().durability == "full");
  f.close();
  f.options.durability = storage::Durability::normal;
  f.open();
  CHECK(f.on_writer("PRAGMA synchronous") == "1");
  CHECK(f.database->info().durability == "normal");
}

TEST_CASE("no connection maps memory, checkpoints by itself or trusts a foreign schema",
          "[storage]") {
  TestDatabase f;
  for (const auto& [pragma, value] :
       {std::pair{"PRAGMA mmap_size", "0"}, std::pair{"PRAGMA wal_autocheckpoint", "0"},
        std::pair{"PRAGMA trusted_schema", "0"}, std::pair{"PRAGMA cell_size_check", "1"}}) {
    CAPTURE(pragma);
    CHECK(f.on_writer(pragma) == value);
    CHECK(f.on_reader(pragma) == value);
  }
}

TEST_CASE("closing the last connection leaves the log to our own checkpoint", "[storage]") {
  TestDatabase f;
  const auto log = f.options.path.string() + "-wal";
  f.close();
  CHECK(std::filesystem::file_size(log) == 0);
}

TEST_CASE("info names the engine, the file and the schema", "[storage]") {
  TestDatabase f;
  const auto info = f.database->info();
  CHECK(info.backend == "sqlite");
  CHECK(info.engine_version == sqlite3_libversion());
  CHECK(info.path == std::filesystem::canonical(f.options.path));
  CHECK(info.journal_mode == "wal");
  CHECK(info.schema_version == 5);
  CHECK(info.min_writer == 5);
  CHECK(info.page_bytes == 4096);
  CHECK(info.database_bytes > 0);
}

TEST_CASE("info advises of an engine that keeps commits and checkpoints apart only by our lock",
          "[storage]") {
  TestDatabase f;
  const int version = sqlite3_libversion_number();
  const bool is_fixed = version >= 3051003 || version == 3044006 || version == 3050007;
  CHECK(f.database->info().advice.empty() == is_fixed);
}

TEST_CASE("opening again changes neither schema nor rows", "[storage]") {
  TestDatabase f;
  f.run("INSERT INTO counters VALUES ('a', 7)");
  const auto schema = [&] {
    return f.on_reader("SELECT group_concat(sql, ';') FROM sqlite_schema") +
           f.on_reader("PRAGMA schema_version") + f.on_reader("SELECT count(*) FROM meta");
  };
  const auto before = schema();
  for (int i = 0; i < 3; ++i) {
    f.close();
    f.open();
  }
  CHECK(schema() == before);
  CHECK(f.counter("a") == 7);
}

TEST_CASE("a healthy file passes the engine's own check", "[storage]") {
  TestDatabase f;
  f.run("DROP TABLE counters");  // the fixture's own, which the schema check takes for foreign
  CHECK(f.database->check_integrity().empty());
}

TEST_CASE("the engine's own check finds damage", "[storage]") {
  TestDatabase f;
  f.run("CREATE INDEX counters_n ON counters (n)");
  f.run("INSERT INTO counters VALUES ('a', 7)");
  f.close();
  sqlite3* connection = nullptr;
  sqlite3_open(f.options.path.c_str(), &connection);
  sqlite3_exec(connection,
               "PRAGMA writable_schema = ON;"
               "UPDATE sqlite_schema SET sql = 'CREATE INDEX counters_n ON counters (name)'"
               " WHERE name = 'counters_n'",
               nullptr, nullptr, nullptr);
  sqlite3_close(connection);
  f.open();
  const auto findings = f.database->check_integrity();
  CHECK(std::any_of(findings.begin(), findings.end(), [](const std::string& line) {
    return !line.starts_with("the schema");  // those are of the fixture's own objects
  }));
}
