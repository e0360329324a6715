#include "command_line.h"

#include <cctype>
#include <string_view>

#include <holdfast/core/json_text.h>

#include "command_tree.h"
#include "completion.h"
#include "failure.h"
#include "manual.h"
#include "parser.h"

namespace holdfast::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 1 a bug, 2 usage, 3 not found, 4 conflict, 5 invalid input,\n"
    "6 busy, full or unavailable, 7 corrupt, 8 outcome unknown, 130 stopped by Ctrl-C.\n"
    "With --json the answer is one document on stdout and an error one on stderr.\n"
    "\n"
    "Example:\n"
    "  holdfast init && holdfast entity create --kind person --name Alice";

void add_global_options(CLI::App& app, GlobalOptions& options) {
  text_option(app, "--db", options.db,
              "The database's file; else $HOLDFAST_DB, $XDG_DATA_HOME/holdfast/memory.db or "
              "$HOME/.local/share/holdfast/memory.db")
      ->type_name("PATH");
  app.add_option("--space", options.space, "The space within it")
      ->type_name("NAME")
      ->capture_default_str();
  text_option(app, "--actor", options.actor,
              "Who is writing, kept in the history; else $HOLDFAST_ACTOR, $USER or \"cli\"")
      ->type_name("NAME");
  app.add_flag("--json", options.json, "Answer with one JSON document");
  app.add_option_function<std::string>(
         "--durability",
         [&options](const std::string& name) {
           options.durability =
               name == "full" ? storage::Durability::full : storage::Durability::normal;
         },
         "What an acknowledged write survives: full (the default) also the loss of power")
      ->check(CLI::IsMember({"full", "normal"}))
      ->type_name("WHICH");
}

/// CLI11 takes `--name=` for an option whose value comes next, and would eat the next word.
void refuse_dangling_equals(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return;
    if (word.size() < 4 || !word.starts_with("--") || word.find('=') != word.size() - 1) continue;
    refuse_usage("write an empty text as its own argument: " +
                 std::string(word.substr(0, word.size() - 1)) + " ''");
  }
}

/// "{a,b}" among what the help says of a value.
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> choices;
  const auto open = type.find('{');
  const auto close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::string rest = type.substr(open + 1, close - open - 1) + ",";
  for (std::size_t at = 0; (at = rest.find(',')) != std::string::npos; rest.erase(0, at + 1)) {
    choices.push_back(rest.substr(0, at));
  }
  return choices;
}

CommandNode read_tree(const CLI::App& app) {
  CommandNode node{.name = app.get_name(),
                   .description = app.get_description(),
                   .footer = app.get_footer(),
                   .is_hidden = app.get_parent() != nullptr && app.get_group().empty()};
  for (const CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    std::string name = option->get_name(option->get_positional(), true);
    node.options.push_back({.name = std::move(name),
                            .value = option->get_items_expected_max() == 0
                                         ? ""
                                         : type.substr(0, type.find(':')),
                            .choices = choices_of(type),
                            .description = option->get_description(),
                            .is_positional = option->get_positional()});
  }
  const auto children = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* child : children) node.children.push_back(read_tree(*child));
  return node;
}

std::string document(bool json, const std::string& name, const std::string& text) {
  return json ? core::JsonWriter().string(name, text).finish() : text;
}

[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error) {
  std::string message = error.what();
  const auto unknown = app.remaining(true);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !unknown.empty()) {
    message = "not known here: " + unknown.front();
  }
  while (!message.empty() && std::isspace(static_cast<unsigned char>(message.back())) != 0) {
    message.pop_back();
  }
  refuse_usage(message + "; `holdfast COMMAND --help` shows how it is written");
}

}  // namespace

CommandLine parse_command_line(int argc, char** argv) {
  refuse_dangling_equals(argc, argv);
  CommandLine line;
  CLI::App app("Knowledge-graph store for agent memory in which no stale write lands", "holdfast");
  app.fallthrough();  // global options may stand behind the command too
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("holdfast ") + HOLDFAST_VERSION);
  app.footer(kExitCodes);
  add_global_options(app, line.options.global);
  add_store_commands(app, line);
  add_space_commands(app, line);
  add_row_commands(app, line);
  add_plan_commands(app, line);
  add_projection_commands(app, line);
  add_model_commands(app, line);
  add_similar_command(app, line);
  add_schedule_commands(app, line);
  add_scheduler_commands(app, line);
  add_exchange_commands(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion&) {
    line.command = nullptr;
    line.text = asks_for_json(argc, argv) ? document(true, "version", HOLDFAST_VERSION)
                                          : std::string("holdfast ") + HOLDFAST_VERSION;
  } catch (const CLI::CallForHelp&) {
    line.command = nullptr;
    line.text = document(asks_for_json(argc, argv), "help", app.help());
  } catch (const CLI::ParseError& error) {
    refuse(app, error);
  }
  const bool json = line.options.global.json;
  if (line.options.show == Show::completion) {
    line.text = document(json, "completion",
                         completion_script(read_tree(app), line.options.shell));
  } else if (line.options.show == Show::manual) {
    line.text = document(json, "manual", manual_page(read_tree(app), HOLDFAST_VERSION));
  }
  return line;
}

bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return false;
    if (word == "--json") return true;
  }
  return false;
}

}  // namespace holdfast::cli
