#include <map>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

std::string name_of(const Words& command) {
  std::string name;
  for (const std::string& word : command) name += (name.empty() ? "" : " ") + word;
  return name;
}

/// Words behind each command that make it succeed on a database that has what they name.
class Workable : public ReadyCli {
 public:
  Workable() {
    const std::string ada = entity("Ada");
    const std::string bob = entity("Bob");
    const std::string knows = edge(ada, "knows", bob);
    const std::string note = json({"note", "create", "--kind", "x"}).json()["current"]["id"];
    write("plan.json", R"({"steps":[]})");
    write("empty.jsonl", "");
    run({"entity", "update", bob, "--name", "Bo", "--request-id", "r"});
    run({"export", "all.jsonl"});
    run({"backup", "monday.db"});
    run({"space", "create", "old"});
    run({"key", "declare", "label", "name"});
    run({"key", "declare", "gone", "name"});
    run({"model", "create", "words", "--dim", "16"});
    run({"model", "create", "spare", "--dim", "16"});
    const std::string event =
        json({"remind", "look", "--at", "2099-01-01 09:00"}).json()["current"]["id"];
    words = {{"where", {}},
             {"init", {}},
             {"info", {}},
             {"doctor", {}},
             {"verify", {}},
             {"backup", {"tuesday.db"}},
             {"restore", {"monday.db", "--db", "new.db"}},
             {"completion", {"bash"}},
             {"neighbors", {ada}},
             {"traverse", {ada}},
             {"path", {ada, bob}},
             {"relation list", {}},
             {"relation declare", {"is"}},
             {"begin", {}},
             {"apply", {"plan.json"}},
             {"plan check", {"plan.json"}},
             {"request show", {"r"}},
             {"import", {"--format", "jsonl", "all.jsonl"}},
             {"export", {"more.jsonl"}},
             {"space create", {"new"}},
             {"space list", {}},
             {"space info", {}},
             {"space configure", {"--rows-max", "100"}},
             {"space delete", {"old", "--yes"}},
             {"journal tail", {}},
             {"journal show", {"1"}},
             {"key declare", {"label", "name"}},
             {"key undeclare", {"gone"}},
             {"key list", {}},
             {"key find", {"label", "Bo"}},
             {"projection list", {}},
             {"projection status", {}},
             {"projection rebuild", {"label"}},
             {"projection cancel", {"label"}},
             {"projection verify", {"label"}},
             {"model create", {"new", "--dim", "8"}},
             {"model list", {}},
             {"model show", {"words"}},
             {"model default", {"words"}},
             {"model drop", {"spare", "--yes"}},
             {"index status", {}},
             {"index rebuild", {"words", "--m", "8"}},
             {"index cancel", {"words"}},
             {"index verify", {"words"}},
             {"index compact", {}},
             {"index failures", {}},
             {"embed", {}},
             {"remind", {"look", "--in", "1d"}},
             {"schedule add", {"--action", "work", "--in", "1d"}},
             {"agenda", {}},
             {"scheduler run", {"--for", "1s", "--tick", "0"}},
             {"scheduler drain", {}},
             {"scheduler status", {}},
             {"heartbeat report", {"mail"}},
             {"heartbeat list", {}},
             {"heartbeat health", {}},
             {"similar", {"--text", "Ada"}},
             {"entity rename", {ada, "Augusta"}},
             {"edge retarget", {knows, "--relation", "is"}}};
    words["schedule list"] = {};
    words["schedule edit"] = {event, "--text", "look well"};
    for (const char* verb :
         {"show", "attempts", "cancel", "retry", "history", "delete", "restore", "purge"}) {
      words[std::string("schedule ") + verb] = {event};
    }
    add_kind("entity", ada, {"--kind", "x", "--name", "y"}, {"--name", "z"});
    add_kind("edge", knows, {"--source", ada, "--relation", "sees", "--target", bob},
             {"--weight", "2"});
    add_kind("note", note, {"--kind", "x"}, {"--content", "z"});
  }

  /// Lets each kind's commands follow each other: what is deleted is restored or purged.
  void prepare(const std::string& command) const {
    if (!command.ends_with(" restore") && !command.ends_with(" purge")) return;
    run({command.substr(0, command.find(' ')), "delete", words.at(command).front()});
  }

  std::map<std::string, Words> words;

 private:
  void add_kind(const std::string& kind, const std::string& id, const Words& fields,
                const Words& change) {
    for (const char* verb : {"get", "history", "delete", "restore", "purge"}) {
      words[kind + " " + verb] = {id};
    }
    words[kind + " list"] = {};
    words[kind + " create"] = fields;
    words[kind + " update"] = Words{id} + change;
    write(kind + ".json", run({"--json", kind, "get", id}).out);
    words[kind + " replace"] = {id, "--from", kind + ".json"};
  }
};

/// What changes nothing first, and what ends a row last, so that each command finds its row.
int turn_of(const std::string& command) {
  if (command == "import" || command.ends_with(" replace")) return 0;
  // Edges go with their ends.
  const int first = command.starts_with("edge ") ? 1 : 4;
  if (command.ends_with(" purge")) return first + 2;
  return command.ends_with(" delete") || command.ends_with(" restore") ? first + 1 : first;
}

}  // namespace

TEST_CASE("the help of every command says what it does and shows an example", "[cli]") {
  const Cli cli;
  const auto commands = cli.commands();
  CHECK(commands.size() > 50);
  for (const Words& command : commands) {
    INFO(name_of(command));
    const auto help = cli.run(command + Words{"--help"});
    CHECK(help.exit_code == 0);
    CHECK(help.err.empty());
    CHECK(help.out.find("Example:\n  ") != std::string::npos);
    const std::string example = help.out.substr(help.out.find("Example:\n  ") + 11);
    CHECK(example.find("holdfast ") != std::string::npos);
    CHECK(example.find(name_of(command)) != std::string::npos);
    CHECK(cli.json(command + Words{"--help"}).json()["help"].get<std::string>().size() > 50);
  }
}

TEST_CASE("the example of every command is written as the command wants it", "[cli]") {
  const Cli cli;
  for (const Words& command : cli.commands()) {
    const std::string help = cli.run(command + Words{"--help"}).out;
    const std::string example = help.substr(help.find("Example:\n  ") + 11);
    // One has a part that is a person's, the others wait for changes.
    if (example.find("edit row.json") != std::string::npos) continue;
    if (example.find("--follow") != std::string::npos) continue;
    INFO(example);
    Cli shell;  // without a database, so that most are soon refused
    shell.program = {"bash", "-c"};
    const auto answer = shell.run({"holdfast() { " HOLDFAST_CLI_BINARY " \"$@\" || "
                                   "echo \"ended with $?\" >&2; }\n" +
                                   example});
    CHECK(answer.err.find("ended with 2") == std::string::npos);
  }
}

TEST_CASE("P9: every command leaves one document on stdout with --json, and nothing on stderr",
          "[cli]") {
  const Workable cli;
  std::vector<std::pair<int, std::string>> commands;
  const auto all = cli.commands();
  for (const Words& command : all) {
    const bool is_group = std::any_of(all.begin(), all.end(), [&](const Words& other) {
      return other.size() == command.size() + 1 &&
             std::equal(command.begin(), command.end(), other.begin());
    });
    if (!is_group) commands.emplace_back(turn_of(name_of(command)), name_of(command));
  }
  std::sort(commands.begin(), commands.end());
  CHECK(commands.size() == cli.words.size());
  for (const auto& [turn, name] : commands) {
    INFO(name);
    REQUIRE(cli.words.contains(name));
    cli.prepare(name);
    std::istringstream parts(name);
    Words words;
    for (std::string word; parts >> word;) words.push_back(word);
    const auto answer = cli.json(words + cli.words.at(name));
    CHECK(answer.exit_code == 0);
    CHECK(answer.err == "");
    CHECK(answer.json().is_object());
  }
}

TEST_CASE("P9: every command that is refused leaves stdout empty", "[cli]") {
  const Cli cli;  // without a database
  for (const Words& command : cli.commands()) {
    if (command == Words{"where"} || command == Words{"init"}) continue;
    if (command == Words{"completion"} || command == Words{"doctor"}) continue;
    INFO(name_of(command));
    for (const Words& more : {Words{}, Words{"--no-such-option"}}) {
      const auto refused = cli.json(command + more);
      CHECK(refused.exit_code != 0);
      CHECK(refused.out.empty());
      CHECK(refused.error()["code"].is_string());
    }
  }
}

}  // namespace holdfast::test
