#include <sstream>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

/// What bash offers behind the words, the last of which is being typed.
std::set<std::string> offered(const Cli& cli, const Words& words) {
  Cli bash;
  bash.folder = cli.folder;
  bash.program = {"bash", "--norc", "-c"};
  std::string script = "source <(" HOLDFAST_CLI_BINARY " completion bash)\nCOMP_WORDS=(holdfast";
  for (const std::string& word : words) script += " '" + word + "'";
  script += ")\nCOMP_CWORD=" + std::to_string(words.size()) +
            "\n_holdfast\nprintf '%s\\n' \"${COMPREPLY[@]}\"";
  const auto answer = bash.run({script});
  CHECK(answer.exit_code == 0);
  CHECK(answer.err == "");
  std::set<std::string> found;
  std::istringstream lines(answer.out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) found.insert(line);
  }
  return found;
}

}  // namespace

TEST_CASE("bash completes every command", "[cli]") {
  const Cli cli;
  std::map<Words, std::set<std::string>> below;
  for (const Words& command : cli.commands()) {
    if (command.empty()) continue;
    below[Words(command.begin(), command.end() - 1)].insert(command.back());
  }
  CHECK(below.size() > 5);
  for (const auto& [group, names] : below) CHECK(offered(cli, group + Words{""}) == names);
  CHECK(offered(cli, {"entity", "re"}) == std::set<std::string>{"rename", "replace", "restore"});
}

TEST_CASE("bash completes the options of a command and those of every command", "[cli]") {
  const Cli cli;
  const auto options = offered(cli, {"entity", "list", "-"});
  for (const char* option : {"--name-prefix", "--limit", "--help", "-h", "--json", "--space"}) {
    CHECK(options.contains(option));
  }
  CHECK_FALSE(options.contains("--request-id"));
  CHECK(offered(cli, {"entity", "delete", "--req"}) == std::set<std::string>{"--request-id"});
}

TEST_CASE("bash completes the words that an option can have", "[cli]") {
  const Cli cli;
  CHECK(offered(cli, {"neighbors", "--direction", ""}) ==
        std::set<std::string>{"both", "incoming", "outgoing"});
  CHECK(offered(cli, {"--durability", "f"}) == std::set<std::string>{"full"});
  CHECK(offered(cli, {"entity", "list", "--durability", "n"}) == std::set<std::string>{"normal"});
  CHECK(offered(cli, {"completion", ""}) == std::set<std::string>{"bash", "zsh"});
  CHECK(offered(cli, {"entity", "list", "--kind", ""}).empty());
}

TEST_CASE("an option's value is not taken for a command", "[cli]") {
  const Cli cli;
  CHECK(offered(cli, {"--space", "entity", "journal", ""}) ==
        std::set<std::string>{"show", "tail"});
  CHECK(offered(cli, {"entity", "list", "--name", "note", "--c"}).contains("--count"));
}

TEST_CASE("bash completes names of files where a file is meant", "[cli]") {
  const Cli cli;
  cli.write("my plan.json", "{}");
  CHECK(offered(cli, {"apply", "my"}) == std::set<std::string>{"my plan.json"});
  CHECK(offered(cli, {"--db", "my"}) == std::set<std::string>{"my plan.json"});
  CHECK(offered(cli, {"entity", "replace", "--from", "my"}) ==
        std::set<std::string>{"my plan.json"});
  CHECK(offered(cli, {"space", "info", "my"}).empty());
}

TEST_CASE("the completion for zsh names every command and is a function for its path", "[cli]") {
  const Cli cli;
  const auto script = cli.run({"completion", "zsh"});
  CHECK(script.exit_code == 0);
  CHECK(script.out.starts_with("#compdef holdfast\n"));
  for (const Words& command : cli.commands()) {
    std::string place;
    for (const std::string& word : command) place += word + "/";
    CHECK(script.out.find("'" + place + "') offers=") != std::string::npos);
  }
  CHECK(cli.run({"completion", "fish"}).exit_code == 2);
}

TEST_CASE("the manual has every command with its options and example", "[cli]") {
  const Cli cli;
  const auto page = cli.run({"manual"});
  CHECK(page.exit_code == 0);
  CHECK(page.out.starts_with(".TH HOLDFAST 1 "));
  for (const char* section : {"NAME", "SYNOPSIS", "OPTIONS", "COMMANDS", "EXIT STATUS"}) {
    CHECK(page.out.find(std::string(".SH ") + section + "\n") != std::string::npos);
  }
  const auto groups = [&] {
    std::set<Words> found;
    for (Words command : cli.commands()) {
      if (command.empty()) continue;
      command.pop_back();
      found.insert(command);
    }
    return found;
  }();
  for (const Words& command : cli.commands()) {
    if (groups.contains(command)) continue;
    std::string heading = "\n.SS";
    for (const std::string& word : command) heading += " " + word;
    CHECK(page.out.find(heading) != std::string::npos);
  }
  CHECK(page.out.find("\\fB\\-\\-name\\-prefix\\fR") != std::string::npos);
  std::istringstream lines(page.out);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.find_first_of("\x01\x1b\t") == std::string::npos);
  }
}

}  // namespace holdfast::test
