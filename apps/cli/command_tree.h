#pragma once

#include <string>
#include <vector>

namespace holdfast::cli {

/// An option or argument, as --help shows it.
struct OptionNode {
  std::string name;                  ///< "--limit", "-h,--help", or an argument's
  std::string value;                 ///< what stands behind it, "N"; empty for a flag
  std::vector<std::string> choices;  ///< the values it can have, when they are a few words
  std::string description;
  bool is_positional = false;
};

/// A command and those below it: what completions and the manual are made of, so that they say
/// what the parser takes.
struct CommandNode {
  std::string name;
  std::string description;
  std::string footer;  ///< its example
  bool is_hidden = false;
  std::vector<OptionNode> options{};
  std::vector<CommandNode> children{};
};

}  // namespace holdfast::cli
