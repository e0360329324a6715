#include <signal.h>

#include <holdfast/space/store.h>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

/// A space with the key "name", of three entities.
struct Named : ReadyCli {
  Named() {
    for (const char* name : {"Ann", "Bob", "Old"}) ids.push_back(entity(name));
    run({"entity", "delete", ids[2]});
    REQUIRE(run({"key", "declare", "name", "name"}).exit_code == 0);
  }
  /// Changes the file as no command would.
  void spoil(const char* sql) const {
    const auto store = Store::open(database().string());
    store->database().writer().submit(
        [&](storage::Transaction& transaction) {
          CHECK(transaction.prepare(sql).run() == 1);
          return storage::Verdict::keep;
        },
        "spoil");
  }
  nlohmann::json status() const { return json({"projection", "status", "name"}).json(); }
  std::vector<std::string> ids;
};

}  // namespace

TEST_CASE("projections are listed with their declarations", "[cli]") {
  const Named cli;
  const auto items = cli.json({"projection", "list"}).json()["items"];
  REQUIRE(items.size() == 1);
  CHECK(items[0]["name"] == "name");
  CHECK(items[0]["type"] == "key");
  CHECK(items[0]["declaration"] == nlohmann::json({{"path", "name"}}));
  CHECK(cli.run({"projection", "list"}).out.find("1 projection\n") != std::string::npos);
}

TEST_CASE("a projection's status counts its sources, deleted ones included", "[cli]") {
  const Named cli;
  const auto status = cli.status();
  CHECK(status["upkeep"] == "in_transaction");
  CHECK(status["rebuild"].is_null());
  REQUIRE(status["generations"].size() == 1);
  const auto& serving = status["generations"][0];
  CHECK(serving["state"] == "serving");
  CHECK(serving["walked"] == 3);
  CHECK(serving["total"] == 3);
  CHECK(serving["current"] == 3);
  CHECK(serving["stale"] == 0);
  CHECK(serving["missing"] == 0);
  CHECK(serving["rows"] == 2);
  CHECK(serving["behind"] == 0);
  CHECK(serving["failed"] == 0);
  CHECK(serving["is_outdated"] == false);
  CHECK(cli.json({"projection", "status"}).json()["items"][0] == status);
  const auto text = cli.run({"projection", "status"}).out;
  for (const char* part : {"projection name\n", "serving", "3 of 3", "by nobody"}) {
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(cli.json({"projection", "status", "phone"}).error()["kind"] == "projection");
}

TEST_CASE("a rebuild makes a new generation and removes the one before", "[cli]") {
  const Named cli;
  const auto before = cli.status()["generations"][0]["generation"];
  const auto rebuilt =
      cli.json({"projection", "rebuild", "name", "--batch", "1", "--lease", "0.5"});
  REQUIRE(rebuilt.exit_code == 0);
  CHECK(rebuilt.json()["end"] == "swapped");
  CHECK(rebuilt.json()["walked"] == 3);
  CHECK(rebuilt.json()["outcomes"]["applied"] == 2);
  CHECK(rebuilt.json()["dropped"] > 0);
  REQUIRE(cli.status()["generations"].size() == 1);
  CHECK(cli.status()["generations"][0]["generation"] > before);
  CHECK(cli.run({"projection", "rebuild", "name"}).out.find("3 rows walked") !=
        std::string::npos);
  CHECK(cli.json({"projection", "rebuild", "phone"}).exit_code == 3);
}

TEST_CASE("a rebuild's batch and lease have limits", "[cli]") {
  const Named cli;
  for (const char* batch : {"0", "10001", "-1", "x", ""}) {
    const auto refused = cli.json({"projection", "rebuild", "name", "--batch", batch});
    CHECK(refused.exit_code == 5);
    CHECK(refused.error()["field"] == "batch");
  }
  for (const char* lease : {"0", "0.0001", "86401", "-1", "1e99", "nan", "x", ""}) {
    const auto refused = cli.json({"projection", "rebuild", "name", "--lease", lease});
    CHECK(refused.exit_code == 5);
    CHECK(refused.error()["field"] == "lease");
  }
  CHECK(cli.status()["generations"].size() == 1);
}

TEST_CASE("a stopped rebuild is cancelled, and what served serves on", "[cli]") {
  const Named cli;
  std::string steps;
  for (int i = 0; i < 2000; ++i) {
    steps += i == 0 ? "" : ",";
    steps += R"({"op":"create","kind":"entity","row":{"kind":"x","name":"n)" + std::to_string(i) +
             R"("}})";
  }
  REQUIRE(cli.run({"apply", "-"}, R"({"steps":[)" + steps + "]}").exit_code == 0);
  const auto stopped =
      cli.interrupt({"projection", "rebuild", "name", "--batch", "1"}, "walk name: ", SIGINT);
  REQUIRE(stopped.exit_code == 130);
  CHECK(stopped.err.find("projection cancel name") != std::string::npos);
  CHECK(cli.status()["generations"].size() == 2);
  CHECK(cli.json({"key", "find", "name", "Ann"}).json()["id"] == cli.ids[0]);
  CHECK(cli.json({"projection", "cancel", "name"}).json()["outcome"] == "cancelled");
  CHECK(cli.json({"projection", "cancel", "name"}).json()["outcome"] == "unchanged");
  CHECK(cli.status()["generations"].size() == 1);
  CHECK(cli.json({"key", "find", "name", "n7"}).exit_code == 0);
  CHECK(cli.json({"projection", "cancel", "phone"}).exit_code == 3);
}

TEST_CASE("verify finds what does not follow from the rows, and a rebuild mends it", "[cli]") {
  const Named cli;
  CHECK(cli.json({"projection", "verify", "name"}).json()["findings_total"] == 0);
  CHECK(cli.run({"projection", "verify", "name"}).out.starts_with("clean"));
  cli.spoil("UPDATE keys SET value = '\"Eve\"' WHERE value = '\"Ann\"'");
  const auto found = cli.json({"projection", "verify", "name"});
  CHECK(found.exit_code == 7);
  CHECK(found.json()["findings_total"] > 0);
  CHECK(found.error()["code"] == "corrupt");
  CHECK(cli.run({"projection", "verify", "name"}).err.find("projection rebuild name") !=
        std::string::npos);
  CHECK(cli.json({"key", "find", "name", "Eve"}).exit_code == 7);
  CHECK(cli.run({"projection", "rebuild", "name"}).exit_code == 0);
  CHECK(cli.run({"projection", "verify", "name"}).exit_code == 0);
  CHECK(cli.json({"projection", "verify", "phone"}).exit_code == 3);
}

}  // namespace holdfast::test
