#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

std::string revision_of(const nlohmann::json& row) { return row["revision"].dump(); }

}  // namespace

TEST_CASE("create inserts from flags and says so", "[cli]") {
  const ReadyCli cli;
  const auto made =
      cli.json({"entity", "create", "--kind", "person", "--name", "Alice", "--tag", "friend",
                "--tag", "{}", "--properties", R"({"height": 1.50, "born":1990})"});
  REQUIRE(made.exit_code == 0);
  CHECK(made.err.empty());
  const auto result = made.json();
  CHECK(result["outcome"] == "applied");
  CHECK(result["seq"] == 2);
  CHECK(result["request_id"].get<std::string>().size() == 36);
  CHECK(result["current"]["name"] == "Alice");
  CHECK(result["current"]["tags"] == nlohmann::json({"friend", "{}"}));
  // The spelling of numbers is the writer's own.
  CHECK(made.out.find(R"("properties":{"height":1.50,"born":1990})") != std::string::npos);
}

TEST_CASE("create takes a document from a file or from stdin", "[cli]") {
  const ReadyCli cli;
  const std::string document = R"({"kind":"person","name":"Bob","tags":["x"]})";
  cli.write("bob.json", document);
  for (const std::string& source : {std::string("bob.json"), std::string("-")}) {
    const auto made = cli.json({"entity", "create", "--from", source}, document);
    REQUIRE(made.exit_code == 0);
    CHECK(made.json()["current"]["tags"] == nlohmann::json({"x"}));
  }
  CHECK(cli.run({"entity", "create", "--from", "nobody.json"}).exit_code == 3);
  CHECK(cli.run({"entity", "create", "--from", "-", "--name", "x"}, document).exit_code == 2);
}

TEST_CASE("create with an id that is taken is a conflict that carries the row", "[cli]") {
  const ReadyCli cli;
  const Words words = {"entity", "create", "--id", kNobody, "--kind", "person", "--name", "Alice"};
  REQUIRE(cli.json(words).exit_code == 0);
  const auto again = cli.json(words);
  CHECK(again.exit_code == 4);
  CHECK(again.out.empty());
  CHECK(again.error()["code"] == "conflict");
  CHECK(again.error()["outcome"] == "exists");
  CHECK(again.error()["current"]["name"] == "Alice");
}

TEST_CASE("update patches what it names and reports when nothing changes", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Alice");
  cli.run({"entity", "update", id, "--patch", R"({"properties":{"a":1,"b":2}})"});
  cli.write("patch.json", R"({"properties":{"b":null},"tags":["t"]})");
  const auto patched = cli.json({"entity", "update", id, "--patch", "@patch.json"});
  CHECK(patched.json()["outcome"] == "applied");
  CHECK(patched.json()["current"]["properties"] == nlohmann::json({{"a", 1}}));
  const auto same = cli.json({"entity", "update", id, "--patch", "-"}, R"({"tags":["t"]})");
  CHECK(same.exit_code == 0);
  CHECK(same.json()["outcome"] == "unchanged");
  CHECK(same.json()["seq"] == 0);
  CHECK(cli.json({"entity", "update", id, "--name", "Alicia"}).json()["current"]["name"] ==
        "Alicia");
  CHECK(cli.run({"entity", "update", id}).exit_code == 2);
}

TEST_CASE("a replace names what it read; a stale one shows the row as it is", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Alice");
  const auto row = cli.json({"entity", "get", id});
  cli.run({"entity", "update", id, "--patch", R"({"properties":{"fact":1}})"});

  const auto stale = cli.json({"entity", "replace", id, "--from", "-"}, row.out);
  CHECK(stale.exit_code == 4);
  CHECK(stale.error()["outcome"] == "revision_moved");
  CHECK(stale.error()["current"]["properties"]["fact"] == 1);

  auto fresh = cli.json({"entity", "get", id}).json();
  fresh["name"] = "Alicia";
  const auto landed = cli.json({"entity", "replace", id, "--from", "-"}, fresh.dump());
  CHECK(landed.exit_code == 0);
  CHECK(landed.json()["current"]["name"] == "Alicia");
  CHECK(landed.json()["current"]["properties"]["fact"] == 1);
}

TEST_CASE("properties of every level that a row may have go in by document and patch", "[cli]") {
  const ReadyCli cli;
  const auto levels = [](std::size_t count) {
    return R"({"properties":)" + std::string(R"({"a":)") + std::string(count - 1, '[') +
           std::string(count - 1, ']') + "}}";
  };
  const std::string id = cli.entity("Alice");
  REQUIRE(cli.run({"entity", "update", id, "--patch", levels(64)}).exit_code == 0);
  const auto row = cli.json({"entity", "get", id});
  CHECK(cli.run({"entity", "replace", id, "--from", "-"}, row.out).exit_code == 0);
  const auto refused = cli.json({"entity", "update", id, "--patch", levels(65)});
  CHECK(refused.exit_code == 5);
  CHECK(refused.error()["field"] == "properties");
}

TEST_CASE("create without a field that every row has names its flag", "[cli]") {
  const ReadyCli cli;
  const auto message = [&](const Words& words) {
    const auto answer = cli.json(words);
    CHECK(answer.exit_code == 2);
    return answer.error()["message"].get<std::string>();
  };
  CHECK(message({"entity", "create", "--kind", "x"}).starts_with("--name is required"));
  CHECK(message({"entity", "create", "--name", "x"}).starts_with("--kind is required"));
  CHECK(message({"note", "create", "--content", "x"}).starts_with("--kind is required"));
  CHECK(message({"edge", "create", "--source", kNobody}).starts_with("--relation is required"));
}

TEST_CASE("a replace takes the revision as a flag, and must get it from somewhere", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Alice");
  const std::string revision = revision_of(cli.json({"entity", "get", id}).json());
  const std::string document = R"({"kind":"person","name":"Al"})";
  const Words replace = {"entity", "replace", id, "--from", "-"};
  CHECK(cli.run(replace, document).exit_code == 2);
  Words named = replace;
  named.insert(named.end(), {"--revision", revision});
  CHECK(cli.run(named, document).exit_code == 0);
  CHECK(cli.run(named, document).exit_code == 4);
}

TEST_CASE("a replace may not change what the store sets", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Alice");
  auto row = cli.json({"entity", "get", id}).json();
  row["created_at"] = 5;
  const auto refused = cli.json({"entity", "replace", id, "--from", "-"}, row.dump());
  CHECK(refused.exit_code == 5);
  CHECK(refused.error()["field"] == "created_at");
}

TEST_CASE("a deleted row is replaced only by who names its deletion mark", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Alice");
  const auto dead = cli.json({"entity", "delete", id}).json()["current"];
  const std::string document = R"({"kind":"person","name":"Al"})";
  Words words = {"entity", "replace", id, "--from", "-", "--revision", revision_of(dead)};
  const auto refused = cli.json(words, document);
  CHECK(refused.exit_code == 4);
  CHECK(refused.error()["outcome"] == "deletion_changed");
  words.insert(words.end(), {"--deleted-at", dead["deleted_at"].dump()});
  const auto landed = cli.json(words, document);
  REQUIRE(landed.exit_code == 0);
  CHECK(landed.json()["current"]["deleted_at"] == dead["deleted_at"]);
}

TEST_CASE("L1: deleting an unknown id says that it does not exist", "[cli]") {
  const ReadyCli cli;
  cli.entity("Alice");
  const auto answer = cli.json({"entity", "delete", kNobody});
  CHECK(answer.exit_code == 3);
  CHECK(answer.out.empty());
  CHECK(answer.error()["code"] == "not_found");
  CHECK(answer.error()["id"] == kNobody);
  CHECK(cli.run({"entity", "delete", kNobody}).err.find("does not exist") != std::string::npos);
}

TEST_CASE("delete and restore are said once and harmless twice", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Alice");
  CHECK(cli.json({"entity", "delete", id}).json()["outcome"] == "applied");
  const auto twice = cli.run({"entity", "delete", id});
  CHECK(twice.exit_code == 0);
  CHECK(twice.out.find("already deleted") != std::string::npos);
  CHECK(cli.run({"entity", "update", id, "--name", "x"}).exit_code == 4);
  CHECK(cli.run({"entity", "restore", id}).exit_code == 0);
  CHECK(cli.json({"entity", "restore", id}).json()["outcome"] == "unchanged");
  CHECK(cli.json({"entity", "history", id}).json()["items"].size() == 3);
}

TEST_CASE("delete and restore at a revision are refused when the row has moved", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Alice");
  const std::string old = revision_of(cli.json({"entity", "get", id}).json());
  cli.run({"entity", "update", id, "--name", "Alicia"});
  const auto refused = cli.json({"entity", "delete", id, "--revision", old});
  CHECK(refused.exit_code == 4);
  CHECK(refused.error()["current"]["name"] == "Alicia");
  const auto dead = cli.json({"entity", "delete", id}).json()["current"];
  CHECK(cli.json({"entity", "delete", id, "--revision", revision_of(dead)}).json()["outcome"] ==
        "unchanged");
  CHECK(cli.run({"entity", "restore", id, "--revision", old}).exit_code == 4);
  CHECK(cli.run({"entity", "restore", id, "--revision", revision_of(dead)}).exit_code == 0);
}

TEST_CASE("a list pages by cursor and says what it leaves out", "[cli]") {
  const ReadyCli cli;
  for (const char* name : {"Ada", "Al", "Bo"}) cli.entity(name);
  cli.entity("Alps", "place");
  const auto first = cli.json({"entity", "list", "--name-prefix", "A", "--limit", "2"}).json();
  CHECK(first["items"].size() == 2);
  CHECK(first["left_out"] == 1);
  CHECK(first["left_out_is_minimum"] == false);
  const auto second = cli.json({"entity", "list", "--name-prefix", "A", "--limit", "2", "--cursor",
                                first["next"].get<std::string>()})
                          .json();
  CHECK(second["items"][0]["name"] == "Alps");
  CHECK(second["next"].is_null());
  const auto text = cli.run({"entity", "list", "--limit", "1"}).out;
  CHECK(text.find("3 left out; next page: --cursor ") != std::string::npos);
}

TEST_CASE("a list filters by kind, name, time and deletion, and counts", "[cli]") {
  const ReadyCli cli;
  cli.entity("Ada");
  cli.run({"entity", "delete", cli.entity("Bo", "place")});
  const auto count = [&](Words words) {
    words.insert(words.begin(), {"entity", "list", "--count"});
    return cli.json(words).json()["count"].get<int>();
  };
  CHECK(count({}) == 1);
  CHECK(count({"--deleted", "include"}) == 2);
  CHECK(count({"--deleted", "only", "--kind", "place"}) == 1);
  CHECK(count({"--name", "Ada"}) == 1);
  CHECK(count({"--created-from", "2100-01-01T00:00:00Z"}) == 0);
  CHECK(count({"--changed-to", "2100-01-01T00:00:00Z"}) == 1);
  CHECK(cli.run({"entity", "list", "--count"}).out == "1\n");
}

TEST_CASE("history shows every change with who made it", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Alice");
  cli.run({"--actor", "bob", "entity", "update", id, "--name", "Alicia"});
  const auto page = cli.json({"entity", "history", id}).json();
  CHECK(page["items"][0]["op"] == "create");
  CHECK(page["items"][0]["actor"] == "tester");
  CHECK(page["items"][1]["actor"] == "bob");
  CHECK(page["items"][1]["body"]["name"] == "Alicia");
  CHECK(page["items"][1]["prev_seq"] == page["items"][0]["seq"]);
  const auto text = cli.run({"entity", "history", id}).out;
  CHECK(text.find(R"("Alice" -> "Alicia")") != std::string::npos);
  CHECK(cli.run({"entity", "history", kNobody}).exit_code == 3);
}

}  // namespace holdfast::test
