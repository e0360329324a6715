#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {

using Words = Cli::Words;

TEST_CASE("an edge whose end is missing is refused with the end's id", "[cli]") {
  const ReadyCli cli;
  const std::string alice = cli.entity("Alice");
  const auto refused = cli.json(
      {"edge", "create", "--source", alice, "--relation", "knows", "--target", kNobody});
  CHECK(refused.exit_code == 3);
  CHECK(refused.error()["outcome"] == "endpoint_missing");
  CHECK(refused.error()["missing"] == nlohmann::json({kNobody}));
}

TEST_CASE("an edge carries weight and validity, and a second one like it is a conflict", "[cli]") {
  const ReadyCli cli;
  const std::string alice = cli.entity("Alice");
  const std::string basel = cli.entity("Basel", "place");
  const Words words = {"edge",     "create",       "--source",   alice,
                       "--target", basel,          "--relation", "lives in",
                       "--weight", "-0.5",         "--valid-from", "2026-01-01T00:00:00Z",
                       "--valid-to", "1790000000000000"};
  const auto made = cli.json(words);
  REQUIRE(made.exit_code == 0);
  CHECK(made.json()["current"]["weight"] == -0.5);
  CHECK(made.json()["current"]["valid_from"] == 1767225600000000);
  CHECK(made.json()["current"]["valid_to"] == 1790000000000000);
  const auto again = cli.json(words);
  CHECK(again.exit_code == 4);
  CHECK(again.error()["current"]["id"] == made.json()["current"]["id"]);
}

TEST_CASE("an edge's triple stays through a replace of what may change", "[cli]") {
  const ReadyCli cli;
  const std::string alice = cli.entity("Alice");
  const std::string bob = cli.entity("Bob");
  const std::string id = cli.edge(alice, "knows", bob);
  auto row = cli.json({"edge", "get", id}).json();
  const std::string revision = row["revision"].dump();
  const auto brief = cli.json({"edge", "replace", id, "--from", "-", "--revision", revision},
                              R"({"weight":2})");
  REQUIRE(brief.exit_code == 0);
  CHECK(brief.json()["current"]["source"] == alice);
  CHECK(brief.json()["current"]["weight"] == 2.0);
  auto moved = brief.json()["current"];
  moved["target"] = alice;
  CHECK(cli.run({"edge", "replace", id, "--from", "-"}, moved.dump()).exit_code == 5);
}

TEST_CASE("deleting an entity takes its edges along, restoring brings them back", "[cli]") {
  const ReadyCli cli;
  const std::string alice = cli.entity("Alice");
  const std::string id = cli.edge(alice, "knows", cli.entity("Bob"));
  CHECK(cli.json({"entity", "delete", alice}).json()["edges"] == nlohmann::json({id}));
  CHECK(cli.json({"edge", "list"}).json()["items"].empty());
  CHECK(cli.json({"entity", "restore", alice}).json()["edges"] == nlohmann::json({id}));
  CHECK(cli.run({"edge", "delete", id}).exit_code == 0);
  CHECK(cli.run({"edge", "restore", id}).exit_code == 0);
  CHECK(cli.run({"edge", "delete", kNobody}).exit_code == 3);
}

TEST_CASE("edges are listed by relation, end and time", "[cli]") {
  const ReadyCli cli;
  const std::string alice = cli.entity("Alice");
  const std::string bob = cli.entity("Bob");
  const std::string id = cli.edge(alice, "knows", bob);
  cli.run({"edge", "update", id, "--valid-to", "2026-01-01T00:00:00Z"});
  const auto count = [&](Words words) {
    words.insert(words.begin(), {"edge", "list", "--count"});
    return cli.json(words).json()["count"].get<int>();
  };
  CHECK(count({"--relation", "knows", "--source", alice, "--target", bob}) == 1);
  CHECK(count({"--source", bob}) == 0);
  CHECK(count({"--valid-at", "2025-01-01T00:00:00Z"}) == 1);
  CHECK(count({"--valid-at", "2026-01-01T00:00:00Z"}) == 0);
}

TEST_CASE("an unknown entity in a filter is an error, not an empty list", "[cli]") {
  const ReadyCli cli;
  for (const Words& words :
       {Words{"edge", "list", "--source", kNobody}, Words{"edge", "list", "--target", kNobody},
        Words{"note", "list", "--about", kNobody}, Words{"neighbors", kNobody}}) {
    const auto answer = cli.json(words);
    CHECK(answer.exit_code == 3);
    CHECK(answer.error()["kind"] == "entity");
  }
}

TEST_CASE("neighbors shows edges with their other ends, page by page", "[cli]") {
  const ReadyCli cli;
  const std::string alice = cli.entity("Alice");
  const std::string bob = cli.entity("Bob");
  cli.edge(alice, "knows", bob);
  cli.edge(alice, "likes", bob);
  const auto page = cli.json({"neighbors", alice, "--limit", "1"}).json();
  CHECK(page["items"][0]["entity"]["name"] == "Bob");
  CHECK(page["items"][0]["edge"]["relation"] == "knows");
  CHECK(page["items"][0]["direction"] == "outgoing");
  CHECK(page["left_out"] == 1);
  const auto next = cli.json({"neighbors", alice, "--limit", "1", "--cursor",
                              page["next"].get<std::string>()});
  CHECK(next.json()["items"][0]["edge"]["relation"] == "likes");
  const auto none = cli.json({"neighbors", alice, "--direction", "incoming"});
  CHECK(none.json()["items"].empty());
  CHECK(cli.json({"neighbors", bob, "--relation", "knows"}).json()["items"].size() == 1);
  CHECK(cli.run({"neighbors", alice}).out.find("outgoing   knows") != std::string::npos);
}

TEST_CASE("neighbors says whether the entity is deleted", "[cli]") {
  const ReadyCli cli;
  const std::string alice = cli.entity("Alice");
  CHECK(cli.json({"neighbors", alice}).json()["entity_is_deleted"] == false);
  cli.run({"entity", "delete", alice});
  CHECK(cli.json({"neighbors", alice}).json()["entity_is_deleted"] == true);
  CHECK(cli.run({"neighbors", alice}).out.find(" is deleted") != std::string::npos);
}

TEST_CASE("a space of declared relations takes no other, and loops only where allowed", "[cli]") {
  const Cli cli;
  REQUIRE(cli.run({"init", "--relations", "declared"}).exit_code == 0);
  const auto names_relation = [](const Run& run) {
    const std::string message = run.error()["message"];
    return message.find("relation \"knows\"") != std::string::npos;
  };
  const std::string alice = cli.entity("Alice");
  const Words words = {"edge",     "create", "--source",   alice,
                       "--target", alice,    "--relation", "knows"};
  const auto undeclared = cli.json(words);
  CHECK(undeclared.error()["outcome"] == "relation_undeclared");
  CHECK(names_relation(undeclared));
  CHECK(cli.run({"relation", "declare", "knows"}).exit_code == 0);
  const auto loop = cli.json(words);
  CHECK(loop.exit_code == 5);
  CHECK(loop.error()["outcome"] == "loop_refused");
  CHECK(names_relation(loop));
  CHECK(cli.json({"relation", "declare", "knows", "--loops"}).json()["outcome"] == "applied");
  CHECK(cli.run(words).exit_code == 0);
  const auto in_use = cli.json({"relation", "declare", "knows", "--loops", "--symmetric"});
  CHECK(in_use.exit_code == 4);
  CHECK(in_use.error()["outcome"] == "in_use");
  CHECK(names_relation(in_use));
  CHECK(cli.json({"relation", "list"}).json()["items"][0]["loops"] == true);
}

}  // namespace holdfast::test
