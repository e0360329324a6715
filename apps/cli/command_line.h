#pragma once

#include <string>

#include "options.h"

namespace holdfast::cli {

struct CommandLine {
  Options options;
  Command command = nullptr;  ///< absent when `text` is all that is asked for
  std::string text;           ///< help or version
};

/// Throws Refused with the exit code of usage errors.
CommandLine parse_command_line(int argc, char** argv);

/// Whether --json stands anywhere among the options: known before the line is understood, so that
/// usage errors too come in the form that was asked for.
bool asks_for_json(int argc, char** argv);

}  // namespace holdfast::cli
