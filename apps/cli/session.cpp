#include "session.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <holdfast/core/error.h>

#include "failure.h"
#include "style.h"

namespace holdfast::cli {
namespace {

/// Writes to stdout; returns the error's number, 0 for none.
int write_text(std::string_view text) {
  errno = 0;
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  return errno == 0 ? EIO : errno;
}

int write_line(std::string_view text) {
  std::string line = painted(text, STDOUT_FILENO);
  if (line.empty() || line.back() != '\n') line += '\n';
  return write_text(line);
}

/// What a failed write of an answer means.
void require_written(int error) {
  if (error == 0) return;
  if (error == EPIPE) {
    throw Refused({.exit_code = static_cast<int>(Exit::unavailable),
                   .code = "unavailable",
                   .message = ""});
  }
  throw Unavailable(std::string("the answer could not be written: ") + std::strerror(error));
}

StoreOptions store_options(const Location& location, const GlobalOptions& options) {
  StoreOptions store;
  store.database.path = location.path;
  store.database.durability = options.durability;
  store.database.create = false;
  return store;
}

}  // namespace

const Location& Session::location() {
  if (!location_) location_ = locate(options_.db);
  return *location_;
}

Store& Session::store() {
  if (!store_) store_ = Store::open(store_options(location(), options_));
  return *store_;
}

Store& Session::reader() {
  if (store_) return *store_;
  // A reader waits for no writer and needs no right to write; only a file of an older schema has to
  // be opened for writing once.
  StoreOptions options = store_options(location(), options_);
  options.database.access = storage::OpenMode::read_only;
  try {
    store_ = Store::open(options);
  } catch (const Unsupported&) {
    if (is_unwritable(options.database.path)) throw;
    return store();
  }
  return *store_;
}

Store& Session::create_store() {
  StoreOptions options = store_options(location(), options_);
  options.database.create = true;
  store_ = Store::open(options);
  return *store_;
}

std::string Session::actor() const {
  if (options_.actor) return *options_.actor;
  if (const auto named = environment_variable("HOLDFAST_ACTOR")) return *named;
  return environment_variable("USER").value_or("cli");
}

Space Session::space() { return store().space(options_.space, actor()); }

Space Session::space(std::string_view otherwise) {
  return store().space(options_.space, options_.actor.value_or(std::string(otherwise)));
}

Space Session::reading_space() { return reader().space(options_.space, actor()); }

void Session::print(std::string_view answer) { require_written(write_line(answer)); }

void Session::write(std::string_view piece) { require_written(write_text(piece)); }

void Session::confirm(std::string_view answer) {
  const int error = write_line(answer);
  if (error == 0) return;
  throw Unavailable(
      std::string("the command was carried out, but its answer could not be written: ") +
      std::strerror(error));
}

bool is_unwritable(const std::filesystem::path& file) {
  std::error_code error;
  const auto real = std::filesystem::canonical(file, error);  // the log lies beside what it means
  if (error) return false;
  return access(real.c_str(), W_OK) != 0 || access(real.parent_path().c_str(), W_OK | X_OK) != 0;
}

}  // namespace holdfast::cli
