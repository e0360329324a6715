#include "failure.h"

#include <unistd.h>

#include <cstdio>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>
#include <holdfast/vectors/embedder.h>

#include "style.h"
#include "text.h"

namespace holdfast::cli {
namespace {

Failure failure(Exit exit, const Error& error) {
  return {.exit_code = static_cast<int>(exit),
          .code = error.code(),
          .message = error.what()};
}

/// What helps a person who is told that something is not there.
std::string hint(const NotFound& error) {
  if (error.kind() == "database") return "; run `holdfast init` to create it";
  if (error.kind() == "space") return "; run `holdfast space create NAME` to create it";
  return "";
}

Failure describe_error(const Error& error) {
  if (const auto* invalid = dynamic_cast<const InvalidArgument*>(&error)) {
    Failure result = failure(Exit::invalid_input, error);
    result.fields = {{"field", json_string(invalid->field())},
                     {"value", json_string(invalid->value())},
                     {"rule", json_string(invalid->rule())}};
    return result;
  }
  if (const auto* absent = dynamic_cast<const NotFound*>(&error)) {
    Failure result = failure(Exit::not_found, error);
    result.message += hint(*absent);
    result.fields = {{"kind", json_string(absent->kind())}, {"id", json_string(absent->id())}};
    return result;
  }
  if (const auto* unknown = dynamic_cast<const OutcomeUnknown*>(&error)) {
    Failure result = failure(Exit::outcome_unknown, error);
    result.fields = {{"request_id", json_string(unknown->request_id())}};
    return result;
  }
  if (dynamic_cast<const Gone*>(&error) != nullptr) return failure(Exit::not_found, error);
  if (dynamic_cast<const Conflict*>(&error) != nullptr) return failure(Exit::conflict, error);
  if (dynamic_cast<const Corrupt*>(&error) != nullptr) return failure(Exit::corrupt, error);
  if (dynamic_cast<const EmbeddingRefused*>(&error) != nullptr) {
    return failure(Exit::invalid_input, error);
  }
  const bool environment = dynamic_cast<const Busy*>(&error) != nullptr ||
                           dynamic_cast<const Full*>(&error) != nullptr ||
                           dynamic_cast<const Unavailable*>(&error) != nullptr ||
                           dynamic_cast<const EmbeddingUnavailable*>(&error) != nullptr ||
                           dynamic_cast<const Unsupported*>(&error) != nullptr;
  return failure(environment ? Exit::unavailable : Exit::bug, error);
}

}  // namespace

void stop_for(int signal, const std::string& message,
              std::vector<std::pair<std::string, std::string>> fields) {
  throw Refused({.exit_code = 128 + signal,
                 .code = "interrupted",
                 .message = message,
                 .fields = std::move(fields)});
}

void refuse_usage(const std::string& message) {
  throw Refused({.exit_code = static_cast<int>(Exit::usage),
                 .code = "usage",
                 .message = message});
}

Failure describe(const std::exception& error) {
  if (const auto* refused = dynamic_cast<const Refused*>(&error)) return refused->failure();
  if (const auto* known = dynamic_cast<const Error*>(&error)) return describe_error(*known);
  return {.exit_code = static_cast<int>(Exit::bug),
          .code = "internal",
          .message = std::string("this is a bug: ") + error.what()};
}

std::string to_json(const Failure& failure) {
  core::JsonWriter body;
  body.string("code", failure.code).string("message", valid_utf8(failure.message));
  for (const auto& [name, json] : failure.fields) body.raw(name, json);
  return core::JsonWriter().raw("error", body.finish()).finish();
}

void report(const Failure& failure, bool json) {
  if (failure.message.empty()) return;
  std::string text;
  if (json) {
    text = to_json(failure) + "\n";
  } else {
    const bool is_conflict = failure.exit_code == static_cast<int>(Exit::conflict);
    text = styled(is_conflict ? Style::conflict : Style::error, "holdfast:") + " " +
           printable(failure.message, Lines::many) + "\n" + failure.details;
  }
  std::fputs(painted(text, STDERR_FILENO).c_str(), stderr);
}

}  // namespace holdfast::cli
