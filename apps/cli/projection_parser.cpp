#include "commands.h"
#include "parser.h"

namespace holdfast::cli {
namespace {

CLI::Option* add_name(CLI::App& app, Options& options, const std::string& help) {
  return app.add_option("name", options.name, help)->type_name("NAME");
}

void add_key_group(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  CLI::App& group = add_group(app, "key", "Properties that name at most one live entity",
                              "holdfast key find email ann@example.org");
  auto& declare = add_command(
      group, line, "declare",
      "Declare one, and take in the entities that are there. Stopped, it goes on when it is run "
      "again",
      &declare_key, "holdfast key declare email /email --kind person");
  add_name(declare, options, "The key's name")->required();
  declare
      .add_option("path", options.projection.path,
                  "Where it is: name, or a JSON pointer into the properties")
      ->required()
      ->type_name("POINTER");
  text_option(declare, "--kind", options.fields.kind, "Only of entities of this kind; else of all");
  auto& undeclare =
      add_command(group, line, "undeclare", "Take one back, with what is stored for it",
                  &undeclare_key, "holdfast key undeclare email");
  add_name(undeclare, options, "The key's name")->required();
  add_command(group, line, "list", "List them, and whether they are in force", &list_keys,
              "holdfast key list");
  auto& find = add_command(group, line, "find", "Show the live entity that has the key",
                           &find_by_key, "holdfast key find email ann@example.org");
  add_name(find, options, "The key's name")->required();
  find.add_option("value", options.projection.value, "What the entity has there")
      ->required()
      ->type_name("TEXT");
  find.add_flag("--integer", options.projection.integer,
                "The value is an integer: 42 and \"42\" are two keys");
  add_expect(find, options);
}

void add_rebuild(CLI::App& group, CommandLine& line) {
  Options& options = line.options;
  auto& rebuild = add_command(
      group, line, "rebuild",
      "Build one anew beside the one that serves, and swap the two. Stopped, it goes on when it is "
      "run again",
      &rebuild_projection, "holdfast projection rebuild email --batch 16");
  add_name(rebuild, options, "The projection's name")->required();
  rebuild.add_flag("--restart", options.projection.restart,
                   "Begin anew instead of going on with what was stopped");
  rebuild.add_flag("--allow-failures", options.model.allow_failures,
                   "Let it serve without the rows that nothing can be derived from; they stay "
                   "listed");
  add_lease(rebuild, options, "15");
}

}  // namespace

void add_lease(CLI::App& app, Options& options, const std::string& seconds) {
  text_option(app, "--batch", options.projection.batch,
              "Rows taken in at once, 1 to 10,000: while they are written nobody else writes")
      ->type_name("N");
  text_option(app, "--lease", options.projection.lease,
              "For how long the work is this process's after its last sign of life (default " +
                  seconds + ")")
      ->type_name("SECONDS");
}

void add_projection_commands(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  add_key_group(app, line);
  CLI::App& group = add_group(app, "projection", "What is derived from rows: keys are",
                              "holdfast projection status");
  add_command(group, line, "list", "List them", &list_projections, "holdfast projection list");
  auto& status =
      add_command(group, line, "status", "Count exactly how far one is, or all; reads every row",
                  &show_projections, "holdfast projection status email");
  add_name(status, options, "The projection's name; all when absent");
  add_rebuild(group, line);
  auto& cancel = add_command(
      group, line, "cancel",
      "Give up what is being built; the one that serves stays, and one that never served is gone",
      &cancel_rebuild, "holdfast projection cancel email");
  add_name(cancel, options, "The projection's name")->required();
  auto& verify = add_command(group, line, "verify", "Derive everything anew and compare",
                             &verify_projection, "holdfast projection verify email");
  add_name(verify, options, "The projection's name")->required();
}

}  // namespace holdfast::cli
