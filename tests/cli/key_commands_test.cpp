#include <signal.h>

#include <set>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

const Words kDeclare = {"key", "declare", "email", "/email", "--kind", "person"};

/// A space whose persons have e-mail addresses.
struct Mailing : ReadyCli {
  Run create(const std::string& name, const std::string& properties) const {
    return json({"entity", "create", "--kind", "person", "--name", name, "--properties",
                 properties});
  }
  std::string add(const std::string& name, const std::string& email) const {
    const auto made = create(name, R"({"email":")" + email + R"("})");
    REQUIRE(made.exit_code == 0);
    return made.json()["current"]["id"];
  }
  /// That many persons with an address each, in few processes.
  void add_many(std::size_t count) const {
    std::string steps;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string n = std::to_string(i);
      steps += (i == 0 ? "" : ",") +
               (R"({"op":"create","kind":"entity","row":{"kind":"person","name":"p)" + n +
                R"(","properties":{"email":"p)" + n + R"(@x"}}})");
    }
    REQUIRE(run({"apply", "-"}, R"({"steps":[)" + steps + "]}").exit_code == 0);
  }
};

}  // namespace

TEST_CASE("a declared key finds its entity, and declaring it again changes nothing", "[cli]") {
  const Mailing cli;
  const std::string ann = cli.add("Ann", "ann@x");
  const auto declared = cli.json(kDeclare);
  REQUIRE(declared.exit_code == 0);
  CHECK(declared.json()["outcome"] == "declared");
  CHECK(declared.json()["key"] ==
        nlohmann::json({{"name", "email"}, {"kind", "person"}, {"path", "/email"}}));
  CHECK(declared.json()["build"]["walked"] == 1);
  const auto again = cli.json(kDeclare);
  CHECK(again.exit_code == 0);
  CHECK(again.json()["outcome"] == "unchanged");
  CHECK(again.json()["build"].is_null());
  CHECK(cli.json({"key", "find", "email", "ann@x"}).json()["id"] == ann);
  CHECK(cli.run({"key", "find", "email", "ann@x"}).out.find("Ann") != std::string::npos);
  CHECK(cli.run({"verify"}).exit_code == 0);
}

TEST_CASE("a key that nobody has and one that is not declared are not found", "[cli]") {
  const Mailing cli;
  cli.run(kDeclare);
  const auto nobody = cli.json({"key", "find", "email", "x@x"});
  CHECK(nobody.exit_code == 3);
  CHECK(nobody.error()["code"] == "not_found");
  CHECK(nobody.error()["key"] == "email");
  CHECK(nobody.error()["value"] == "x@x");
  const auto unknown = cli.json({"key", "find", "phone", "1"});
  CHECK(unknown.exit_code == 3);
  CHECK(unknown.error()["kind"] == "key");
  CHECK(cli.json({"key", "undeclare", "phone"}).exit_code == 3);
}

TEST_CASE("an integer is looked up as one, and is another key than its digits", "[cli]") {
  const Mailing cli;
  cli.run({"key", "declare", "number", "/n"});
  cli.create("minus", R"({"n":-42})");
  cli.create("text", R"({"n":"-42"})");
  CHECK(cli.json({"key", "find", "number", "-42", "--integer"}).json()["name"] == "minus");
  CHECK(cli.json({"key", "find", "number", "-42"}).json()["name"] == "text");
  for (const char* bad : {"x", "1.5", "9223372036854775808", "1 ", "+1"}) {
    const auto refused = cli.json({"key", "find", "number", bad, "--integer"});
    CHECK(refused.exit_code == 5);
    CHECK(refused.error()["field"] == "value");
  }
}

TEST_CASE("rows that clash refuse a declaration and are listed, and nothing is kept", "[cli]") {
  const Mailing cli;
  const std::string ann = cli.add("Ann", "same@x");
  const std::string other = cli.add("Other", "same@x");
  const auto refused = cli.json(kDeclare);
  CHECK(refused.exit_code == 4);
  CHECK(refused.error()["outcome"] == "refused");
  CHECK(refused.error()["problems_total"] == 1);
  const std::set<std::string> pair = {refused.error()["problems"][0]["id"],
                                      refused.error()["problems"][0]["clashes_with"]};
  CHECK(pair == std::set<std::string>{ann, other});
  const auto text = cli.run(kDeclare);
  CHECK(text.exit_code == 4);
  for (const std::string& part : {ann, other, std::string("same@x"), std::string("in the way")}) {
    CHECK(text.err.find(part) != std::string::npos);
  }
  CHECK(cli.json({"key", "list"}).json()["items"].empty());
}

TEST_CASE("a name that stands for another declaration is a conflict and says which", "[cli]") {
  const Mailing cli;
  cli.run(kDeclare);
  const auto refused = cli.json({"key", "declare", "email", "/mail"});
  CHECK(refused.exit_code == 4);
  CHECK(refused.error()["outcome"] == "declared_otherwise");
  CHECK(refused.error()["current"]["path"] == "/email");
  CHECK(cli.run({"key", "declare", "email", "/mail"}).err.find("key undeclare email") !=
        std::string::npos);
  CHECK(cli.json({"key", "declare", "k", "email"}).error()["field"] == "path");
  CHECK(cli.json({"key", "undeclare", "email"}).json()["outcome"] == "undeclared");
  CHECK(cli.run({"key", "declare", "email", "/mail"}).exit_code == 0);
}

TEST_CASE("keys are listed with their state", "[cli]") {
  const Mailing cli;
  cli.run(kDeclare);
  cli.run({"key", "declare", "by name", "name"});
  const auto items = cli.json({"key", "list"}).json()["items"];
  REQUIRE(items.size() == 2);
  CHECK(items[0]["name"] == "by name");
  CHECK(items[0]["kind"].is_null());
  CHECK(items[1]["kind"] == "person");
  CHECK(items[1]["is_in_force"] == true);
  const auto text = cli.run({"key", "list"});
  CHECK(text.out.find("in force") != std::string::npos);
  CHECK(text.out.find("2 keys") != std::string::npos);
  CHECK(cli.json({"space", "info"}).json()["projections"] == 2);
}

TEST_CASE("every write that would take another's key is a conflict and shows its holder",
          "[cli]") {
  const Mailing cli;
  const std::string ann = cli.add("Ann", "ann@x");
  const std::string bob = cli.add("Bob", "bob@x");
  const std::string old = cli.add("Old", "old@x");
  cli.run({"entity", "delete", old});
  cli.run(kDeclare);
  cli.add("New", "old@x");
  auto row = nlohmann::json::parse(cli.run({"--json", "entity", "get", bob}).out);
  row["properties"]["email"] = "ann@x";
  cli.write("bob.json", row.dump());
  const Words create = {"entity", "create", "--kind", "person", "--name", "Anne", "--properties",
                        R"({"email":"ann@x"})"};
  const Words update = {"entity", "update", bob, "--properties", R"({"email":"ann@x"})"};
  const Words replace = {"entity", "replace", bob, "--from", "bob.json"};
  for (const Words& words : {create, update, replace}) {
    const auto refused = cli.json(words);
    CHECK(refused.exit_code == 4);
    CHECK(refused.error()["outcome"] == "key_taken");
    CHECK(refused.error()["current"]["id"] == ann);
  }
  const auto text = cli.run(create);
  CHECK(text.err.find("a live entity has this key; nothing was written") != std::string::npos);
  CHECK(text.err.find("in the way:\n") != std::string::npos);
  CHECK(text.err.find(ann) != std::string::npos);
  const auto restored = cli.json({"entity", "restore", old});
  CHECK(restored.exit_code == 4);
  CHECK(restored.error()["current"]["name"] == "New");
}

TEST_CASE("a declaration that was stopped is not in force, and the next goes on with it",
          "[cli]") {
  const Mailing cli;
  cli.add_many(5000);
  const auto stopped = cli.interrupt(kDeclare, "walk email: ", SIGINT);
  REQUIRE(stopped.exit_code == 130);
  CHECK(stopped.err.find("run the same command again to go on") != std::string::npos);
  CHECK(cli.json({"key", "list"}).json()["items"][0]["is_in_force"] == false);
  const auto early = cli.json({"key", "find", "email", "p7@x"});
  CHECK(early.exit_code == 6);
  CHECK(early.error()["code"] == "unavailable");
  const auto done = cli.json(kDeclare);
  REQUIRE(done.exit_code == 0);
  CHECK(done.json()["build"]["was_resumed"] == true);
  CHECK(done.json()["build"]["walked"] == 5000);
  CHECK(cli.json({"key", "find", "email", "p7@x"}).json()["name"] == "p7");
}

}  // namespace holdfast::test
