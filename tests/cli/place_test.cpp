#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

nlohmann::json place(const Cli& cli, const Cli::Words& before = {}) {
  Cli::Words words = before;
  words.push_back("where");
  return cli.json(words).json();
}

}  // namespace

TEST_CASE("B6: the default database does not depend on the folder one is in", "[cli]") {
  ReadyCli cli;
  const std::string id = cli.entity("Alice");
  const auto here = place(cli);
  cli.folder = "/";
  CHECK(place(cli) == here);
  CHECK(cli.run({"entity", "get", id}).exit_code == 0);
  CHECK(here["path"] == cli.database().string());
  CHECK(here["exists"] == true);
}

TEST_CASE("the database is --db, else HOLDFAST_DB, else XDG_DATA_HOME, else HOME", "[cli]") {
  Cli cli;
  CHECK(place(cli)["source"] == "HOME");
  cli.variables["XDG_DATA_HOME"] = cli.home() / "data";
  CHECK(place(cli)["path"] == (cli.home() / "data" / "holdfast" / "memory.db").string());
  cli.variables["HOLDFAST_DB"] = cli.home() / "my.db";
  CHECK(place(cli)["path"] == (cli.home() / "my.db").string());
  CHECK(place(cli)["source"] == "HOLDFAST_DB");
  CHECK(place(cli, {"--db", "other.db"})["path"] == (cli.home() / "other.db").string());
  const auto text = cli.run({"where"}).out;
  CHECK(text.find("named by $HOLDFAST_DB") != std::string::npos);
  CHECK(text.find("not there yet") != std::string::npos);
}

TEST_CASE("B6: a relative path in the environment is never used", "[cli]") {
  Cli cli;
  cli.variables["XDG_DATA_HOME"] = "data";
  CHECK(place(cli)["source"] == "HOME");
  cli.variables["HOLDFAST_DB"] = "my.db";
  const auto refused = cli.json({"where"});
  CHECK(refused.exit_code == 5);
  CHECK(refused.error()["field"] == "HOLDFAST_DB");
}

TEST_CASE("B5: the default lies in the user's data folder, and init and where say so", "[cli]") {
  Cli cli;
  cli.variables["XDG_DATA_HOME"] = cli.home() / "share";
  const auto wanted = (cli.home() / "share" / "holdfast" / "memory.db").string();
  CHECK(cli.run({"where"}).out.find(wanted) != std::string::npos);
  CHECK(cli.run({"init"}).out.find(wanted) != std::string::npos);
  CHECK(std::filesystem::exists(wanted));
}

TEST_CASE("an empty variable counts as absent", "[cli]") {
  Cli cli;
  cli.variables["HOLDFAST_DB"] = "";
  CHECK(place(cli)["source"] == "HOME");
}

TEST_CASE("a mistyped path creates nothing and says what to do", "[cli]") {
  const Cli cli;
  for (const Cli::Words& words :
       {Cli::Words{"info"}, {"entity", "list"}, {"import", "--format", "wordnet"}, {"verify"},
        {"entity", "create", "--kind", "x", "--name", "y"}, {"doctor"}}) {
    const auto answer = cli.run(words);
    CHECK(answer.exit_code == 3);
    CHECK(answer.err.find("holdfast init") != std::string::npos);
  }
  CHECK_FALSE(std::filesystem::exists(cli.home() / ".local"));
}

TEST_CASE("another space is not created by naming it", "[cli]") {
  const ReadyCli cli;
  const auto answer = cli.json({"--space", "typo", "entity", "list"});
  CHECK(answer.exit_code == 3);
  CHECK(answer.error()["kind"] == "space");
}

TEST_CASE("a PostgreSQL address is refused without repeating its password", "[cli]") {
  const Cli cli;
  const auto answer = cli.json({"--db", "postgresql://me:secret@host/db", "init"});
  CHECK(answer.exit_code == 6);
  CHECK(answer.error()["code"] == "unsupported");
  CHECK(answer.err.find("secret") == std::string::npos);
}

}  // namespace holdfast::test
