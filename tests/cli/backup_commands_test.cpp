#include <signal.h>

#include <fstream>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;
using Words = Cli::Words;

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

}  // namespace

TEST_CASE("a backup is verified, is one file, and opens as the database it was made of", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Ada");
  fs::create_directory(cli.home() / "safe");
  const auto made = cli.json({"backup", "safe/monday.db"});
  REQUIRE(made.exit_code == 0);
  CHECK(made.err.empty());
  CHECK(made.json()["to"] == (cli.home() / "safe" / "monday.db").string());
  CHECK(made.json()["verified"]["findings_total"] == 0);
  CHECK(made.json()["verified"]["events"] == 2);
  CHECK(made.json()["bytes"] == fs::file_size(cli.home() / "safe" / "monday.db"));
  CHECK(files_in(cli.home() / "safe") == std::set<std::string>{"monday.db"});
  CHECK(cli.run({"--db", "safe/monday.db", "entity", "get", id}).exit_code == 0);
}

TEST_CASE("a backup is never written over something, nor into nothing", "[cli]") {
  const ReadyCli cli;
  cli.write("there.db", "mine");
  for (const char* file : {"there.db", "nowhere/x.db"}) {
    const auto refused = cli.json({"backup", file});
    CHECK(refused.exit_code == 5);
    CHECK(refused.error()["field"] == "to");
    CHECK(refused.out.empty());
  }
  CHECK(fs::file_size(cli.home() / "there.db") == 4);
  CHECK(cli.run({"backup"}).exit_code == 2);
}

TEST_CASE("people see how far a backup is, and what was verified", "[cli]") {
  const ReadyCli cli;
  const auto made = cli.run({"backup", "copy.db"});
  CHECK(made.exit_code == 0);
  CHECK(made.err.find("backup: 100 %") != std::string::npos);
  CHECK(made.err.find("verify default: 100 %") != std::string::npos);
  CHECK(made.out.find("clean: the journal and the tables agree") != std::string::npos);
}

TEST_CASE("restore brings a backup to where no database is", "[cli]") {
  Cli cli;
  {
    const ReadyCli other;
    other.entity("Ada");
    REQUIRE(other.run({"backup", cli.home() / "monday.db"}).exit_code == 0);
  }
  const auto restored = cli.json({"restore", "monday.db"});
  REQUIRE(restored.exit_code == 0);
  CHECK(restored.json()["to"] == cli.database().string());
  CHECK(restored.json()["verified"]["events"] == 2);
  CHECK(cli.run({"entity", "list", "--count"}).out == "1\n");
  CHECK(files_in(cli.home()) == std::set<std::string>{".local", "monday.db"});
  CHECK(cli.run({"entity", "create", "--kind", "x", "--name", "y"}).exit_code == 0);
}

TEST_CASE("restore leaves a database that is there alone", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Ada");
  cli.run({"backup", "monday.db"});
  cli.run({"entity", "delete", id});
  const auto refused = cli.json({"restore", "monday.db"});
  CHECK(refused.exit_code == 4);
  CHECK(refused.error()["path"] == cli.database().string());
  CHECK(cli.run({"entity", "list", "--count"}).out == "0\n");
  CHECK(cli.run({"--db", "other.db", "restore", "monday.db"}).exit_code == 0);
  CHECK(cli.run({"--db", "other.db", "entity", "list", "--count"}).out == "1\n");
}

TEST_CASE("what is no sound backup is not restored", "[cli]") {
  const ReadyCli cli;
  cli.entity("Alexandra");
  cli.run({"backup", "monday.db"});
  {
    std::fstream file(cli.home() / "monday.db", std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    file.seekp(static_cast<std::streamoff>(bytes.find("personAlexandra")));
    file << "personAlexandro";
  }
  const auto corrupt = cli.json({"--db", "new.db", "restore", "monday.db"});
  CHECK(corrupt.exit_code == 7);
  CHECK(corrupt.error()["findings_total"].get<int>() >= 1);
  CHECK(cli.run({"--db", "new.db", "restore", "nowhere.db"}).exit_code == 3);
  cli.write("notes.txt", "not a database, but long enough to be looked at as one");
  CHECK(cli.run({"--db", "new.db", "restore", "notes.txt"}).exit_code == 6);
  CHECK_FALSE(fs::exists(cli.home() / "new.db"));
}

}  // namespace holdfast::test
