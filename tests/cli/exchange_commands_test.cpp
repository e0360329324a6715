#include <fstream>
#include <iterator>
#include <sstream>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;
using Words = Cli::Words;

/// A space with a live and a deleted entity, a note and an edge.
class Filled : public ReadyCli {
 public:
  Filled() {
    ada = entity("Ada");
    edge(ada, "knows", entity("Bob"));
    run({"note", "create", "--kind", "x", "--about", ada, "--content", "likes tea"});
    run({"entity", "delete", entity("Eve")});
    run({"space", "create", "other"});
  }
  std::string text_of(const std::string& name) const {
    std::ifstream file(home() / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Run import(const std::string& file, const Words& more = {}) const {
    return json(Words{"--space", "other", "import", "--format", "jsonl", file} + more);
  }
  std::string ada;
};

}  // namespace

TEST_CASE("a space that is exported and imported is the same space", "[cli]") {
  const Filled cli;
  const auto sent = cli.json({"export", "all.jsonl"});
  REQUIRE(sent.exit_code == 0);
  CHECK(sent.err.empty());
  CHECK(sent.json()["entities"] == 3);
  CHECK(sent.json()["edges"] == 1);
  CHECK(sent.json()["tombstones"] == 1);
  CHECK(sent.json()["bytes"] == fs::file_size(cli.home() / "all.jsonl"));
  const auto brought = cli.import("all.jsonl");
  REQUIRE(brought.exit_code == 0);
  CHECK(brought.json()["entities"]["created"] == 3);
  CHECK(brought.json()["complete"] == true);
  CHECK(cli.import("all.jsonl").json()["changed_nothing"] == true);
  cli.run({"--space", "other", "export", "again.jsonl"});
  const auto rows = [&](const std::string& name) {
    const std::string text = cli.text_of(name);
    return text.substr(text.find('\n'));
  };
  CHECK(rows("again.jsonl") == rows("all.jsonl"));
  CHECK(cli.json({"--space", "other", "entity", "history", cli.ada}).json()["items"][0]["actor"] ==
        "import:jsonl");
  CHECK(cli.run({"verify"}).exit_code == 0);
}

TEST_CASE("P9: an export to stdout is JSON Lines and nothing else", "[cli]") {
  const Filled cli;
  cli.run({"export", "file.jsonl"});
  for (const Words& words : {Words{"export"}, Words{"export", "-"}}) {
    const auto sent = cli.run(words);
    CHECK(sent.exit_code == 0);
    CHECK(sent.out == cli.text_of("file.jsonl"));
    std::istringstream lines(sent.out);
    for (std::string line; std::getline(lines, line);) {
      CHECK(nlohmann::json::parse(line).is_object());
    }
  }
  CHECK(cli.json({"export"}).exit_code == 2);
}

TEST_CASE("an export leaves tombstones out, or brings the history, when asked", "[cli]") {
  const Filled cli;
  const auto live = cli.json({"export", "live.jsonl", "--no-tombstones"});
  CHECK(live.json()["entities"] == 2);
  CHECK(live.json()["left_out"] == 1);
  const auto events = cli.json({"export", "history.jsonl", "--history"});
  CHECK(events.json()["events"] == 6);
  const auto replayed = cli.import("history.jsonl");
  REQUIRE(replayed.exit_code == 0);
  CHECK(replayed.json()["events"] == 6);
  CHECK(cli.json({"--space", "other", "entity", "history", cli.ada}).json()["items"][0]["actor"] ==
        "tester");
  CHECK(cli.import("history.jsonl").exit_code == 4);
}

TEST_CASE("an export overwrites nothing, and leaves nothing half written", "[cli]") {
  Filled cli;
  cli.write("there.jsonl", "mine");
  const auto refused = cli.json({"export", "there.jsonl"});
  CHECK(refused.exit_code == 5);
  CHECK(refused.error()["field"] == "file");
  CHECK(cli.text_of("there.jsonl") == "mine");
  CHECK(cli.run({"--space", "nowhere", "export", "x.jsonl"}).exit_code == 3);
  CHECK_FALSE(fs::exists(cli.home() / "x.jsonl"));
  cli.stdout_path = "/dev/full";
  CHECK(cli.run({"export"}).exit_code == 6);
}

TEST_CASE("an export is readable by its owner alone", "[cli]") {
  const Filled cli;
  cli.run({"export", "all.jsonl"});
  const auto rights = fs::status(cli.home() / "all.jsonl").permissions();
  CHECK((rights & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
}

TEST_CASE("a row that differs is a conflict, stays or is replaced, as the mode says", "[cli]") {
  const Filled cli;
  cli.run({"export", "all.jsonl"});
  REQUIRE(cli.import("all.jsonl").exit_code == 0);
  const auto name = [&] {
    return cli.json({"--space", "other", "entity", "get", cli.ada})
        .json()["name"]
        .get<std::string>();
  };
  cli.run({"entity", "update", cli.ada, "--name", "Augusta"});
  cli.run({"export", "newer.jsonl"});
  const auto failed = cli.import("newer.jsonl");
  CHECK(failed.exit_code == 4);
  CHECK(failed.error()["message"].get<std::string>().find(cli.ada) != std::string::npos);
  const auto skipped = cli.import("newer.jsonl", {"--mode", "skip"});
  CHECK(skipped.json()["entities"]["kept"] == 1);
  CHECK(skipped.json()["kept"][0]["id"] == cli.ada);
  CHECK(name() == "Ada");
  CHECK(cli.import("newer.jsonl", {"--mode", "replace"}).json()["entities"]["replaced"] == 1);
  CHECK(name() == "Augusta");
}

TEST_CASE("a row that somebody else has written since its import is kept, or fails it", "[cli]") {
  const Filled cli;
  cli.run({"export", "all.jsonl"});
  cli.import("all.jsonl");
  cli.run({"--space", "other", "entity", "update", cli.ada, "--name", "mine"});
  cli.run({"entity", "update", cli.ada, "--name", "theirs"});
  cli.run({"export", "newer.jsonl"});
  const Words replace = {"--mode", "replace"};
  const auto kept = cli.import("newer.jsonl", replace);
  CHECK(kept.exit_code == 0);
  CHECK(kept.json()["entities"]["kept"] == 1);
  const auto text =
      cli.run(Words{"--space", "other", "import", "--format", "jsonl", "newer.jsonl"} + replace)
          .out;
  CHECK(text.find("NOT AS IN THE SOURCE") != std::string::npos);
  CHECK(text.find(cli.ada) != std::string::npos);
  CHECK(cli.import("newer.jsonl", replace + Words{"--on-conflict", "fail"}).exit_code == 4);
}

TEST_CASE("a file of the reference memory server comes in, and a second run changes nothing",
          "[cli]") {
  const ReadyCli cli;
  cli.write("memory.json",
            R"({"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]})"
            "\n"
            R"({"type":"entity","name":"Bob","entityType":"person","observations":[]})"
            "\n"
            R"({"type":"relation","from":"Ada","to":"Bob","relationType":"knows"})"
            "\n");
  const Words words = {"import", "--format", "mcp-memory", "memory.json"};
  const auto first = cli.json(words);
  REQUIRE(first.exit_code == 0);
  CHECK(first.json()["format"] == "mcp-memory");
  CHECK(first.json()["records"] == 3);
  CHECK(first.json()["entities"]["created"] == 2);
  CHECK(first.json()["notes"]["created"] == 1);
  CHECK(first.json()["edges"]["created"] == 1);
  CHECK(cli.json(words).json()["changed_nothing"] == true);
  const auto text = cli.run(words);
  CHECK(text.out.find("nothing changed") != std::string::npos);
  CHECK(text.err.find("import: reading memory.json") != std::string::npos);
  const std::string id = cli.json({"entity", "list", "--name", "Ada"}).json()["items"][0]["id"];
  CHECK(cli.json({"entity", "history", id}).json()["items"][0]["actor"] == "import:mcp-memory");
}

TEST_CASE("a file that is damaged or not there changes nothing, and the place is named", "[cli]") {
  const ReadyCli cli;
  cli.write("bad.jsonl", "{\n");
  for (const char* format : {"jsonl", "mcp-memory"}) {
    const auto damaged = cli.json({"import", "--format", format, "bad.jsonl"});
    CHECK(damaged.exit_code == 5);
    CHECK(damaged.error()["field"].get<std::string>().find("bad.jsonl:1:") != std::string::npos);
    CHECK(cli.run({"import", "--format", format, "nowhere"}).exit_code == 3);
    CHECK(cli.run({"import", "--format", format}).exit_code == 2);
  }
  CHECK(cli.run({"import", "--format", "wordnet", ".", "--mode", "skip"}).exit_code == 2);
  CHECK(cli.run({"import", "--format", "jsonl", "x", "--mode", "merge"}).exit_code == 2);
  CHECK(cli.run({"import", "--format", "jsonl", "x", "--on-conflict", "x"}).exit_code == 2);
}

}  // namespace holdfast::test
