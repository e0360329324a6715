#include "location.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

#include <holdfast/core/error.h>

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

void refuse_url(const std::string& text) {
  for (const char* scheme : {"postgresql://", "postgres://"}) {
    if (!text.starts_with(scheme)) continue;
    // The address may hold a password, so it is not repeated.
    throw Unsupported("this build stores in SQLite files only, not at a " + std::string(scheme) +
                      " address; name a file");
  }
}

fs::path absolute(const std::string& text) {
  std::error_code error;
  const fs::path path = fs::absolute(text, error);
  if (error) throw Unavailable("cannot resolve " + text + ": " + error.message());
  return path.lexically_normal();
}

}  // namespace

std::string this_process() {
  std::array<char, 128> host{};
  const bool is_named = ::gethostname(host.data(), host.size() - 1) == 0;
  return (is_named ? std::string(host.data()) + ", " : std::string()) + "process " +
         std::to_string(::getpid());
}

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Location locate(const std::optional<std::string>& db) {
  if (db) {
    refuse_url(*db);
    if (db->empty()) throw InvalidArgument("db", "", "name a file");
    return {.path = absolute(*db), .source = "--db"};
  }
  if (const auto named = environment_variable("HOLDFAST_DB")) {
    refuse_url(*named);
    if (!fs::path(*named).is_absolute()) {
      throw InvalidArgument("HOLDFAST_DB", *named,
                            "be an absolute path, so that it means one file in every folder");
    }
    return {.path = fs::path(*named).lexically_normal(), .source = "HOLDFAST_DB"};
  }
  // The XDG rules tell programs to ignore a relative value.
  const auto data = environment_variable("XDG_DATA_HOME");
  if (data && fs::path(*data).is_absolute()) {
    return {.path = fs::path(*data) / "holdfast" / "memory.db", .source = "XDG_DATA_HOME"};
  }
  const auto home = environment_variable("HOME");
  if (!home || !fs::path(*home).is_absolute()) {
    throw InvalidArgument("HOME", home.value_or(""),
                          "be an absolute path where neither --db nor HOLDFAST_DB is given");
  }
  return {.path = fs::path(*home) / ".local" / "share" / "holdfast" / "memory.db",
          .source = "HOME"};
}

}  // namespace holdfast::cli
