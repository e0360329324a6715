#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {

using Words = Cli::Words;

namespace {

/// The id of the event that a command made.
std::string made(const Run& run) {
  REQUIRE(run.exit_code == 0);
  return run.json()["current"]["id"];
}

std::string status_of(const ReadyCli& cli, const std::string& id) {
  return cli.json({"schedule", "show", id}).json()["event"]["status"];
}

}  // namespace

TEST_CASE("a reminder is echoed back absolute, with the time after it", "[cli][schedule]") {
  const ReadyCli cli;
  const auto run = cli.run({"remind", "call Ada", "--at", "2099-03-29 02:30", "--zone",
                            "Europe/Zurich", "--repeat", "every day"});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.out, Catch::Matchers::ContainsSubstring(
                          "at Sun 2099-03-29 03:30:00 +02:00 (Europe/Zurich)"));
  CHECK_THAT(run.out, Catch::Matchers::ContainsSubstring("then Mon 2099-03-30 02:30:00 +02:00"));
}

TEST_CASE("a time that is not understood, or has passed, is refused by name", "[cli][schedule]") {
  const ReadyCli cli;
  for (const Words& words :
       {Words{"remind", "x", "--at", "soon"}, Words{"remind", "x", "--at", "tomorrow"},
        Words{"remind", "x", "--at", "2020-01-01 09:00"}, Words{"remind", "x"},
        Words{"remind", "x", "--at", "9:00", "--in", "1h"},
        Words{"remind", "x", "--in", "1h", "--repeat", "every:0s"},
        Words{"remind", "x", "--in", "1h", "--zone", "Mars/Olympus"},
        Words{"schedule", "add", "--in", "1h"}}) {
    const auto run = cli.json(words);
    CHECK(run.exit_code == 5);
    CHECK(run.error()["code"] == "invalid_argument");
  }
  CHECK(cli.json({"schedule", "list"}).json()["items"].empty());
  CHECK(cli.run({"remind", "x", "--at", "2020-01-01 09:00", "--allow-past"}).exit_code == 0);
}

TEST_CASE("an edit to a time that has passed is refused unless it is meant", "[cli][schedule]") {
  const ReadyCli cli;
  const std::string id = made(cli.json({"remind", "look", "--in", "1d"}));
  const Words edit = {"schedule", "edit", id, "--at", "2020-01-01 09:00"};
  CHECK(cli.json(edit).error()["field"] == "at");
  CHECK(cli.json({"schedule", "list"}).json()["items"][0]["revision"] ==
        cli.json({"schedule", "show", id}).json()["event"]["created_at"]);
  Words meant = edit;
  meant.emplace_back("--allow-past");
  CHECK(cli.run(meant).exit_code == 0);
}

TEST_CASE("an event is edited, cancelled, armed again, deleted and purged", "[cli][schedule]") {
  const ReadyCli cli;
  const std::string id = made(cli.json({"remind", "look", "--in", "1d"}));
  auto edited = cli.json({"schedule", "edit", id, "--text", "look well", "--repeat", "weekly"});
  CHECK(edited.json()["current"]["payload"]["text"] == "look well");
  CHECK(edited.json()["current"]["repeat"] == "weekly");
  const std::string revision = edited.json()["current"]["revision"].dump();
  CHECK(cli.run({"schedule", "cancel", id, "--revision", "5"}).exit_code == 4);
  CHECK(cli.run({"schedule", "cancel", id, "--revision", revision}).exit_code == 0);
  CHECK(status_of(cli, id) == "cancelled");
  CHECK(cli.run({"schedule", "edit", id, "--in", "2d"}).exit_code == 0);
  CHECK(status_of(cli, id) == "pending");
  CHECK(cli.run({"schedule", "cancel", id}).exit_code == 0);
  CHECK(cli.run({"schedule", "retry", id}).exit_code == 0);
  CHECK(status_of(cli, id) == "pending");
  CHECK(cli.run({"schedule", "delete", id}).exit_code == 0);
  CHECK(cli.json({"schedule", "list"}).json()["items"].empty());
  CHECK(cli.json({"schedule", "list", "--deleted"}).json()["items"].size() == 1);
  CHECK(cli.run({"schedule", "restore", id}).exit_code == 0);
  CHECK(cli.json({"schedule", "history", id}).json()["items"].size() == 8);
  CHECK(cli.run({"schedule", "delete", id}).exit_code == 0);
  CHECK(cli.run({"schedule", "purge", id}).exit_code == 0);
  CHECK(cli.run({"schedule", "show", id}).exit_code == 3);
}

TEST_CASE("a drain carries out what is due and prints its counters", "[cli][schedule]") {
  const ReadyCli cli;
  const Words past = {"--at", "2020-01-01 09:00", "--allow-past"};
  const auto with_past = [&past](Words words) {
    words.insert(words.end(), past.begin(), past.end());
    return words;
  };
  cli.write("plan.json", R"({"steps":[{"op":"create","kind":"entity",)"
                         R"("row":{"kind":"report","name":"made"}}]})");
  (void)made(cli.json(with_past({"remind", "look"})));
  (void)made(cli.json(with_past({"schedule", "add", "--plan", "plan.json"})));
  const auto call =
      made(cli.json(with_past({"schedule", "add", "--action", "work", "--input", R"({"n":1})"})));
  const auto first = cli.json({"scheduler", "drain"});
  CHECK(first.json()["fired"] == 2);
  CHECK(first.json()["unhandled"].get<int>() >= 1);
  const auto second = cli.json({"scheduler", "drain", "--handler", "work=cat > seen.json"});
  CHECK(second.json()["fired"] == 1);
  CHECK(status_of(cli, call) == "fired");
  CHECK(cli.json({"entity", "list"}).json()["items"].size() == 1);
  CHECK(cli.json({"note", "list", "--kind", "reminder"}).json()["items"].size() == 1);
  CHECK(cli.run({"verify"}).exit_code == 0);
}

TEST_CASE("a handler's exit code says what it left behind", "[cli][schedule]") {
  const ReadyCli cli;
  const auto outcome = [&cli](const std::string& command) {
    const auto id = made(cli.json({"schedule", "add", "--action", "work", "--at",
                                   "2020-01-01 09:00", "--allow-past"}));
    CHECK(cli.run({"scheduler", "drain", "--handler", "work=" + command}).exit_code == 0);
    return cli.json({"schedule", "show", id}).json()["attempts"]["items"][0];
  };
  CHECK(outcome("exit 0")["state"] == "succeeded");
  const auto busy = outcome("echo busy >&2; exit 75");
  CHECK((busy["state"] == "failed" && busy["effect"] == "not_committed"));
  CHECK(busy["retry_at"].is_number());
  const auto broken = outcome("echo password=x >&2; exit 3");
  CHECK((broken["state"] == "indeterminate" && broken["effect"] == "unknown"));
  CHECK_THAT(broken["error"].get<std::string>(),
             Catch::Matchers::ContainsSubstring("exit code 3: password=[masked]"));
  CHECK(outcome("kill -9 $$")["state"] == "indeterminate");
}

TEST_CASE("the agenda lists what will happen, repeats included, page by page", "[cli][schedule]") {
  const ReadyCli cli;
  (void)made(cli.json({"remind", "a", "--at", "2099-01-01 09:00", "--repeat", "daily"}));
  (void)made(cli.json({"remind", "b", "--at", "2099-01-02 08:00"}));
  const Words range = {"agenda", "--from", "2099-01-01 00:00", "--to", "2099-01-05 00:00"};
  const auto all = cli.json(range).json()["items"];
  REQUIRE(all.size() == 5);
  CHECK(all[1]["event"]["payload"]["text"] == "b");
  Words paged = range;
  paged.insert(paged.end(), {"--limit", "3"});
  const auto first = cli.json(paged).json();
  CHECK(first["items"].size() == 3);
  paged.insert(paged.end(), {"--cursor", first["next"].get<std::string>()});
  const auto second = cli.json(paged).json();
  CHECK(second["items"].size() == 2);
  CHECK(second["items"][0] == all[3]);
}

TEST_CASE("a running scheduler ends at a signal, and its status shows a dead one",
          "[cli][schedule]") {
  const ReadyCli cli;
  (void)made(cli.json({"remind", "look", "--at", "2020-01-01 09:00", "--allow-past"}));
  const auto run = cli.interrupt({"scheduler", "run", "--tick", "1s"}, "fired 1", 15);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.out, Catch::Matchers::ContainsSubstring("stopped; in all:"));
  const auto status = cli.json({"scheduler", "status"}).json();
  CHECK(status["scheduler"]["attempts"].get<int>() >= 1);
  CHECK(status["open"].empty());
}

TEST_CASE("channels report, and the troubled ones are listed", "[cli][heartbeat]") {
  const ReadyCli cli;
  CHECK(cli.run({"heartbeat", "report", "mail", "--interval", "1d"}).exit_code == 0);
  CHECK(cli.json({"heartbeat", "health"}).json()["items"].empty());
  CHECK(cli.run({"heartbeat", "report", "mail", "--failed", "no line"}).exit_code == 0);
  CHECK(cli.run({"heartbeat", "report", "feed", "--interval", "never"}).exit_code == 5);
  const auto health = cli.json({"heartbeat", "health"}).json()["items"];
  REQUIRE(health.size() == 1);
  CHECK((health[0]["channel"] == "mail" && health[0]["consecutive_failures"] == 1));
  CHECK(cli.json({"heartbeat", "list"}).json()["items"].size() == 1);
}

}  // namespace holdfast::test
