#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

/// Runs a write twice under one request id: the second answers as the first, and says so.
void check_repeats(const Cli& cli, const Words& words, const std::string& input = "") {
  const Words asked = words + Words{"--request-id", "of " + words[0] + " " + words[1]};
  INFO(words[0] + " " + words[1]);
  const auto first = cli.json(asked, input);
  REQUIRE(first.exit_code == 0);
  CHECK(first.json()["repeated"] == false);
  const auto again = cli.json(asked, input);
  REQUIRE(again.exit_code == 0);
  auto expected = first.json();
  expected["repeated"] = true;
  CHECK(again.json() == expected);
  CHECK(cli.run(asked, input).out.find("this request was applied before; nothing was written") !=
        std::string::npos);
}

}  // namespace

TEST_CASE("every writing command answers a repeated request as the first time", "[cli]") {
  const ReadyCli cli;
  const std::string ada = cli.entity("Ada");
  const std::string bob = cli.entity("Bob");
  check_repeats(cli, {"entity", "create", "--kind", "x", "--name", "new"});
  check_repeats(cli, {"note", "create", "--kind", "x", "--about", ada});
  check_repeats(cli, {"edge", "create", "--source", ada, "--relation", "knows", "--target", bob});
  check_repeats(cli, {"entity", "update", ada, "--patch", R"({"tags":["t"]})"});
  check_repeats(cli, {"entity", "rename", ada, "Augusta"});
  check_repeats(cli, {"entity", "replace", ada, "--from", "-"},
                cli.run({"--json", "entity", "get", ada}).out);
  const std::string edge = cli.json({"edge", "list"}).json()["items"][0]["id"];
  check_repeats(cli, {"edge", "retarget", edge, "--relation", "likes"});
  check_repeats(cli, {"entity", "delete", ada});
  check_repeats(cli, {"entity", "restore", ada});
  cli.run({"entity", "delete", ada});
  check_repeats(cli, {"entity", "purge", ada});
  check_repeats(cli, {"relation", "declare", "r", "--loops"});
  check_repeats(cli, {"space", "configure", "--rows-max", "1000"});
}

TEST_CASE("deleting, restoring and purging at a revision can be asked for again", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Ada");
  const auto revision = [](const nlohmann::json& row) { return row["revision"].dump(); };
  check_repeats(cli, {"entity", "delete", id, "--revision",
                      revision(cli.json({"entity", "get", id}).json())});
  auto dead = cli.json({"entity", "get", id}).json();
  check_repeats(cli, {"entity", "restore", id, "--revision", revision(dead), "--deleted-at",
                      dead["deleted_at"].dump()});
  dead = cli.json({"entity", "delete", id}).json()["current"];
  for (const char* verb : {"restore", "purge"}) {
    const auto unsure =
        cli.json({"entity", verb, id, "--revision", revision(dead), "--request-id", "other"});
    CHECK(unsure.exit_code == 2);
    CHECK(unsure.error()["message"].get<std::string>().find("--deleted-at") != std::string::npos);
  }
  check_repeats(cli, {"entity", "purge", id, "--revision", revision(dead), "--deleted-at",
                      dead["deleted_at"].dump()});
}

TEST_CASE("a request id that stands for something else is refused", "[cli]") {
  const ReadyCli cli;
  cli.run({"entity", "create", "--kind", "x", "--name", "a", "--request-id", "r"});
  const auto other =
      cli.json({"entity", "create", "--kind", "x", "--name", "b", "--request-id", "r"});
  CHECK(other.exit_code == 5);
  CHECK(other.error()["field"] == "request_id");
  for (const char* bad : {"", "a\nb"}) {
    const auto refused = cli.json({"relation", "declare", "x", "--request-id", bad});
    CHECK(refused.exit_code == 5);
    CHECK(refused.error()["field"] == "request_id");
  }
}

TEST_CASE("a request whose row was purged since is gone", "[cli]") {
  const ReadyCli cli;
  const Words words = {"entity", "create", "--kind", "x", "--name", "a", "--request-id", "r"};
  const std::string id = cli.json(words).json()["current"]["id"];
  cli.run({"entity", "delete", id});
  cli.run({"entity", "purge", id});
  const auto gone = cli.json(words);
  CHECK(gone.exit_code == 3);
  CHECK(gone.error()["code"] == "gone");
}

TEST_CASE("request show says where a request was applied", "[cli]") {
  const ReadyCli cli;
  const auto made =
      cli.json({"entity", "create", "--kind", "x", "--name", "a", "--request-id", "my job 7"});
  const auto shown = cli.json({"request", "show", "my job 7"});
  REQUIRE(shown.exit_code == 0);
  CHECK(shown.json()["seq"] == made.json()["seq"]);
  CHECK(shown.json()["request_id"] == "my job 7");
  CHECK(cli.run({"request", "show", "my job 7"}).out.starts_with("request my job 7 was applied"));
  const auto absent = cli.json({"request", "show", "other"});
  CHECK(absent.exit_code == 3);
  CHECK(absent.error()["kind"] == "request");
  CHECK(cli.run({"request", "show", ""}).exit_code == 5);
}

}  // namespace holdfast::test
