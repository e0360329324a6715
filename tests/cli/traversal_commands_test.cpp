#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

/// Ada -knows-> Bob -knows-> Cyd, Ada -likes-> Dan.
class Friends : public ReadyCli {
 public:
  Friends() {
    knows = edge(ada, "knows", bob);
    edge(bob, "knows", cyd);
    edge(ada, "likes", dan);
  }
  /// "hop name" of each entity reached.
  std::vector<std::string> reached(const Words& words) const {
    std::vector<std::string> lines;
    const auto answer = json(words).json();
    for (const auto& item : answer["items"]) {
      lines.push_back(std::to_string(item["depth"].get<int>()) + " " +
                      item["entity"]["name"].get<std::string>());
    }
    return lines;
  }
  std::string ada = entity("Ada");
  std::string bob = entity("Bob");
  std::string cyd = entity("Cyd");
  std::string dan = entity("Dan");
  std::string knows;
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("traverse lists what is reached, hop by hop, with the edge that led there", "[cli]") {
  const Friends cli;
  CHECK(cli.reached({"traverse", cli.ada}) == Lines{"1 Bob", "1 Dan"});
  CHECK(cli.reached({"traverse", cli.ada, "--hops", "2"}) == Lines{"1 Bob", "1 Dan", "2 Cyd"});
  CHECK(cli.reached({"traverse", cli.cyd, "--direction", "incoming", "--hops", "9"}) ==
        Lines{"1 Bob", "2 Ada"});
  const auto answer = cli.json({"traverse", cli.ada, "--relation", "knows"}).json();
  CHECK(answer["items"].size() == 1);
  CHECK(answer["items"][0]["edge"]["id"] == cli.knows);
  CHECK(answer["items"][0]["from"] == cli.ada);
  CHECK(answer["complete"] == true);
  CHECK(answer["capped_hop"].is_null());
  const auto text = cli.run({"traverse", cli.ada, "--hops", "2"}).out;
  CHECK(text.find("Bob   knows     Cyd") != std::string::npos);
  CHECK(text.find("3 entities within 2 hops\n") != std::string::npos);
}

TEST_CASE("traverse says what a cap or the budget cut off", "[cli]") {
  const Friends cli;
  const auto capped = cli.json({"traverse", cli.ada, "--per-hop", "1"}).json();
  CHECK(capped["complete"] == false);
  CHECK(capped["capped_hop"] == 1);
  CHECK(cli.run({"traverse", cli.ada, "--per-hop", "1"}).out.find(
            "1 entity within 1 hop; hop 1 was cut at --per-hop 1\n") != std::string::npos);
  const auto spent = cli.json({"traverse", cli.ada, "--budget", "1"}).json();
  CHECK(spent["budget_spent"] == true);
  CHECK(spent["edges_seen"] == 1);
}

TEST_CASE("traverse --count says how many", "[cli]") {
  const Friends cli;
  CHECK(cli.json({"traverse", cli.ada, "--hops", "2", "--count"}).json()["count"] == 3);
  CHECK(cli.run({"traverse", cli.dan, "--count"}).out == "0 entities within 1 hop\n");
}

TEST_CASE("path shows the fewest hops, or that there is no path", "[cli]") {
  const Friends cli;
  const auto found = cli.json({"path", cli.ada, cli.cyd}).json();
  CHECK(found["outcome"] == "found");
  CHECK(found["steps"].size() == 2);
  CHECK(found["steps"][0]["edge"]["relation"] == "knows");
  CHECK(found["steps"][1]["to"] == cli.cyd);
  CHECK(cli.run({"path", cli.ada, cli.cyd}).out.find("2 hops\n") != std::string::npos);
  CHECK(cli.json({"path", cli.cyd, cli.ada}).json()["outcome"] == "none");
  CHECK(cli.run({"path", cli.ada, cli.cyd, "--hops", "1"}).out ==
        "no path of at most 1 hop\n");
  CHECK(cli.json({"path", cli.cyd, cli.dan, "--direction", "both"}).json()["steps"].size() == 3);
  CHECK(cli.json({"path", cli.ada, cli.cyd, "--budget", "1"}).json()["outcome"] == "unknown");
}

TEST_CASE("a search from an entity that is not there or deleted is exit code 3", "[cli]") {
  const Friends cli;
  cli.run({"entity", "delete", cli.dan});
  for (const std::string& nobody : {std::string(kNobody), cli.dan}) {
    for (const Words& words : {Words{"traverse", nobody}, Words{"path", nobody, cli.ada},
                               Words{"path", cli.ada, nobody}}) {
      const auto answer = cli.json(words);
      CHECK(answer.exit_code == 3);
      CHECK(answer.error()["kind"] == "entity");
    }
  }
}

TEST_CASE("what a search cannot take is exit code 5 and named", "[cli]") {
  const Friends cli;
  const auto field = [&](const Words& words) {
    const auto answer = cli.json(words);
    CHECK(answer.exit_code == 5);
    return answer.error()["field"].get<std::string>();
  };
  CHECK(field({"traverse", cli.ada, "--hops", "0"}) == "hops");
  CHECK(field({"traverse", cli.ada, "--hops", "many"}) == "hops");
  CHECK(field({"traverse", cli.ada, "--per-hop", "0"}) == "per_hop");
  CHECK(field({"traverse", cli.ada, "--budget", "1000000001"}) == "budget");
  CHECK(field({"traverse", cli.ada, "--relation", ""}) == "relations");
  CHECK(field({"path", cli.ada, "x"}) == "to");
}

}  // namespace holdfast::test
