#include <fcntl.h>
#include <unistd.h>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

constexpr const char* kLongAgo = "2020-01-01T00:00:00Z";

std::string act(const ReadyCli& cli) {
  return cli.json({"schedule", "add", "--action", "work", "--at", kLongAgo, "--allow-past"})
      .json()["current"]["id"];
}

nlohmann::json last_attempt(const ReadyCli& cli, const std::string& id) {
  return cli.json({"schedule", "show", id}).json()["attempts"]["items"][0];
}

}  // namespace

TEST_CASE("a reminder in an hour that is asked for again under one id is the first one",
          "[cli][schedule]") {
  const ReadyCli cli;
  const Words words = {"remind", "a", "--in", "1h", "--request-id", "r"};
  const auto first = cli.json(words).json();
  const auto again = cli.json(words).json();
  CHECK(again["repeated"] == true);
  CHECK(again["current"] == first["current"]);
  const auto other = cli.json({"remind", "b", "--in", "1h", "--request-id", "r"});
  CHECK(other.exit_code == 5);
  CHECK(other.error()["field"] == "request_id");
}

TEST_CASE("a reminder whose time has passed since is answered under its id", "[cli][schedule]") {
  const ReadyCli cli;
  Words words = {"remind", "a", "--at", kLongAgo, "--request-id", "r"};
  CHECK(cli.run(words + Words{"--allow-past"}).exit_code == 0);
  CHECK(cli.json(words).json()["repeated"] == true);
}

TEST_CASE("an edit that arms an event again is made once under its id", "[cli][schedule]") {
  const ReadyCli cli;
  const std::string id = cli.json({"remind", "a", "--in", "1h"}).json()["current"]["id"];
  cli.run({"schedule", "cancel", id});
  const Words edit = {"schedule", "edit", id, "--in", "2h", "--request-id", "r"};
  const auto first = cli.run(edit);
  CHECK_THAT(first.out, Catch::Matchers::ContainsSubstring("had ended (cancelled) and is armed"));
  const auto again = cli.json(edit).json();
  CHECK(again["repeated"] == true);
  CHECK(again["current"]["status"] == "pending");
}

TEST_CASE("an edit that moves no time arms nothing, whatever its text says", "[cli][schedule]") {
  const ReadyCli cli;
  const std::string id = cli.json({"remind", "a", "--in", "1h"}).json()["current"]["id"];
  cli.run({"schedule", "cancel", id});
  const auto edited = cli.run({"schedule", "edit", id, "--text", "pending"});
  CHECK(edited.out.find("armed") == std::string::npos);
  CHECK(cli.json({"schedule", "show", id}).json()["event"]["status"] == "cancelled");
}

TEST_CASE("an edit at another revision is a conflict, and a payload is replaced whole",
          "[cli][schedule]") {
  const ReadyCli cli;
  const std::string ada = cli.entity("Ada");
  const std::string id =
      cli.json({"remind", "a", "--in", "1h", "--about", ada}).json()["current"]["id"];
  const auto stale = cli.json({"schedule", "edit", id, "--text", "b", "--revision", "5"});
  CHECK(stale.exit_code == 4);
  CHECK(stale.error()["outcome"] == "revision_moved");
  const auto whole = cli.json({"schedule", "edit", id, "--payload", R"({"text":"c"})"}).json();
  CHECK(whole["current"]["payload"] == nlohmann::json{{"text", "c"}});
}

TEST_CASE("what a handler leaves in the background is not waited for", "[cli][schedule]") {
  const ReadyCli cli;
  const std::string id = act(cli);
  // Reading the pipe, it holds the command's stderr open until the end of this test.
  const auto drained = cli.json(
      {"scheduler", "drain", "--handler", "work=mkfifo gate; cat gate 1>&2 & exit 0"});
  CHECK(drained.json()["fired"] == 1);
  CHECK(last_attempt(cli, id)["state"] == "succeeded");
  const int gate = open((cli.home() / "gate").c_str(), O_RDWR | O_NONBLOCK);
  CHECK(gate >= 0);
  close(gate);
}

TEST_CASE("a handler that has turned its stderr elsewhere can be stopped", "[cli][schedule]") {
  const ReadyCli cli;
  const std::string id = act(cli);
  const auto run = cli.interrupt(
      {"scheduler", "run", "--tick", "0", "--handler",
       "work=exec >>/proc/$PPID/fd/2 2>&1; echo it is up; exec tail -f /dev/null"},
      "it is up", 15);
  CHECK(run.exit_code == 0);
  CHECK(last_attempt(cli, id)["state"] == "indeterminate");
  CHECK(last_attempt(cli, id)["error"] == "signal 15");
}

TEST_CASE("handlers know the database, and have signals as usual", "[cli][schedule]") {
  ReadyCli cli;
  cli.variables["HOLDFAST_DB"] = cli.database().string();
  act(cli);
  CHECK(cli.json({"scheduler", "drain", "--handler",
                  "work=test \"$HOLDFAST_DB\" && test \"$HOLDFAST_EVENT\" && "
                  "! sh -c 'kill -PIPE $$; exit 0'"})
            .json()["fired"] == 1);
}

TEST_CASE("how a handler ended is known though the parent ignores its children's ends",
          "[cli][schedule]") {
  ReadyCli cli;
  act(cli);
  cli.program = Words{"env", "--ignore-signal=CHLD"} + cli.program;
  const auto drained = cli.json({"scheduler", "drain", "--handler", "work=exit 75"}).json();
  CHECK(drained["retry"] == 1);
  CHECK(drained["fired"] == 0);
}

TEST_CASE("a reminder of malformed text is refused, and grace may be none", "[cli][schedule]") {
  const ReadyCli cli;
  CHECK(cli.json({"remind", "a\xff", "--in", "1h"}).exit_code == 5);
  const auto made = cli.json({"remind", "a", "--in", "1h", "--grace", "0s"}).json();
  CHECK(made["current"]["grace"] == 0);
}

}  // namespace holdfast::test
