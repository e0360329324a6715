#include "commands.h"
#include "parser.h"

namespace holdfast::cli {

void add_store_commands(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  add_command(app, line, "where", "Say where the database is, and why there", &where,
              "holdfast where");
  auto& create =
      add_command(app, line, "init", "Create the database and the space, readable by you alone",
                  &init, "holdfast --space work init --relations declared");
  choice_option(create, "--relations", options.settings.relations,
                "Take any relation, or only declared ones", {"open", "declared"});
  auto& look = add_command(app, line, "info", "Show the database, its spaces and what they hold",
                           &info, "holdfast --json info --sizes");
  look.add_flag("--sizes", options.sizes,
                "Also the bytes on disk of one row of each kind; reads the whole file");
  add_page_options(look, options);
  add_command(app, line, "doctor", "Check the surroundings: engine, locks, file system, rights",
              &doctor, "holdfast doctor");
  add_command(app, line, "verify", "Replay the journal and compare it with every row", &verify,
              "holdfast verify || echo \"exit code $?: restore a backup\"");
  auto& backup =
      add_command(app, line, "backup", "Copy the database while it is in use, and verify the copy",
                  &back_up, "holdfast backup memory-monday.db");
  backup.add_option("file", options.file, "The copy; must not exist yet")
      ->required()
      ->type_name("FILE");
  auto& restore = add_command(app, line, "restore",
                              "Verify a backup and copy it to where the database is to be",
                              &restore_backup, "holdfast --db new.db restore memory-monday.db");
  restore.add_option("file", options.file, "The backup")->required()->type_name("FILE");

  auto& completion =
      add_command(app, line, "completion", "Print what makes a shell complete commands and options",
                  nullptr, "source <(holdfast completion bash)");
  completion.add_option("shell", options.shell, "Which one")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}))
      ->type_name("SHELL");
  completion.callback([&options] { options.show = Show::completion; });
  auto& manual = add_command(app, line, "manual", "Print the manual page", nullptr,
                             "holdfast manual | man -l -");
  manual.group("");  // left out of --help: the page is installed
  manual.callback([&options] { options.show = Show::manual; });
}

void add_exchange_commands(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  ExchangeOptions& exchange = options.exchange;
  auto& bring = add_command(
      app, line, "import",
      "Bring in a source. Stopping it loses nothing; running it again goes on where it stopped",
      &import_source, "holdfast import --format wordnet /usr/share/wordnet");
  bring.add_option("--format", exchange.format, "What the source is")
      ->required()
      ->check(CLI::IsMember({"wordnet", "go", "jsonl", "mcp-memory"}))
      ->type_name("NAME");
  text_option(bring, "source", exchange.source,
              "A file; of wordnet a folder (default /usr/share/wordnet)")
      ->type_name("PATH");
  choice_option(bring, "--mode", exchange.mode,
                "Of jsonl, what to do where a row is there and differs (default fail)",
                {"fail", "skip", "replace"});
  bring
      .add_option("--on-conflict", exchange.on_conflict,
                  "What to do where somebody else has written a row since its import")
      ->check(CLI::IsMember({"keep", "fail"}))
      ->type_name("WHICH")
      ->capture_default_str();

  auto& send = add_command(app, line, "export", "Write the space as JSON Lines", &export_rows,
                           "holdfast --space work export work.jsonl");
  send.add_option("file", options.file, "A file that must not exist yet; stdout (-) when absent")
      ->type_name("FILE|-");
  send.add_flag("--no-tombstones", exchange.no_tombstones, "Leave deleted rows out");
  send.add_flag("--history", exchange.history, "Every event, in place of the rows as they are");
}

}  // namespace holdfast::cli
