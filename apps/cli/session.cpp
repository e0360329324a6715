#include "session.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <holdfast/core/error.h>

#include "failure.h"

namespace holdfast::cli {
namespace {

/// Writes to stdout, with a line end behind; returns the error's number, 0 for none.
int write_line(std::string_view text) {
  errno = 0;
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (text.empty() || text.back() != '\n') std::fputc('\n', stdout);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  return errno == 0 ? EIO : errno;
}

}  // namespace

const Location& Session::location() {
  if (!location_) location_ = locate(options_.db);
  return *location_;
}

StoreOptions Session::store_options() {
  StoreOptions options;
  options.database.path = location().path;
  options.database.durability = options_.durability;
  options.database.create = false;
  return options;
}

Store& Session::store() {
  if (!store_) store_ = Store::open(store_options());
  return *store_;
}

Store& Session::create_store() {
  StoreOptions options = store_options();
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

void Session::print(std::string_view answer) {
  const int error = write_line(answer);
  if (error == 0) return;
  if (error == EPIPE) {
    throw Refused({.exit_code = static_cast<int>(Exit::unavailable),
                   .code = "unavailable",
                   .message = ""});
  }
  throw Unavailable(std::string("the answer could not be written: ") + std::strerror(error));
}

void Session::confirm(std::string_view answer) {
  const int error = write_line(answer);
  if (error == 0) return;
  throw Unavailable(
      std::string("the command was carried out, but its answer could not be written: ") +
      std::strerror(error));
}

}  // namespace holdfast::cli
