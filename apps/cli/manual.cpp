#include "manual.h"

#include <algorithm>
#include <string_view>

namespace holdfast::cli {
namespace {

/// Text as troff shows it: no hyphen, quote or leading dot has a meaning of its own.
std::string roff(std::string_view text) {
  std::string out;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    begins_line = c == '\n';
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string options_text(const std::vector<OptionNode>& options) {
  std::string out;
  for (const OptionNode& option : options) {
    if (option.name == "-h,--help") continue;
    out += ".TP\n\\fB" + roff(option.name) + "\\fR";
    if (!option.value.empty() && !option.is_positional) {
      out += " \\fI" + roff(option.value) + "\\fR";
    }
    out += "\n" + roff(option.description);
    if (!option.choices.empty()) {
      std::string choices;
      for (const std::string& choice : option.choices) {
        choices += (choices.empty() ? "" : ", ") + choice;
      }
      out += "; one of " + roff(choices);
    }
    out += ".\n";
  }
  return out;
}

std::string command_text(const CommandNode& node, const std::string& before) {
  if (node.is_hidden) return "";
  const std::string call = before + " " + node.name;
  std::string out;
  if (node.children.empty()) {
    std::string arguments;
    for (const OptionNode& option : node.options) {
      if (option.is_positional) arguments += " " + option.name;
    }
    out += ".SS " + roff(call.substr(1) + arguments) + "\n" + roff(node.description) + ".\n" +
           options_text(node.options);
    const std::string_view heading = "Example:\n  ";
    const std::string_view footer = node.footer;
    if (footer.starts_with(heading)) {
      out += ".PP\n.nf\n" + roff(footer.substr(heading.size())) + "\n.fi\n";
    }
  }
  for (const CommandNode& child : node.children) out += command_text(child, call);
  return out;
}

constexpr std::string_view kSynopsis = R"(.SH SYNOPSIS
\fBholdfast\fR [\fB\-\-db\fR \fIPATH\fR] [\fB\-\-space\fR \fINAME\fR] [\fB\-\-json\fR]
\fICOMMAND\fR
)";

constexpr std::string_view kEnd = R"(.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
a bug
.TP
.B 2
the command line is wrong
.TP
.B 3
what is named does not exist, or is gone
.TP
.B 4
a conflict: nothing was written, and what stands in the way is shown
.TP
.B 5
the input breaks a rule
.TP
.B 6
busy, full, unsupported or unavailable
.TP
.B 7
the database is corrupt
.TP
.B 8
whether the write was done is not known
.TP
.B 130
stopped by Ctrl\-C
.SH ENVIRONMENT
.TP
.B HOLDFAST_DB
the database's file, an absolute path
.TP
.B HOLDFAST_ACTOR
who is writing
.TP
.B NO_COLOR
when set, nothing is coloured
.SH FILES
.TP
.I $XDG_DATA_HOME/holdfast/memory.db
the database, where neither \fB\-\-db\fR nor \fBHOLDFAST_DB\fR is given; below
.I ~/.local/share
when XDG_DATA_HOME is not set
)";

}  // namespace

std::string manual_page(const CommandNode& root, const std::string& version) {
  std::string out =
      ".TH HOLDFAST 1 \"\" \"holdfast " + roff(version) + "\" \"User Commands\"\n" +
      ".SH NAME\nholdfast \\- knowledge\\-graph store in which no stale write lands\n" +
      std::string(kSynopsis) + ".SH DESCRIPTION\n" + roff(root.description) + ".\n" +
      "With \\fB\\-\\-json\\fR the answer is one document on standard output and an " +
      "error one on standard error.\n.SH OPTIONS\n" + options_text(root.options) + ".SH COMMANDS\n";
  for (const CommandNode& child : root.children) out += command_text(child, "");
  return out + std::string(kEnd);
}

}  // namespace holdfast::cli
