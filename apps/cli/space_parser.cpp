#include "commands.h"
#include "parser.h"

namespace holdfast::cli {
namespace {

void add_neighbors(CLI::App& app, CommandLine& line) {
  auto& command = add_command(
      app, line, "neighbors", "List the live edges at an entity, with their other ends", &neighbors,
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
  add_expect(command, line.options);
}

void add_traversal(CLI::App& app, Options& options, const std::string& hops_help) {
  TraversalFlags& flags = options.traversal;
  app.add_option("--direction", flags.direction,
                 "Which way edges are followed; those of a symmetric relation go either way")
      ->check(CLI::IsMember({"outgoing", "incoming", "both"}))
      ->type_name("WHICH")
      ->capture_default_str();
  repeated_option(app, "--relation", flags.relations,
                  "Only edges of this relation; repeat it for more");
  text_option(app, "--valid-at", options.filter.valid_at, "Only edges that hold at this time")
      ->type_name("TIME");
  text_option(app, "--hops", flags.hops, hops_help)->type_name("N");
  text_option(app, "--per-hop", flags.per_hop, "Entities taken on at each hop, 1 to 10,000,000")
      ->type_name("N");
  text_option(app, "--budget", flags.budget,
              "Edges looked at, 1 to 1,000,000,000 (default 1,000,000)")
      ->type_name("N");
}

void add_traversals(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  auto& reach = add_command(app, line, "traverse",
                            "List what can be reached from an entity, nearest first", &traverse,
                            "holdfast traverse 0197b0a2-7c1e-7d7f-b4f1-6f4a5f3c2d10 --hops 3 "
                            "--relation knows");
  reach.add_option("id", options.id, "The entity to start at")->required()->type_name("ID");
  add_traversal(reach, options, "How far, 1 to 1,000 (default 1)");
  reach.add_flag("--count", options.count, "Only how many");
  auto& path = add_command(app, line, "path", "Find a path of the fewest hops between two entities",
                           &find_path,
                           "holdfast path 0197b0a2-7c1e-7d7f-b4f1-6f4a5f3c2d10 "
                           "0197b0a2-8d2f-7e80-85a2-705b6a4d3e21 --direction both");
  path.add_option("from", options.id, "The entity to start at")->required()->type_name("ID");
  path.add_option("to", options.to, "The entity to reach")->required()->type_name("ID");
  add_traversal(path, options, "How long it may be, 1 to 1,000 (default 1,000)");
}

void add_relation_commands(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  CLI::App& group =
      add_group(app, "relation", "What edges of a relation may do", "holdfast relation list");
  auto& declare = add_command(group, line, "declare",
                              "Declare a relation, or change what it allows", &declare_relation,
                              "holdfast relation declare employs --source-kind company "
                              "--target-kind person");
  declare.add_option("relation", options.name, "Its name")->required()->type_name("NAME");
  declare.add_flag("--symmetric", options.symmetric,
                   "Holds both ways and is stored once; fixed once there are edges");
  declare.add_flag("--loops", options.loops, "Source and target may be one entity");
  repeated_option(declare, "--source-kind", options.source_kinds,
                  "Only from entities of this kind; repeat it for more; any when absent");
  repeated_option(declare, "--target-kind", options.target_kinds,
                  "Only to entities of this kind; repeat it for more; any when absent");
  add_request_id(declare, options);
  auto& list = add_command(group, line, "list", "List the declared relations, page by page",
                           &list_relations, "holdfast relation list --limit 20");
  add_page_options(list, options);
}

CLI::Option* add_plan_file(CLI::App& app, Options& options) {
  return app
      .add_option("plan", options.file,
                  "Steps that land together or not at all, as docs/plan.schema.json has them")
      ->required()
      ->type_name("FILE|-");
}

void add_settings(CLI::App& app, SettingOptions& settings) {
  choice_option(app, "--relations", settings.relations, "Take any relation, or only declared ones",
                {"open", "declared"});
  text_option(app, "--rows-max", settings.rows_max,
              "Rows that it may hold, deleted ones included until they are purged; or none")
      ->type_name("N");
  text_option(app, "--bytes-max", settings.bytes_max,
              "Bytes of text that its history may hold; or none")
      ->type_name("N");
  text_option(app, "--request-retention", settings.request_retention,
              "For how long the answers of requests are kept; none is a week")
      ->type_name("SECONDS");
}

void add_space_group(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  CLI::App& group =
      add_group(app, "space", "Namespaces, each with a history of its own", "holdfast space list");
  const auto named = [&](CLI::App& command, const std::string& help) {
    return command.add_option("name", options.name, help)->type_name("NAME");
  };
  auto& create = add_command(group, line, "create", "Create one; one that is there is a conflict",
                             &create_space, "holdfast space create work --rows-max 1000000");
  named(create, "Its name")->required();
  add_settings(create, options.settings);
  auto& list = add_command(group, line, "list", "List them, page by page", &list_spaces,
                           "holdfast space list --limit 20");
  add_page_options(list, options);
  auto& show = add_command(group, line, "info", "Show what one is set to and holds", &show_space,
                           "holdfast space info work");
  named(show, "Its name; that of --space when absent");
  auto& configure =
      add_command(group, line, "configure", "Change what one is set to; what is not named stays",
                  &configure_space, "holdfast space configure work --rows-max none");
  named(configure, "Its name; that of --space when absent");
  add_settings(configure, options.settings);
  add_request_id(configure, options);
  auto& remove = add_command(group, line, "delete",
                             "Remove one for good, with everything in it. Stopped, it goes on when "
                             "it is run again",
                             &delete_space, "holdfast space delete work --yes");
  named(remove, "Its name")->required();
  remove.add_flag("--yes", options.yes, "It is meant; without this, only what would go is said");
}

void add_journal_commands(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  CLI::App& group = add_group(app, "journal", "Every change of a space, in order",
                              "holdfast journal tail --follow");
  auto& tail = add_command(group, line, "tail",
                           "Show the last changes, or those from a sequence on; with --json one "
                           "document, or, followed, one a line",
                           &tail_journal, "holdfast journal tail --from 100 --kind entity");
  text_option(tail, "--from", options.journal.from,
              "The first sequence to show; when absent the last changes are shown, or, with "
              "--follow, those to come")
      ->type_name("SEQ");
  text_option(tail, "--limit", options.limit,
              "How many to show, 1 to 10,000 (default 100); with --follow, to end after")
      ->type_name("N");
  tail.add_flag("--follow", options.journal.follow, "Go on with each change as it comes");
  choice_option(tail, "--kind", options.journal.kind, "Only changes of rows of this kind",
                {"entity", "edge", "note", "relation", "space"});
  auto& show = add_command(group, line, "show", "Show one change, with the row as it left it",
                           &show_event, "holdfast journal show 42");
  show.add_option("seq", options.id, "Its sequence")->required()->type_name("SEQ");
}

}  // namespace

void add_plan_commands(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  add_neighbors(app, line);
  add_traversals(app, line);
  add_relation_commands(app, line);
  add_command(app, line, "begin",
              "Begin to think: a token that names what the space now holds, for a plan's "
              "\"read_token\"",
              &begin, "holdfast --json begin");
  auto& apply = add_command(app, line, "apply", "Carry out a plan: all of it, or nothing",
                            &apply_plan, "holdfast apply plan.json --request-id nightly-7");
  add_plan_file(apply, options);
  auto* dry = apply.add_flag("--dry-run", options.dry_run, "Check everything, and write nothing");
  add_request_id(apply, options)->excludes(dry);
  CLI::App& plan =
      add_group(app, "plan", "Plans, before they are applied", "holdfast plan check plan.json");
  auto& check = add_command(plan, line, "check",
                            "Say whether a plan would be applied, and what stands in its way",
                            &check_plan, "holdfast plan check plan.json");
  add_plan_file(check, options);
  CLI::App& request = add_group(app, "request", "Writes by the ids that callers gave them",
                                "holdfast request show nightly-7");
  auto& show = add_command(request, line, "show", "Say whether and where one was applied",
                           &show_request, "holdfast request show nightly-7");
  show.add_option("id", options.id, "The request's id")->required()->type_name("ID");
}

void add_space_commands(CLI::App& app, CommandLine& line) {
  add_space_group(app, line);
  add_journal_commands(app, line);
}

}  // namespace holdfast::cli
