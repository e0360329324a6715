#pragma once

#include <string>

#include "command_tree.h"

namespace holdfast::cli {

/// The page holdfast(1), as troff.
std::string manual_page(const CommandNode& root, const std::string& version);

}  // namespace holdfast::cli
