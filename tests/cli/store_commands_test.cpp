#include <fstream>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

/// Changes the first occurrence of `from` in the database's file, behind the store's back.
void damage(const Cli& cli, const std::string& from, const std::string& to) {
  std::fstream file(cli.database(), std::ios::in | std::ios::out | std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t at = bytes.find(from);
  REQUIRE(at != std::string::npos);
  file.seekp(static_cast<std::streamoff>(at));
  file << to;
}

}  // namespace

TEST_CASE("init says what it created and what was there", "[cli]") {
  const Cli cli;
  const auto first = cli.json({"init"}).json();
  CHECK(first["database_created"] == true);
  CHECK(first["space_created"] == true);
  CHECK(first["relations"] == "open");
  const auto again = cli.json({"init", "--relations", "declared"}).json();
  CHECK(again["database_created"] == false);
  CHECK(again["space_created"] == false);
  CHECK(again["relations"] == "declared");
  const auto other = cli.run({"--space", "work", "init"});
  CHECK(other.out.find("memory.db (already there)") != std::string::npos);
  CHECK(other.out.find("work (created)") != std::string::npos);
}

TEST_CASE("init makes a file that its owner alone can read", "[cli]") {
  const ReadyCli cli;
  using std::filesystem::perms;
  for (const auto& path : {cli.database(), cli.database().parent_path()}) {
    const auto rights = std::filesystem::status(path).permissions();
    CHECK((rights & (perms::group_all | perms::others_all)) == perms::none);
  }
}

TEST_CASE("info counts the rows of every space", "[cli]") {
  const ReadyCli cli;
  cli.run({"--space", "work", "init"});
  const std::string alice = cli.entity("Alice");
  cli.edge(alice, "knows", cli.entity("Bob"));
  cli.run({"entity", "delete", alice});
  const auto info = cli.json({"info"}).json();
  CHECK(info["database"]["path"] == cli.database().string());
  CHECK(info["database"]["journal_mode"] == "wal");
  const auto& spaces = info["spaces"]["items"];
  REQUIRE(spaces.size() == 2);
  CHECK(spaces[0]["space"] == "default");
  CHECK(spaces[0]["kinds"]["entity"] == nlohmann::json({{"live", 1}, {"deleted", 1}}));
  CHECK(spaces[0]["kinds"]["edge"] == nlohmann::json({{"live", 0}, {"deleted", 1}}));
  CHECK(spaces[0]["seq"] == 6);
  CHECK(cli.run({"info"}).out.find("default") != std::string::npos);
}

TEST_CASE("info says how much there is, and how the writer does", "[cli]") {
  const ReadyCli cli;
  cli.entity("Alice");
  const auto info = cli.json({"info"}).json();
  const auto& stats = info["stats"];
  CHECK(stats["spaces"] == 1);
  CHECK(stats["rows"] == 1);
  CHECK(stats["body_bytes"].get<int>() > 0);
  CHECK(stats["database_bytes"].get<int>() > 0);
  CHECK(stats["log_bytes"].is_number());
  CHECK(stats["oldest_reader_us"].is_number());
  for (const char* count : {"applied", "conflicts", "refused", "retries"}) {
    CHECK(stats["writes"][count] == 0);
  }
  for (const char* seen : {"batch_sizes", "commit_us", "lock_wait_us"}) {
    for (const char* member : {"count", "p50", "p99", "max"}) {
      CHECK(stats["writer"][seen][member].is_number());
    }
  }
  CHECK_FALSE(info.contains("row_bytes"));
}

TEST_CASE("info --sizes says how many bytes a row of each kind takes", "[cli]") {
  const ReadyCli cli;
  cli.entity("Alice");
  const auto sizes = cli.json({"info", "--sizes"}).json()["row_bytes"];
  CHECK(sizes["entity"].get<double>() > 0);
  CHECK(sizes["event"].get<double>() > 0);
  CHECK(cli.run({"info", "--sizes"}).out.find("bytes per entity") != std::string::npos);
}

TEST_CASE("info shows spaces page by page", "[cli]") {
  const ReadyCli cli;
  for (const char* name : {"a", "b"}) cli.run({"space", "create", name});
  const auto page = cli.json({"info", "--limit", "2"}).json()["spaces"];
  CHECK(page["items"].size() == 2);
  CHECK(page["left_out"] == 1);
  const auto rest = cli.json({"info", "--cursor", page["next"]}).json()["spaces"];
  CHECK(rest["items"][0]["space"] == "default");
}

TEST_CASE("doctor reports durability in force and a database with two names", "[cli]") {
  const ReadyCli cli;
  const auto statuses = [&](const Cli::Words& words, int exit_code) {
    const auto answer = cli.json(words);
    CHECK(answer.exit_code == exit_code);
    const auto document = answer.json();
    std::map<std::string, std::string> found;
    for (const auto& check : document["checks"]) found[check["check"]] = check["status"];
    return found;
  };
  auto found = statuses({"doctor"}, 0);
  CHECK(found["durability"] == "ok");
  CHECK(found["hard links"] == "ok");
  CHECK(found["permissions"] == "ok");
  CHECK(statuses({"--durability", "normal", "doctor"}, 0)["durability"] == "note");
  std::filesystem::create_hard_link(cli.database(), cli.home() / "second.db");
  found = statuses({"doctor"}, 6);
  CHECK(found["hard links"] == "problem");
}

TEST_CASE("doctor answers with what it found even when the database cannot be used", "[cli]") {
  Cli cli;
  cli.write("notes.txt", "not a database, but long enough to be looked at as one");
  const auto answer = cli.json({"--db", "notes.txt", "doctor"});
  CHECK(answer.exit_code == 6);
  CHECK(answer.json()["usable"] == false);
  CHECK(answer.json()["database"].is_null());
  CHECK(answer.error()["code"] == "unsupported");
}

TEST_CASE("verify is clean after writes", "[cli]") {
  const ReadyCli cli;
  cli.run({"entity", "delete", cli.entity("Alice")});
  const auto clean = cli.json({"verify"});
  CHECK(clean.exit_code == 0);
  CHECK(clean.json()["findings_total"] == 0);
  CHECK(clean.json()["events"] == 3);
}

TEST_CASE("verify finds a row that was changed behind the journal's back", "[cli]") {
  const ReadyCli cli;
  cli.entity("Alexandra");
  damage(cli, "personAlexandra", "personAlexandro");
  const auto answer = cli.json({"verify"});
  CHECK(answer.exit_code == 7);
  CHECK(answer.json()["findings_total"].get<int>() >= 1);
  CHECK(answer.json()["findings"][0]["space"] == "default");
  CHECK(cli.run({"verify"}).out.find("row.body") != std::string::npos);
}

}  // namespace holdfast::test
