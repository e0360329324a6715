#pragma once

// CLI11 takes seven seconds to compile: only the files that build the parser include this.
#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "command_line.h"

namespace holdfast::cli {

/// An option with a text. CLI11's own optionals take an empty text for an absent one.
inline CLI::Option* text_option(CLI::App& app, const std::string& name,
                                std::optional<std::string>& into, const std::string& help) {
  return app
      .add_option_function<std::string>(
          name, [&into](const std::string& text) { into = text; }, help)
      ->type_name("TEXT");
}

/// A command below `parent`; `example` is shown by --help.
inline CLI::App& add_command(CLI::App& parent, CommandLine& line, const std::string& name,
                             const std::string& description, Command command,
                             const std::string& example) {
  CLI::App& app = *parent.add_subcommand(name, description);
  app.footer("Example:\n  " + example);
  app.callback([&line, command] { line.command = command; });
  return app;
}

/// A command that only holds others.
inline CLI::App& add_group(CLI::App& parent, const std::string& name,
                           const std::string& description, const std::string& example) {
  CLI::App& group = *parent.add_subcommand(name, description);
  group.require_subcommand(1);
  group.footer("Example:\n  " + example);
  return group;
}

/// Options of one of a few words.
inline void choice_option(CLI::App& app, const std::string& name,
                          std::optional<std::string>& into, const std::string& help,
                          const std::vector<std::string>& choices) {
  text_option(app, name, into, help)->check(CLI::IsMember(choices))->type_name("WHICH");
}

/// A flag that may be repeated, each time with one text.
inline CLI::Option* repeated_option(CLI::App& app, const std::string& name,
                                    std::vector<std::string>& into, const std::string& help) {
  return app.add_option(name, into, help)->allow_extra_args(false)->type_name("TEXT");
}

inline void add_page_options(CLI::App& app, Options& options) {
  text_option(app, "--limit", options.limit, "Rows of one page, 1 to 10,000 (default 100)")
      ->type_name("N");
  text_option(app, "--cursor", options.cursor, "Go on where the page before ended");
}

inline void add_revision(CLI::App& app, Options& options, const std::string& help) {
  text_option(app, "--revision", options.revision, help)->type_name("N");
}

inline void add_expect(CLI::App& app, Options& options) {
  app.add_flag("--expect", options.expect,
               "With --json, also the steps by which a plan rests on this answer");
}

inline CLI::Option* add_request_id(CLI::App& app, Options& options) {
  return text_option(app, "--request-id", options.request_id,
                     "An id of your own: asking again with it answers as the first time, and "
                     "writes nothing")
      ->type_name("ID");
}

/// What lists are filtered by, of any kind of row.
void add_conditions(CLI::App& app, FilterOptions& filter, bool have_tags);
void add_times(CLI::App& app, FilterOptions& filter);

/// --batch and --lease; `seconds` is the lease when none is given.
void add_lease(CLI::App& app, Options& options, const std::string& seconds);

void add_store_commands(CLI::App& app, CommandLine& line);
void add_exchange_commands(CLI::App& app, CommandLine& line);
void add_row_commands(CLI::App& app, CommandLine& line);
void add_plan_commands(CLI::App& app, CommandLine& line);
void add_space_commands(CLI::App& app, CommandLine& line);
void add_projection_commands(CLI::App& app, CommandLine& line);
void add_model_commands(CLI::App& app, CommandLine& line);
void add_similar_command(CLI::App& app, CommandLine& line);
void add_schedule_commands(CLI::App& app, CommandLine& line);
void add_scheduler_commands(CLI::App& app, CommandLine& line);

}  // namespace holdfast::cli
