#include "completion.h"

#include <algorithm>
#include <string_view>

namespace holdfast::cli {
namespace {

std::vector<std::string> names_of(const OptionNode& option) {
  std::vector<std::string> names;
  std::string rest = option.name + ",";
  for (std::size_t at = 0; (at = rest.find(',')) != std::string::npos; rest.erase(0, at + 1)) {
    names.push_back(rest.substr(0, at));
  }
  return names;
}

bool takes_file(const OptionNode& option) {
  return option.value.find("FILE") != std::string::npos || option.value == "PATH";
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

/// The cases of the tables that both shells read; a command's place is "entity/list/".
class Tables {
 public:
  explicit Tables(const CommandNode& root) {
    for (const OptionNode& option : root.options) add_value("", option);
    add(root, "");
  }

  /// Which options are followed by a value.
  std::string valued() const {
    std::string out;
    for (const std::string& name : valued_) out += (out.empty() ? "" : "|") + name;
    return out;
  }
  const std::string& places() const { return places_; }
  const std::string& values() const { return values_; }

 private:
  void add(const CommandNode& node, const std::string& place) {
    std::vector<std::string> words;
    std::vector<std::string> options;
    bool files = false;
    for (const CommandNode& child : node.children) {
      if (!child.is_hidden) words.push_back(child.name);
    }
    for (const OptionNode& option : node.options) {
      if (option.is_positional) {
        words.insert(words.end(), option.choices.begin(), option.choices.end());
        files = files || takes_file(option);
        continue;
      }
      for (const std::string& name : names_of(option)) options.push_back(name);
      if (!place.empty()) add_value(place, option);
    }
    places_ += "    '" + place + "') offers='" + joined(words) + "' flags='" + joined(options) +
               "'" + (files ? " files=1" : "") + " ;;\n";
    for (const CommandNode& child : node.children) add(child, place + child.name + "/");
  }

  /// Global options have their values wherever they stand.
  void add_value(const std::string& place, const OptionNode& option) {
    if (option.is_positional || option.value.empty()) return;
    for (const std::string& name : names_of(option)) {
      if (std::find(valued_.begin(), valued_.end(), name) == valued_.end()) {
        valued_.push_back(name);
      }
      if (option.choices.empty() && !takes_file(option)) continue;
      const std::string key = place.empty() ? "*:" + name : "'" + place + ":" + name + "'";
      values_ += "    " + key + ") " +
                 (option.choices.empty() ? "files=1" : "offers='" + joined(option.choices) + "'") +
                 " ;;\n";
    }
  }

  std::vector<std::string> valued_;
  std::string places_;
  std::string values_;
};

/// Finds the command that the words lead to, and what may follow. No name is one that zsh uses.
/// Both shells read this.
std::string tables_function(const CommandNode& root) {
  const Tables tables(root);
  std::vector<std::string> global;
  for (const OptionNode& option : root.options) {
    for (const std::string& name : names_of(option)) global.push_back(name);
  }
  return "_holdfast_place() {\n"
         "  place='' previous=''\n"
         "  local word\n"
         "  for word in \"$@\"; do\n"
         "    case $previous in\n"
         "      " +
         tables.valued() +
         ") previous=''; continue ;;\n"
         "    esac\n"
         "    previous=$word\n"
         "    case $word in\n"
         "      -*) continue ;;\n"
         "    esac\n"
         "    _holdfast_at \"$place\"\n"
         "    case \" $offers_here \" in\n"
         "      *\" $word \"*) place=$place$word/ ;;\n"
         "    esac\n"
         "  done\n"
         "}\n"
         "_holdfast_at() {\n"
         "  local offers='' flags='' files=''\n"
         "  case $1 in\n" +
         tables.places() +
         "  esac\n"
         "  offers_here=$offers flags_here=\"$flags " +
         joined(global) +
         "\" files_here=$files\n"
         "}\n"
         "_holdfast_value() {\n"
         "  local offers='' files=''\n"
         "  case $1 in\n" +
         tables.values() +
         "  esac\n"
         "  offers_here=$offers files_here=$files flags_here=''\n"
         "}\n"
         "_holdfast_find() {\n"
         "  local place previous\n"
         "  _holdfast_place \"$@\"\n"
         "  case $previous in\n"
         "    " +
         tables.valued() +
         ") _holdfast_value \"$place:$previous\" ;;\n"
         "    *) _holdfast_at \"$place\" ;;\n"
         "  esac\n"
         "}\n";
}

constexpr std::string_view kBash = R"(_holdfast() {
  local offers_here flags_here files_here current=${COMP_WORDS[COMP_CWORD]}
  _holdfast_find "${COMP_WORDS[@]:1:COMP_CWORD-1}"
  local candidates=$offers_here
  [[ $current != -* ]] || candidates=$flags_here
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$current")
  [[ -z $files_here || $current == -* ]] || {
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
  }
}
complete -F _holdfast holdfast
)";

constexpr std::string_view kZsh = R"(_holdfast() {
  local offers_here flags_here files_here current=${words[CURRENT]}
  _holdfast_find "${(@)words[2,CURRENT-1]}"
  if [[ $current == -* ]]; then
    compadd -- ${=flags_here}
  else
    compadd -- ${=offers_here}
    [[ -z $files_here ]] || _files
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _holdfast "$@"
else
  compdef _holdfast holdfast
fi
)";

}  // namespace

std::string completion_script(const CommandNode& root, const std::string& shell) {
  if (shell == "bash") {
    return "# Completion of holdfast in bash.\n" + tables_function(root) + std::string(kBash);
  }
  return "#compdef holdfast\n# Completion of holdfast in zsh.\n" + tables_function(root) +
         std::string(kZsh);
}

}  // namespace holdfast::cli
