#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;
using nlohmann::json;

/// A plan that rests on `expect` and creates an entity.
std::string resting_on(const json& expect, const std::string& token = "") {
  json steps = expect;
  steps.push_back({{"op", "create"}, {"kind", "entity"}, {"row", {{"kind", "p"}, {"name", "x"}}}});
  json plan = {{"steps", steps}};
  if (!token.empty()) plan["read_token"] = token;
  return plan.dump();
}

}  // namespace

TEST_CASE("what a command read can be put into a plan, which is refused once it has moved",
          "[cli]") {
  struct Case {
    Words read;
    Words disturb;
  };
  const auto cases = [](const std::string& ada, const std::string& bob) {
    return std::vector<Case>{
        {{"entity", "get", ada}, {"entity", "update", ada, "--name", "Augusta"}},
        {{"entity", "list", "--kind", "person", "--limit", "1"},
         {"entity", "create", "--kind", "person", "--name", "Cy"}},
        {{"note", "list", "--about", ada},
         {"note", "create", "--kind", "x", "--about", ada}},
        {{"edge", "list", "--count"},
         {"edge", "create", "--source", ada, "--relation", "sees", "--target", bob}},
        {{"neighbors", ada}, {"entity", "update", bob, "--name", "Robert"}}};
  };
  for (std::size_t i = 0; i < 5; ++i) {
    const ReadyCli cli;
    const std::string ada = cli.entity("Ada");
    const std::string bob = cli.entity("Bob");
    cli.edge(ada, "knows", bob);
    Case one = cases(ada, bob)[i];
    one.read.push_back("--expect");
    CAPTURE(one.read[0], one.read[1]);
    const auto read = cli.json(one.read);
    REQUIRE(read.exit_code == 0);
    const json expect = read.json()["expect"];
    CHECK(expect.size() >= 1);
    CHECK(cli.json({"apply", "-"}, resting_on(expect)).exit_code == 0);
    const json again = cli.json(one.read).json()["expect"];
    CHECK(cli.run(one.disturb).exit_code == 0);
    CHECK(cli.json({"apply", "-"}, resting_on(again)).exit_code == 4);
  }
}

TEST_CASE("a plan can rest on a key that nobody has, or on who has it", "[cli]") {
  const ReadyCli cli;
  const std::string ada = cli.entity("Ada");
  REQUIRE(cli.run({"key", "declare", "name", "name"}).exit_code == 0);
  const json nobody = cli.json({"key", "find", "name", "Bob", "--expect"}).json();
  CHECK(nobody["id"].is_null());
  const json somebody = cli.json({"key", "find", "name", "Ada", "--expect"}).json();
  CHECK(somebody["id"] == ada);
  for (const json& read : {nobody, somebody}) {
    CHECK(cli.json({"apply", "-"}, resting_on(read["expect"])).exit_code == 0);
    const std::string made = cli.json({"key", "find", "name", "x"}).json()["id"];
    CHECK(cli.run({"entity", "delete", made}).exit_code == 0);
  }
  (void)cli.entity("Bob");
  CHECK(cli.run({"entity", "delete", ada}).exit_code == 0);
  for (const json& read : {nobody, somebody}) {
    CHECK(cli.json({"apply", "-"}, resting_on(read["expect"])).exit_code == 4);
  }
}

TEST_CASE("a plan can rest on an id that names no row", "[cli]") {
  const ReadyCli cli;
  const std::string id = "0190a1b2-0000-7000-8000-000000000001";
  const json nothing = cli.json({"entity", "get", id, "--expect"}).json();
  CHECK(nothing["id"].is_null());
  CHECK(cli.json({"apply", "-"}, resting_on(nothing["expect"])).exit_code == 0);
  CHECK(cli.run({"entity", "create", "--id", id, "--kind", "p", "--name", "n"}).exit_code == 0);
  CHECK(cli.json({"apply", "-"}, resting_on(nothing["expect"])).exit_code == 4);
}

TEST_CASE("the option --expect is for programs", "[cli]") {
  const ReadyCli cli;
  const std::string ada = cli.entity("Ada");
  CHECK(cli.run({"entity", "get", ada, "--expect"}).exit_code == 2);
  CHECK(cli.json({"entity", "get", ada, "--expect", "--as-of", "2"}).exit_code == 2);
}

TEST_CASE("begin gives a token, and a plan with it rests on what was there", "[cli]") {
  const ReadyCli cli;
  const std::string ada = cli.entity("Ada");
  const json begun = cli.json({"begin"}).json();
  CHECK(begun["tail"] == 2);
  CHECK(begun["space"].is_string());
  const std::string token = begun["read_token"];
  CHECK(cli.run({"begin"}).out == token + "\n");
  const json expect = {{{"op", "expect_unchanged"}, {"kind", "entity"}, {"id", ada}},
                       {{"op", "expect_neighborhood"}, {"id", ada}}};
  CHECK(cli.json({"apply", "-"}, resting_on(expect, token)).exit_code == 0);
  CHECK(cli.json({"apply", "-"}, resting_on(expect)).exit_code == 5);
  CHECK(cli.run({"entity", "update", ada, "--name", "Augusta"}).exit_code == 0);
  const auto refused = cli.json({"apply", "-"}, resting_on(expect, token));
  CHECK(refused.exit_code == 4);
  CHECK(refused.error()["steps"][0]["outcome"] == "revision_moved");
  CHECK(refused.error()["steps"][0]["current"]["name"] == "Augusta");
  CHECK(refused.error()["steps"][1]["outcome"] == "held");
  const auto wrong = cli.json({"apply", "-"}, resting_on(expect, token.substr(0, 12)));
  CHECK(wrong.exit_code == 5);
  CHECK(wrong.error()["field"] == "read_token");
}

}  // namespace holdfast::test
