#include <signal.h>

#include <sstream>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

std::vector<int> sequences(const nlohmann::json& items) {
  std::vector<int> found;
  for (const auto& event : items) found.push_back(event["seq"]);
  return found;
}

/// A space of six events: itself, three entities, a note and a deletion.
class SixEvents : public ReadyCli {
 public:
  SixEvents() {
    id = entity("Ada");
    entity("Bob");
    run({"note", "create", "--kind", "x"});
    entity("Eve");
    run({"--actor", "me", "entity", "delete", id});
  }
  std::string id;
};

}  // namespace

TEST_CASE("journal tail shows the last changes, one a line", "[cli]") {
  const SixEvents cli;
  const auto text = cli.run({"journal", "tail", "--limit", "2"});
  CHECK(text.exit_code == 0);
  std::istringstream lines(text.out);
  std::string line;
  std::getline(lines, line);
  CHECK(line.starts_with("5  "));
  std::getline(lines, line);
  CHECK(line.starts_with("6  "));
  CHECK(line.ends_with("delete entity " + cli.id + "  by me"));
  std::getline(lines, line);
  CHECK(line == "2 events");
  CHECK(sequences(cli.json({"journal", "tail"}).json()["items"]) ==
        std::vector<int>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("journal tail pages on from a sequence and says what is left", "[cli]") {
  const SixEvents cli;
  const auto page = cli.json({"journal", "tail", "--from", "2", "--limit", "3"}).json();
  CHECK(sequences(page["items"]) == std::vector<int>{2, 3, 4});
  CHECK(page["next"] == 5);
  CHECK(page["left_out"] == 2);
  CHECK(page["left_out_is_minimum"] == false);
  const auto rest = cli.json({"journal", "tail", "--from", page["next"].dump()}).json();
  CHECK(sequences(rest["items"]) == std::vector<int>{5, 6});
  CHECK(rest["next"].is_null());
  CHECK(cli.json({"journal", "tail", "--from", "7"}).json()["items"].empty());
  const auto text = cli.run({"journal", "tail", "--from", "2", "--limit", "3"}).out;
  CHECK(text.find("3 events shown, 2 left out; next page: --from 5") != std::string::npos);
}

TEST_CASE("journal tail picks the changes of one kind", "[cli]") {
  const SixEvents cli;
  const Words entities = {"journal", "tail", "--kind", "entity"};
  CHECK(sequences(cli.json(entities).json()["items"]) == std::vector<int>{2, 3, 5, 6});
  CHECK(sequences(cli.json(entities + Words{"--limit", "2"}).json()["items"]) ==
        std::vector<int>{5, 6});
  const auto page = cli.json(entities + Words{"--from", "1", "--limit", "1"}).json();
  CHECK(sequences(page["items"]) == std::vector<int>{2});
  CHECK(page["next"] == 3);
  CHECK(page["left_out"] == 3);
}

TEST_CASE("journal tail finds the last changes however long ago they were", "[cli]") {
  const ReadyCli cli;
  cli.run({"relation", "declare", "knows"});
  std::string steps;
  for (int i = 0; i < 450; ++i) {
    steps += std::string(i == 0 ? "" : ",") +
             R"({"op":"create","kind":"entity","row":{"kind":"x","name":"y"}})";
  }
  cli.run({"apply", "-"}, R"({"steps":[)" + steps + "]}");
  const auto relations = cli.json({"journal", "tail", "--kind", "relation"}).json();
  CHECK(sequences(relations["items"]) == std::vector<int>{2});
  const auto last = sequences(cli.json({"journal", "tail", "--limit", "250"}).json()["items"]);
  CHECK(last.size() == 250);
  CHECK(last.front() == 203);
  CHECK(last.back() == 452);
  const auto page =
      cli.json({"journal", "tail", "--from", "1", "--limit", "150", "--kind", "entity"}).json();
  CHECK(page["items"].size() == 150);
  CHECK(page["next"] == 153);
  CHECK(page["left_out"] == 300);
}

TEST_CASE("journal tail refuses what is no place in the journal", "[cli]") {
  const SixEvents cli;
  for (const char* from : {"0", "-1", "x", "8"}) {
    const auto refused = cli.json({"journal", "tail", "--from=" + std::string(from)});
    CHECK(refused.exit_code == 5);
    CHECK(refused.error()["field"] == "from");
  }
  CHECK(cli.json({"journal", "tail", "--limit", "0"}).error()["field"] == "limit");
  CHECK(cli.run({"journal", "tail", "--kind", "person"}).exit_code == 2);
  CHECK(cli.run({"--space", "nowhere", "journal", "tail"}).exit_code == 3);
}

TEST_CASE("journal tail --follow prints each change on its own line and ends at Ctrl-C", "[cli]") {
  const SixEvents cli;
  const auto people =
      cli.interrupt({"journal", "tail", "--follow", "--from", "5"}, "\n6  ", SIGINT);
  CHECK(people.exit_code == 130);
  CHECK(people.out.starts_with("5  "));
  CHECK(people.err.empty());
  const auto lines = cli.interrupt({"--json", "journal", "tail", "--follow", "--from", "5"},
                                   R"({"seq":6)", SIGINT);
  CHECK(lines.exit_code == 130);
  std::istringstream text(lines.out);
  int seq = 5;
  for (std::string line; std::getline(text, line);) {
    CHECK(nlohmann::json::parse(line)["seq"] == seq++);
  }
  CHECK(seq == 7);
  CHECK(cli.interrupt({"journal", "tail", "--follow", "--from", "6"}, "6  ", SIGTERM).exit_code ==
        128 + SIGTERM);
}

TEST_CASE("journal tail --follow waits for the changes of other processes", "[cli]") {
  const SixEvents cli;
  const auto waiting =
      cli.while_running({"journal", "tail", "--follow", "--limit", "2", "--from", "6"}, "6  ",
                        [&] { cli.entity("Zoe"); });
  CHECK(waiting.exit_code == 0);
  CHECK(waiting.out.find("\n7  ") != std::string::npos);
}

TEST_CASE("journal show prints one change with the row as it left it", "[cli]") {
  const SixEvents cli;
  const auto shown = cli.json({"journal", "show", "2"});
  REQUIRE(shown.exit_code == 0);
  CHECK(shown.json()["op"] == "create");
  CHECK(shown.json()["body"]["name"] == "Ada");
  const auto text = cli.run({"journal", "show", "2"}).out;
  CHECK(text.starts_with("2  "));
  CHECK(text.find(R"(name)") != std::string::npos);
  const auto absent = cli.json({"journal", "show", "7"});
  CHECK(absent.exit_code == 3);
  CHECK(absent.error()["kind"] == "event");
  CHECK(cli.json({"journal", "show", "0"}).error()["field"] == "seq");
  CHECK(cli.json({"journal", "show", "x"}).error()["field"] == "seq");
}

}  // namespace holdfast::test
