#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

std::string plan(const std::string& steps) {
  return R"({"steps":[)" + steps + "]}";
}

/// A person and a note about it.
const std::string kTwoRows =
    plan(R"({"op":"create","kind":"entity","as":"ada","row":{"kind":"person","name":"Ada"}},)"
         R"({"op":"create","kind":"note","row":{"kind":"x","about":"$ada","key":"k"}})");

/// Renames the entity if it is as it was read.
std::string renaming(const nlohmann::json& row) {
  return plan(R"({"op":"patch","kind":"entity","id":)" + row["id"].dump() +
              R"(,"patch":{"name":"Al"},"expect":{"revision":)" + row["revision"].dump() + "}}");
}

}  // namespace

TEST_CASE("a plan lands whole, and says what became of each step", "[cli]") {
  const ReadyCli cli;
  const auto applied = cli.json({"apply", "-"}, kTwoRows);
  REQUIRE(applied.exit_code == 0);
  const auto answer = applied.json();
  CHECK(answer["outcome"] == "applied");
  CHECK(answer["repeated"] == false);
  CHECK(answer["request_id"].get<std::string>().size() == 36);
  REQUIRE(answer["steps"].size() == 2);
  const auto& first = answer["steps"][0];
  CHECK(first["step"] == 0);
  CHECK(first["op"] == "create");
  CHECK(first["kind"] == "entity");
  CHECK(first["as"] == "ada");
  CHECK(first["outcome"] == "applied");
  CHECK(first["current"]["id"] == first["id"]);
  CHECK(answer["steps"][1]["current"]["about"] == first["id"]);
  CHECK(cli.run({"entity", "list", "--count"}).out == "1\n");
}

TEST_CASE("a plan comes from a file, and people see its steps", "[cli]") {
  const ReadyCli cli;
  cli.write("plan.json", kTwoRows);
  const auto applied = cli.run({"apply", "plan.json"});
  CHECK(applied.exit_code == 0);
  CHECK(applied.out.starts_with("applied 2 steps, request "));
  CHECK(applied.out.find("   1  create  note ") != std::string::npos);
}

TEST_CASE("a refused plan writes nothing and lists each conflict with the row as it is", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Ada");
  const auto read = cli.json({"entity", "get", id}).json();
  cli.run({"entity", "update", id, "--name", "Augusta"});
  cli.json({"note", "create", "--kind", "x", "--key", "k"});
  const std::string steps = R"({"op":"create","kind":"entity","row":{"kind":"x","name":"new"}},)"
                            R"({"op":"delete","kind":"entity","id":")" +
                            id + R"(","expect":{"revision":)" + read["revision"].dump() +
                            R"(}},{"op":"expect_absent","kind":"note","key":"k"})";
  const auto refused = cli.json({"apply", "-"}, plan(steps));
  CHECK(refused.exit_code == 4);
  CHECK(refused.out.empty());
  const auto error = refused.error();
  CHECK(error["code"] == "conflict");
  CHECK(error["outcome"] == "refused");
  CHECK(error["steps"][0]["is_conflict"] == false);
  CHECK(error["steps"][1]["outcome"] == "revision_moved");
  CHECK(error["steps"][1]["current"]["name"] == "Augusta");
  CHECK(error["steps"][1]["id"] == id);
  CHECK(error["steps"][2]["outcome"] == "key_taken");
  CHECK(error["steps"][2]["key"] == "k");
  CHECK(cli.run({"entity", "list", "--count"}).out == "1\n");
  const auto text = cli.run({"apply", "-"}, plan(steps)).err;
  CHECK(text.find("2 conflicts in 3 steps; nothing was written") != std::string::npos);
  CHECK(text.find("steps[1] delete entity " + id + ": revision_moved") != std::string::npos);
  CHECK(text.find("Augusta") != std::string::npos);
  CHECK(text.find("steps[2] expect_absent note key \"k\": key_taken") != std::string::npos);
}

TEST_CASE("what rests on a refused step is not evaluated", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Ada");
  const auto refused =
      cli.json({"apply", "-"},
               plan(R"({"op":"create","kind":"entity","as":"a","row":{"id":")" + id +
                    R"(","kind":"x","name":"y"}},{"op":"delete","kind":"entity","id":"$a"})"));
  CHECK(refused.error()["steps"][0]["outcome"] == "exists");
  CHECK(refused.error()["steps"][1]["outcome"] == "not_evaluated");
  CHECK(refused.error()["steps"][1]["is_conflict"] == false);
}

TEST_CASE("a dry run and plan check make the same checks and write nothing", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Ada");
  const auto read = cli.json({"entity", "get", id}).json();
  for (const Words& words : {Words{"apply", "-", "--dry-run"}, Words{"plan", "check", "-"}}) {
    const auto checked = cli.json(words, renaming(read));
    CHECK(checked.exit_code == 0);
    CHECK(checked.json()["outcome"] == "checked");
    CHECK(checked.json()["steps"][0]["outcome"] == "held");
    CHECK(cli.run(words, renaming(read)).out.starts_with("would apply 1 step; nothing was"));
  }
  CHECK(cli.json({"entity", "get", id}).json() == read);
  cli.run({"entity", "update", id, "--name", "Augusta"});
  for (const Words& words : {Words{"apply", "-", "--dry-run"}, Words{"plan", "check", "-"}}) {
    const auto refused = cli.json(words, renaming(read));
    CHECK(refused.exit_code == 4);
    CHECK(refused.error()["steps"][0]["outcome"] == "revision_moved");
  }
}

TEST_CASE("a plan asked for again with its request id answers with the rows it made", "[cli]") {
  const ReadyCli cli;
  const Words words = {"apply", "-", "--request-id", "p"};
  const auto first = cli.json(words, kTwoRows).json();
  const auto again = cli.json(words, kTwoRows);
  REQUIRE(again.exit_code == 0);
  CHECK(again.json()["repeated"] == true);
  CHECK(again.json()["request_id"] == "p");
  CHECK(again.json()["steps"][0]["id"] == first["steps"][0]["id"]);
  CHECK(again.json()["steps"][1]["current"] == first["steps"][1]["current"]);
  CHECK(cli.run({"entity", "list", "--count"}).out == "1\n");
  CHECK(cli.run(words, kTwoRows).out.find("was applied before") != std::string::npos);
  const auto other = cli.json(words, plan(""));
  CHECK(other.exit_code == 5);
  CHECK(other.error()["field"] == "request_id");
}

TEST_CASE("a plan that cannot be read names the step, the op and the field", "[cli]") {
  const ReadyCli cli;
  const auto field = [&](const std::string& document) {
    const auto refused = cli.json({"apply", "-"}, document);
    CHECK(refused.exit_code == 5);
    return refused.error()["field"].get<std::string>();
  };
  CHECK(field("[]") == "plan");
  CHECK(field("{}") == "steps");
  CHECK(field(plan(R"({"op":"make"})")) == "steps[0] op");
  CHECK(field(plan(R"({"op":"create","kind":"entity","row":{"kind":"x"}})")) ==
        "steps[0] create: row.name");
  CHECK(field(plan(R"({"op":"delete","kind":"entity","id":"$a"})")) == "steps[0] delete: id");
  CHECK(cli.run({"apply", "nowhere.json"}).exit_code == 3);
  CHECK(cli.run({"plan", "check", "nowhere.json"}).exit_code == 3);
  CHECK(cli.run({"apply"}).exit_code == 2);
  CHECK(cli.run({"apply", "-", "--dry-run", "--request-id", "x"}, plan("")).exit_code == 2);
}

TEST_CASE("a plan's rows may have properties of every level", "[cli]") {
  const ReadyCli cli;
  const auto deep = [&](std::size_t count) {
    return cli.run({"apply", "-"},
                   plan(R"({"op":"create","kind":"entity","row":{"kind":"x","name":"y",)"
                        R"("properties":{"a":)" +
                        std::string(count - 1, '[') + std::string(count - 1, ']') + "}}}"));
  };
  CHECK(deep(64).exit_code == 0);
  CHECK(deep(65).exit_code == 5);
}

TEST_CASE("an empty plan is applied, and says so", "[cli]") {
  const ReadyCli cli;
  const auto applied = cli.json({"apply", "-"}, plan(""));
  CHECK(applied.exit_code == 0);
  CHECK(applied.json()["steps"].empty());
}

}  // namespace holdfast::test
