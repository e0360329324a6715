#include "session.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <holdfast/core/error.h>

namespace holdfast::cli {

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
  errno = 0;
  std::fwrite(answer.data(), 1, answer.size(), stdout);
  if (answer.empty() || answer.back() != '\n') std::fputc('\n', stdout);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw Unavailable("the command ran, but its answer could not be written to standard output: " +
                    std::string(std::strerror(errno)));
}

}  // namespace holdfast::cli
