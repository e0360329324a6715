#pragma once

#include <string>

#include "command_tree.h"

namespace holdfast::cli {

/// A script that makes a shell, "bash" or "zsh", complete the commands, their options, the words
/// that an option can have as a value, and names of files.
std::string completion_script(const CommandNode& root, const std::string& shell);

}  // namespace holdfast::cli
