#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

/// What the program writes to a terminal that is both of its streams.
std::string on_terminal(const Cli& cli, const std::string& words,
                        const std::map<std::string, std::string>& variables) {
  Cli terminal;
  terminal.program = {"script", "-qec"};
  terminal.variables = variables;
  terminal.variables["HOLDFAST_DB"] = cli.database();
  return terminal.run({HOLDFAST_CLI_BINARY " " + words, "/dev/null"}).out;
}

}  // namespace

TEST_CASE("a terminal shows headings bold, errors red and conflicts yellow", "[cli]") {
  const ReadyCli cli;
  const std::map<std::string, std::string> colours = {{"TERM", "xterm"}};
  cli.entity("Ada");
  CHECK(on_terminal(cli, "entity list", colours).find("\033[1mID ") != std::string::npos);
  CHECK(on_terminal(cli, "entity get x", colours).find("\033[1;31mholdfast:\033[0m") !=
        std::string::npos);
  CHECK(on_terminal(cli, "space create default", colours).find("\033[1;33mholdfast:\033[0m") !=
        std::string::npos);
  CHECK(on_terminal(cli, "--json entity list", colours).find('\033') == std::string::npos);
}

TEST_CASE("there are no colours with NO_COLOR, on a dumb terminal or in a file", "[cli]") {
  const ReadyCli cli;
  cli.entity("Ada");
  for (const std::map<std::string, std::string>& variables :
       {std::map<std::string, std::string>{{"TERM", "xterm"}, {"NO_COLOR", "1"}},
        {{"TERM", "dumb"}},
        {}}) {
    CHECK(on_terminal(cli, "entity list", variables).find('\033') == std::string::npos);
    CHECK(on_terminal(cli, "entity get x", variables).find('\033') == std::string::npos);
  }
  CHECK(cli.run({"entity", "list"}).out.starts_with("ID "));
  CHECK(cli.run({"entity", "get", "x"}).err.starts_with("holdfast: "));
}

}  // namespace holdfast::test
