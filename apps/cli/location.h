#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace holdfast::cli {

/// Where the database is, and what said so.
struct Location {
  std::filesystem::path path;  ///< absolute
  std::string source;          ///< "--db", "HOLDFAST_DB", "XDG_DATA_HOME" or "HOME"
};

/// `--db`, else $HOLDFAST_DB, else $XDG_DATA_HOME/holdfast/memory.db, else
/// $HOME/.local/share/holdfast/memory.db. Only `--db` may be relative, to the folder one is in:
/// what the environment says must mean the same file everywhere. Throws InvalidArgument for a
/// relative $HOLDFAST_DB and where nothing names a place, Unsupported for a URL.
Location locate(const std::optional<std::string>& db);

/// "host, process 123", for those who have to wait for this one.
std::string this_process();

/// An environment variable; absent when it is unset or empty.
std::optional<std::string> environment_variable(const char* name);

}  // namespace holdfast::cli
