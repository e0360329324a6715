#include <holdfast/storage/foreign_file.h>

#include <fstream>
#include <map>

#include "database_fixture.h"
#include "storage/sqlite/connection.h"
#include "support/catch.h"
#include "support/foreign_sqlite.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using storage::ForeignFile;
namespace fs = std::filesystem;

struct Foreign {
  explicit Foreign(const std::string& more = "") {
    run_sql(file, "CREATE TABLE t (n, s); INSERT INTO t VALUES (1, 'one'), (NULL, NULL);" + more);
  }
  /// Bytes and change times of everything in the folder.
  std::map<std::string, std::pair<std::string, fs::file_time_type>> contents() const {
    std::map<std::string, std::pair<std::string, fs::file_time_type>> found;
    for (const auto& entry : fs::directory_iterator(dir.path())) {
      std::ifstream in(entry.path(), std::ios::binary);
      found[entry.path().filename()] = {{std::istreambuf_iterator<char>(in), {}},
                                        entry.last_write_time()};
    }
    return found;
  }
  std::uint64_t count_rows() const {
    ForeignFile foreign(file);
    auto rows = foreign.rows("t", {"n"});
    std::uint64_t count = 0;
    while (rows.next()) ++count;
    return count;
  }
  TempDir dir;
  fs::path file = dir / "foreign.db";
};

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string(error.code()) + ": " + error.what();
  }
  return "nothing";
}

using Catch::Matchers::ContainsSubstring;

}  // namespace

TEST_CASE("a foreign table's rows come in its own order, whatever indexes it has", "[storage]") {
  // The index is the shorter way to both columns.
  const Foreign f("CREATE TABLE wide (n, s, a, b, c, d, e, f); CREATE INDEX i ON wide (n, s);"
                  "INSERT INTO wide (n, s) VALUES (1, 'one'), (NULL, NULL), (0, 'z')");
  ForeignFile foreign(f.file);
  auto rows = foreign.rows("Wide", {"S", "n"});
  REQUIRE(rows.next());
  CHECK(rows.text(0) == "one");
  CHECK(rows.integer(1) == 1);
  REQUIRE(rows.next());
  CHECK_FALSE(rows.text_or_null(0));
  CHECK_FALSE(rows.integer_or_null(1));
  REQUIRE(rows.next());
  CHECK(rows.integer_or_null(1) == 0);
  CHECK(rows.place(1) == "Wide row 3: n");
  CHECK_FALSE(rows.next());
}

TEST_CASE("reading a foreign file leaves it, its times and its folder as they were",
          "[storage]") {
  const Foreign f(GENERATE("", "PRAGMA journal_mode = WAL; INSERT INTO t VALUES (3, '')"));
  const auto before = f.contents();
  REQUIRE(before.size() == 1);
  CHECK(f.count_rows() == (before.at("foreign.db").first[18] == 2 ? 3 : 2));
  CHECK(f.contents() == before);
}

TEST_CASE("a foreign value of another type is refused by table, row and column", "[storage]") {
  const Foreign f("DELETE FROM t; INSERT INTO t VALUES ('1', x'00ff00')");
  ForeignFile foreign(f.file);
  auto rows = foreign.rows("t", {"n", "s"});
  REQUIRE(rows.next());
  CHECK(refusal([&] { (void)rows.integer(0); }) ==
        "invalid_argument: t row 1: n: '1' must be an integer");
  CHECK(refusal([&] { (void)rows.text(1); }) ==
        "invalid_argument: t row 1: s: 'a blob of 3 bytes' must be text");
}

TEST_CASE("foreign text that is not UTF-8, or holds NUL, is refused", "[storage]") {
  const Foreign f("DELETE FROM t; INSERT INTO t VALUES (1, CAST(x'ff' AS TEXT)), "
                  "(2, CAST(x'6100' AS TEXT))");
  ForeignFile foreign(f.file);
  auto rows = foreign.rows("t", {"s"});
  for (const std::string number : {"1", "2"}) {
    REQUIRE(rows.next());
    CHECK_THAT(refusal([&] { (void)rows.text(0); }),
               ContainsSubstring("t row " + number + ": s") &&
                   ContainsSubstring("must be UTF-8 without NUL"));
  }
}

TEST_CASE("a table or column that a foreign file lacks is named", "[storage]") {
  const Foreign f("CREATE VIEW v AS SELECT n FROM t");
  ForeignFile foreign(f.file);
  CHECK_THAT(refusal([&] { (void)foreign.rows("u", {"n"}); }),
             ContainsSubstring("must have the table u"));
  CHECK_THAT(refusal([&] { (void)foreign.rows("v", {"n"}); }),
             ContainsSubstring("must have the table v"));
  CHECK_THAT(refusal([&] { (void)foreign.rows("t", {"n", "x"}); }),
             ContainsSubstring("must have the column x in its table t"));
}

TEST_CASE("what is no foreign SQLite file is refused and left as it is", "[storage]") {
  const Foreign f;
  fs::create_directory(f.dir / "folder");
  std::ofstream(f.dir / "text") << std::string(200, 'x');
  std::ofstream(f.dir / "empty");
  const auto why = [&](const std::string& name) {
    return refusal([&] { ForeignFile{f.dir / name}; });
  };
  CHECK_THAT(why("absent"), ContainsSubstring("not_found") && ContainsSubstring("absent"));
  CHECK_THAT(why("folder"), ContainsSubstring("must be a file, not a folder"));
  CHECK_THAT(why("text"), ContainsSubstring("must be a SQLite file"));
  CHECK_THAT(why("empty"), ContainsSubstring("must be a SQLite file"));
  CHECK_FALSE(fs::exists(f.dir / "absent"));
  CHECK(fs::is_empty(f.dir / "empty"));
}

TEST_CASE("one of our own databases is no foreign file", "[storage]") {
  const TestDatabase ours;
  CHECK_THAT(refusal([&] { ForeignFile{ours.options.path}; }),
             ContainsSubstring("not a Holdfast database"));
}

TEST_CASE("a foreign file with changes in its log is refused, not read without them",
          "[storage]") {
  const Foreign f;
  sqlite3* writer = nullptr;
  REQUIRE(sqlite3_open(f.file.c_str(), &writer) == SQLITE_OK);
  sqlite3_exec(writer, "PRAGMA journal_mode = WAL; DELETE FROM t", nullptr, nullptr, nullptr);
  const auto before = f.contents();
  CHECK_THAT(refusal([&] { (void)f.count_rows(); }),
             ContainsSubstring("has changes in the log beside it"));
  CHECK(f.contents() == before);
  sqlite3_close(writer);
}

TEST_CASE("a foreign file that is read without locks and changes meanwhile is refused",
          "[storage]") {
  const Foreign f("PRAGMA journal_mode = WAL");
  ForeignFile foreign(f.file);
  auto rows = foreign.rows("t", {"n"});
  REQUIRE(rows.next());
  run_sql(f.file, "INSERT INTO t SELECT 1, zeroblob(9000)");
  CHECK_THAT(refusal([&] { while (rows.next()) {} }),
             ContainsSubstring("was changed while it was being read"));
}

TEST_CASE("a change of a foreign file that was broken off is not undone here", "[storage]") {
  const Foreign f("BEGIN; DELETE FROM t; ROLLBACK");
  Foreign stopped;
  sqlite3* writer = nullptr;
  REQUIRE(sqlite3_open(f.file.c_str(), &writer) == SQLITE_OK);
  // A cache of one page: the change reaches the file before it is committed.
  sqlite3_exec(writer,
               "PRAGMA cache_size = 1; BEGIN; CREATE TABLE u (b); "
               "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 99) "
               "INSERT INTO u SELECT zeroblob(4000) FROM c",
               nullptr, nullptr, nullptr);
  for (const std::string end : {"", "-journal"}) {
    fs::copy_file(f.file.string() + end, stopped.file.string() + end,
                  fs::copy_options::overwrite_existing);
  }
  sqlite3_close(writer);
  const auto before = stopped.contents();
  CHECK_THAT(refusal([&] { (void)stopped.count_rows(); }),
             ContainsSubstring("only its own program may undo"));
  CHECK(stopped.contents() == before);
}

TEST_CASE("a damaged foreign file is no damage of ours", "[storage]") {
  const Foreign f("WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 99) "
                  "INSERT INTO t SELECT i, zeroblob(500) FROM c");
  {
    std::fstream file(f.file, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(3 * 4096);
    file << std::string(4096, 'x');
  }
  CHECK_THAT(refusal([&] { (void)f.count_rows(); }),
             ContainsSubstring("invalid_argument: t row ") && ContainsSubstring("damaged"));
}
