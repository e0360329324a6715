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

inline void add_page_options(CLI::App& app, Options& options) {
  text_option(app, "--limit", options.limit, "Rows of one page, 1 to 10,000 (default 100)")
      ->type_name("N");
  text_option(app, "--cursor", options.cursor, "Go on where the page before ended");
}

void add_row_commands(CLI::App& app, CommandLine& line);

}  // namespace holdfast::cli
