#include "commands.h"
#include "parser.h"
#include "row_kinds.h"

namespace holdfast::cli {
namespace {

void add_when(CLI::App& app, ScheduleFlags& flags) {
  text_option(app, "--at", flags.at,
              "When: 2026-12-01 09:00, 2026-12-01T09:00:00+01:00, 9am, tomorrow 9:00, friday noon")
      ->type_name("TIME");
  text_option(app, "--in", flags.in, "After how long: 90s, 2h30m, 3d")->type_name("DURATION");
  text_option(app, "--repeat", flags.repeat,
              "daily, weekly, monthly, every:2h, \"every 2 hours\", or a cron pattern")
      ->type_name("RULE");
  text_option(app, "--zone", flags.zone,
              "The zone that times are of, and repeats are counted in: UTC, +01:00, "
              "Europe/Zurich (default $HOLDFAST_ZONE, else UTC)")
      ->type_name("ZONE");
  choice_option(app, "--catch-up", flags.catch_up,
                "What becomes of times that passed while nobody was at work (default latest)",
                {"latest", "all", "none"});
  text_option(app, "--grace", flags.grace, "How late still counts as in time (default 5m)")
      ->type_name("DURATION");
  text_option(app, "--max-attempts", flags.max_attempts,
              "Times that it is tried when it provably did nothing, 1 to 100 (default 5)")
      ->type_name("N");
  text_option(app, "--properties", flags.properties, "A JSON object of your own")
      ->type_name("JSON");
}

CLI::Option* add_event_id(CLI::App& app, Options& options) {
  return app.add_option("id", options.id, "The event's id")->required()->type_name("ID");
}

void add_edit(CLI::App& group, CommandLine& line) {
  Options& options = line.options;
  ScheduleFlags& flags = options.schedule;
  auto& edit = add_command(group, line, "edit",
                           "Change one, also while it happens: the edit stands. A new time arms an "
                           "event that has ended again, and begins its series anew",
                           &edit_event, "holdfast schedule edit ID --at \"tomorrow 10:00\"");
  add_event_id(edit, options);
  add_when(edit, flags);
  edit.add_flag("--allow-past", flags.allow_past, "Also a time that has passed");
  edit.add_flag("--no-repeat", flags.no_repeat, "It happens once more, and no more");
  text_option(edit, "--text", flags.new_text, "Of a reminder");
  text_option(edit, "--payload", flags.payload,
              "What it is to do, whole, as `show` prints it; @FILE or - reads one")
      ->type_name("JSON")
      ->excludes(edit.get_option("--text"));
  text_option(edit, "--patch", options.patch,
              "A JSON merge patch over the event's fields; @FILE or - reads one")
      ->type_name("JSON");
  add_revision(edit, options, "Only if this is still its revision");
  add_request_id(edit, options);
}

void add_schedule_group(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  ScheduleFlags& flags = options.schedule;
  CLI::App& group = add_group(app, "schedule", "What is to happen later, once or again and again",
                              "holdfast schedule list");
  auto& add = add_command(group, line, "add", "Have a handler called, or a plan applied",
                          &add_event,
                          "holdfast schedule add --action backup --at 2:00 --repeat daily");
  text_option(add, "--action", flags.action, "The name of a scheduler's handler")
      ->type_name("NAME");
  text_option(add, "--input", flags.input, "JSON for it; @FILE or - reads one")->type_name("JSON");
  text_option(add, "--plan", flags.plan, "The document of a plan: a file, or - for stdin")
      ->type_name("FILE");
  add_when(add, flags);
  add.add_flag("--allow-past", flags.allow_past, "Also a time that has passed");
  add_request_id(add, options);
  auto& list = add_command(group, line, "list", "List them, by id", &list_events,
                           "holdfast schedule list --status pending");
  choice_option(list, "--status", flags.status, "Only those",
                {"pending", "fired", "missed", "failed", "cancelled"});
  choice_option(list, "--kind", flags.kind, "Only those", {"remind", "action"});
  text_option(list, "--from", flags.range_from, "Whose time is then or later")->type_name("TIME");
  text_option(list, "--to", flags.range_to, "Whose time is before that")->type_name("TIME");
  text_option(list, "--zone", flags.zone, "That these times are of")->type_name("ZONE");
  list.add_flag("--deleted", options.filter.include_expired, "Deleted ones too");
  add_page_options(list, options);
  auto& show = add_command(group, line, "show", "Show one with its last attempts", &show_scheduled,
                           "holdfast schedule show ID");
  add_event_id(show, options);
  auto& attempts = add_command(group, line, "attempts",
                               "List what was done about one, newest first", &list_attempts,
                               "holdfast schedule attempts ID");
  add_event_id(attempts, options);
  add_page_options(attempts, options);
  add_edit(group, line);
  using Rows = RowCommands<ScheduledKind>;
  const auto change = [&](const char* name, const char* help, Command command) {
    auto& one = add_command(group, line, name, help, command,
                            "holdfast schedule " + std::string(name) + " ID");
    add_event_id(one, options);
    add_revision(one, options, "Only if this is still its revision");
    add_request_id(one, options);
  };
  change("cancel", "Call one off that has not ended", &cancel_event);
  change("retry", "Arm one that has ended anew, at the time it had", &retry_event);
  change("delete", "Delete one; its history stays", &Rows::remove);
  change("restore", "Bring a deleted one back", &Rows::restore);
  change("purge", "Remove a deleted one for good, with its history", &Rows::purge);
  auto& history = add_command(group, line, "history", "Show each change of one", &Rows::history,
                              "holdfast schedule history ID");
  add_event_id(history, options);
  add_page_options(history, options);
}

}  // namespace

void add_schedule_commands(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  ScheduleFlags& flags = options.schedule;
  auto& reminder = add_command(app, line, "remind",
                               "Be reminded: a note of kind \"reminder\" when the time comes",
                               &remind, "holdfast remind \"call Ada\" --at \"tomorrow 9:00\"");
  reminder.add_option("text", flags.text, "Of what")->required()->type_name("TEXT");
  add_when(reminder, flags);
  text_option(reminder, "--about", flags.about, "The entity that it is about")->type_name("ID");
  reminder.add_flag("--allow-past", flags.allow_past, "Also a time that has passed");
  add_request_id(reminder, options);
  add_schedule_group(app, line);
  auto& agenda = add_command(app, line, "agenda",
                             "What will happen, in order of time, repeats included", &show_agenda,
                             "holdfast agenda --to \"in 7d\"");
  text_option(agenda, "--from", flags.range_from, "From then on (default now)")->type_name("TIME");
  text_option(agenda, "--to", flags.range_to, "Before that")->type_name("TIME");
  text_option(agenda, "--zone", flags.zone, "That these times are of")->type_name("ZONE");
  text_option(agenda, "--limit", options.limit, "Times of one page, 1 to 10,000 (default 20)")
      ->type_name("N");
  text_option(agenda, "--cursor", options.cursor, "Go on where the page before ended");
}

}  // namespace holdfast::cli
