#include <signal.h>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {

using Words = Cli::Words;

TEST_CASE("a space is created with its settings, and once", "[cli]") {
  const ReadyCli cli;
  const auto made = cli.json({"space", "create", "work", "--relations", "declared", "--rows-max",
                              "10", "--bytes-max", "10000", "--request-retention", "60"});
  REQUIRE(made.exit_code == 0);
  CHECK(made.json()["space"] == "work");
  CHECK(made.json()["relations"] == "declared");
  CHECK(made.json()["rows_max"] == 10);
  CHECK(made.json()["bytes_max"] == 10000);
  CHECK(made.json()["request_retention_s"] == 60);
  const auto again = cli.json({"space", "create", "work"});
  CHECK(again.exit_code == 4);
  CHECK(again.error()["outcome"] == "exists");
  CHECK(cli.json({"space", "info", "work"}).json()["rows_max"] == 10);
  CHECK(cli.run({"space", "create", "a\nb"}).exit_code == 5);
  CHECK(cli.run({"space", "create"}).exit_code == 2);
}

TEST_CASE("a space without room takes no more rows until its limit is changed", "[cli]") {
  const ReadyCli cli;
  cli.run({"space", "configure", "--rows-max", "1"});
  cli.entity("Ada");
  const Words second = {"entity", "create", "--kind", "x", "--name", "y"};
  const auto full = cli.json(second);
  CHECK(full.exit_code == 6);
  CHECK(full.error()["code"] == "full");
  const auto changed = cli.json({"space", "configure", "default", "--rows-max", "none"});
  CHECK(changed.json()["current"]["rows_max"].is_null());
  CHECK(cli.run(second).exit_code == 0);
}

TEST_CASE("configure changes what is named and keeps the rest", "[cli]") {
  const ReadyCli cli;
  cli.run({"space", "configure", "--rows-max", "7", "--request-retention", "60"});
  const auto changed = cli.json({"space", "configure", "--relations", "declared"});
  REQUIRE(changed.exit_code == 0);
  CHECK(changed.json()["outcome"] == "applied");
  CHECK(changed.json()["current"]["rows_max"] == 7);
  CHECK(changed.json()["current"]["relations"] == "declared");
  CHECK(cli.json({"space", "configure", "--request-retention", "none"})
            .json()["current"]["request_retention_s"] == 7 * 24 * 3600);
  CHECK(cli.json({"space", "configure", "--rows-max", "7"}).json()["outcome"] == "unchanged");
  CHECK(cli.run({"space", "configure", "--rows-max", "7"}).out.starts_with("is as asked already"));
  CHECK(cli.run({"space", "configure"}).exit_code == 2);
  CHECK(cli.json({"space", "configure", "--rows-max", "many"}).error()["field"] == "rows_max");
  CHECK(cli.json({"space", "configure", "--request-retention", "0"}).error()["field"] ==
        "request_retention_s");
  CHECK(cli.run({"space", "configure", "nowhere", "--rows-max", "1"}).exit_code == 3);
}

TEST_CASE("a change of settings that is asked for again is the first one, whatever came between",
          "[cli]") {
  const ReadyCli cli;
  const Words words = {"space", "configure", "--rows-max", "7", "--request-id", "r"};
  const auto first = cli.json(words);
  REQUIRE(first.json()["outcome"] == "applied");
  cli.run({"space", "configure", "--rows-max", "9", "--relations", "declared"});
  const auto again = cli.json(words);
  REQUIRE(again.exit_code == 0);
  CHECK(again.json()["repeated"] == true);
  CHECK(again.json()["current"] == first.json()["current"]);
  CHECK(cli.json({"space", "info"}).json()["rows_max"] == 9);
  const auto other = cli.json({"space", "configure", "--rows-max", "8", "--request-id", "r"});
  CHECK(other.exit_code == 5);
  CHECK(other.error()["field"] == "request_id");
}

TEST_CASE("spaces are listed page by page, in order", "[cli]") {
  const ReadyCli cli;
  for (const char* name : {"a", "b"}) cli.run({"space", "create", name});
  const auto page = cli.json({"space", "list", "--limit", "2"}).json();
  CHECK(page["items"][0]["space"] == "a");
  CHECK(page["items"][1]["relations"] == "open");
  CHECK(page["left_out"] == 1);
  const auto rest = cli.json({"space", "list", "--limit", "2", "--cursor", page["next"]});
  CHECK(rest.json()["items"][0]["space"] == "default");
  CHECK(cli.run({"space", "list"}).out.find("3 spaces") != std::string::npos);
  CHECK(cli.json({"space", "list", "--cursor", "x"}).error()["field"] == "cursor");
}

TEST_CASE("space info counts rows by kind, events and requests", "[cli]") {
  const ReadyCli cli;
  const std::string ada = cli.entity("Ada");
  cli.edge(ada, "knows", cli.entity("Bob"));
  cli.run({"entity", "delete", ada, "--request-id", "r"});
  const auto info = cli.json({"space", "info"}).json();
  CHECK(info["space"] == "default");
  CHECK(info["rows"] == 3);
  CHECK(info["kinds"]["entity"] == nlohmann::json({{"live", 1}, {"deleted", 1}}));
  CHECK(info["kinds"]["edge"] == nlohmann::json({{"live", 0}, {"deleted", 1}}));
  CHECK(info["requests"] == 1);
  CHECK(info["seq"] == 6);
  CHECK(cli.run({"space", "info", "default"}).out.find("1 and 1 deleted") != std::string::npos);
  CHECK(cli.run({"space", "info", "nowhere"}).exit_code == 3);
}

TEST_CASE("a space is deleted only by who says --yes, and without it is told what would go",
          "[cli]") {
  const ReadyCli cli;
  cli.run({"space", "create", "work"});
  cli.run({"--space", "work", "entity", "create", "--kind", "x", "--name", "y"});
  const auto unsure = cli.json({"space", "delete", "work"});
  CHECK(unsure.exit_code == 2);
  const std::string message = unsure.error()["message"];
  CHECK(message.find("1 row, 2 events and 0 requests") != std::string::npos);
  CHECK(message.find("--yes") != std::string::npos);
  CHECK(cli.run({"space", "info", "work"}).exit_code == 0);
  const auto gone = cli.json({"space", "delete", "work", "--yes"});
  REQUIRE(gone.exit_code == 0);
  CHECK(gone.json()["complete"] == true);
  CHECK(gone.json()["events"] == 2);
  CHECK(gone.json()["rows"]["entity"] == 1);
  CHECK(cli.run({"space", "info", "work"}).exit_code == 3);
  CHECK(cli.run({"space", "delete", "work", "--yes"}).exit_code == 3);
  CHECK(cli.run({"space", "delete", "work"}).exit_code == 3);
  CHECK(cli.run({"space", "create", "work"}).exit_code == 0);
  CHECK(cli.run({"verify"}).exit_code == 0);
}

TEST_CASE("a removal that was stopped is finished by the same command", "[cli]") {
  const ReadyCli cli;
  cli.run({"space", "create", "work"});
  std::string steps;
  for (int i = 0; i < 5000; ++i) {
    steps += std::string(i == 0 ? "" : ",") +
             R"({"op":"create","kind":"entity","row":{"kind":"x","name":"y"}})";
  }
  REQUIRE(cli.run({"--space", "work", "apply", "-"}, R"({"steps":[)" + steps + "]}").exit_code ==
          0);
  const auto stopped = cli.interrupt({"space", "delete", "work", "--yes"}, "delete: ", SIGINT);
  if (stopped.exit_code != 0) {  // it may have been done before the signal came
    CHECK(stopped.exit_code == 130);
    CHECK(stopped.out.starts_with("deleted part of space work"));
    CHECK(stopped.err.find("the same command again removes the rest") != std::string::npos);
    CHECK(cli.run({"space", "info", "work"}).exit_code == 3);
    CHECK(cli.run({"space", "create", "work"}).exit_code == 4);
    CHECK(cli.run({"space", "delete", "work", "--yes"}).exit_code == 0);
  }
  CHECK(cli.run({"space", "create", "work"}).exit_code == 0);
  CHECK(cli.run({"verify"}).exit_code == 0);
}

}  // namespace holdfast::test
