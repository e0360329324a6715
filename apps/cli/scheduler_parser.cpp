#include "commands.h"
#include "parser.h"

namespace holdfast::cli {
namespace {

void add_worker(CLI::App& app, Options& options) {
  SchedulerFlags& flags = options.scheduler;
  repeated_option(app, "--spaces", flags.spaces,
                  "Only events of this space, not of all; repeat it for more");
  repeated_option(app, "--handler", flags.handlers,
                  "What an action of that name runs, by /bin/sh: the occurrence comes as JSON on "
                  "stdin. Exit code 0: done; 75: nothing was done, try again later; any other: not "
                  "known. Repeat it for more")
      ->type_name("NAME=COMMAND");
  text_option(app, "--reminder-handler", flags.reminders,
              "What reminders run, in the same way, instead of leaving a note")
      ->type_name("COMMAND");
  text_option(app, "--threads", flags.threads, "Handlers at once (default 4)")->type_name("N");
  text_option(app, "--lease", flags.lease,
              "After which a worker that is not heard of is given up (default 30s)")
      ->type_name("DURATION");
}

}  // namespace

void add_scheduler_commands(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  CLI::App& group = add_group(app, "scheduler", "Carries out what is scheduled",
                              "holdfast scheduler run");
  auto& run = add_command(group, line, "run",
                          "Work until a SIGINT or SIGTERM; any number of these share the work",
                          &run_scheduler,
                          "holdfast scheduler run --handler backup='tar -cf /backup/a.tar ~/a'");
  add_worker(run, options);
  text_option(run, "--tick", options.scheduler.tick,
              "How often it says that it is alive (default 60s; 0: never)")
      ->type_name("DURATION");
  text_option(run, "--for", options.scheduler.stop_after, "Stop after so long")
      ->type_name("DURATION");
  auto& drain = add_command(group, line, "drain", "Carry out what is due, and end",
                            &drain_scheduler, "holdfast scheduler drain --json");
  add_worker(drain, options);
  add_command(group, line, "status", "What waits in the space, and whether somebody is at work",
              &show_scheduler, "holdfast scheduler status");

  CLI::App& hearts = add_group(app, "heartbeat", "Whether what is done again and again is alive",
                               "holdfast heartbeat health");
  auto& report = add_command(hearts, line, "report", "Say that a channel was at work",
                             &report_heartbeat, "holdfast heartbeat report mail --interval 5m");
  report.add_option("name", options.name, "The channel's name")->required()->type_name("CHANNEL");
  text_option(report, "--interval", options.heartbeat.interval,
              "How often it is to be heard of (default: as it said before)")
      ->type_name("DURATION");
  text_option(report, "--failed", options.heartbeat.failed, "That it failed, and why")
      ->type_name("ERROR");
  text_option(report, "--details", options.heartbeat.details,
              "A JSON object, merged into what it said before")
      ->type_name("JSON");
  auto& list = add_command(hearts, line, "list", "List the channels", &list_heartbeats,
                           "holdfast heartbeat list");
  add_page_options(list, options);
  auto& health = add_command(hearts, line, "health",
                             "List the channels that are stalled, failing or malformed",
                             &show_health, "holdfast heartbeat health");
  add_page_options(health, options);
}

}  // namespace holdfast::cli
