#include "command_line.h"

#include <cctype>
#include <string_view>

#include <holdfast/core/json_text.h>

#include "commands.h"
#include "failure.h"
#include "parser.h"
#include "text.h"

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

void add_store_commands(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  add_command(app, line, "where", "Say where the database is, and why there", &where,
              "holdfast where");
  auto& create = add_command(app, line, "init",
                             "Create the database and the space, readable by you alone", &init,
                             "holdfast --space work init --relations declared");
  text_option(create, "--relations", options.relations,
              "Take any relation, or only declared ones")
      ->check(CLI::IsMember({"open", "declared"}))
      ->type_name("WHICH");
  add_command(app, line, "info", "Show the database, its spaces and what they hold", &info,
              "holdfast --json info");
  add_command(app, line, "doctor", "Check the surroundings: engine, locks, file system, rights",
              &doctor, "holdfast doctor");
  add_command(app, line, "verify", "Replay the journal and compare it with every row", &verify,
              "holdfast verify || echo \"exit code $?: restore a backup\"");
}

void add_neighbors(CLI::App& app, CommandLine& line) {
  auto& command =
      add_command(app, line, "neighbors", "List the live edges at an entity, with their other ends",
                  &neighbors,
                  "holdfast neighbors 0197b0a2-7c1e-7d7f-b4f1-6f4a5f3c2d10 --direction outgoing "
                  "--relation knows");
  command.add_option("id", line.options.id, "The entity's id")->required()->type_name("ID");
  command.add_option("--direction", line.options.filter.direction, "Seen from the entity")
      ->check(CLI::IsMember({"outgoing", "incoming", "both"}))
      ->type_name("WHICH")
      ->capture_default_str();
  text_option(command, "--relation", line.options.filter.relation, "Only this relation");
  text_option(command, "--valid-at", line.options.filter.valid_at, "Only what holds at this time")
      ->type_name("TIME");
  add_page_options(command, line.options);
}

void add_relation_commands(CLI::App& app, CommandLine& line) {
  CLI::App& group = *app.add_subcommand("relation", "What edges of a relation may do");
  group.require_subcommand(1);
  group.footer("Example:\n  holdfast relation list");
  auto& declare =
      add_command(group, line, "declare", "Declare a relation, or change what it allows",
                  &declare_relation, "holdfast relation declare knows --symmetric");
  declare.add_option("relation", line.options.relation, "Its name")->required()->type_name("NAME");
  declare.add_flag("--symmetric", line.options.symmetric,
                   "Holds both ways and is stored once; fixed once there are edges");
  declare.add_flag("--loops", line.options.loops, "Source and target may be one entity");
  add_command(group, line, "list", "List the declared relations", &list_relations,
              "holdfast relation list");
}

void add_import(CLI::App& app, CommandLine& line) {
  auto& command = add_command(
      app, line, "import",
      "Bring in a source. Stopping it loses nothing; running it again goes on where it stopped",
      &import_source, "holdfast import --format wordnet /usr/share/wordnet");
  command.add_option("--format", line.options.format, "What the source is")
      ->required()
      ->check(CLI::IsMember({"wordnet"}))
      ->type_name("NAME");
  text_option(command, "directory", line.options.directory,
              "The source's folder (default /usr/share/wordnet)")
      ->type_name("DIR");
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
  add_row_commands(app, line);
  add_neighbors(app, line);
  add_relation_commands(app, line);
  add_import(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion&) {
    line.command = nullptr;
    line.text = document(asks_for_json(argc, argv), "version", HOLDFAST_VERSION);
    if (!asks_for_json(argc, argv)) line.text = std::string("holdfast ") + HOLDFAST_VERSION;
  } catch (const CLI::CallForHelp&) {
    line.command = nullptr;
    line.text = document(asks_for_json(argc, argv), "help", app.help());
  } catch (const CLI::ParseError& error) {
    refuse(app, error);
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
