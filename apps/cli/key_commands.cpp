#include <charconv>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>
#include <holdfast/journal/projection_catalog.h>

#include "commands.h"
#include "expect_report.h"
#include "failure.h"
#include "location.h"
#include "page_report.h"
#include "projection_report.h"
#include "row_kinds.h"
#include "row_text.h"
#include "session.h"
#include "text.h"

namespace holdfast::cli {
namespace {

/// A key, and whether it is asked and kept.
struct KeyState {
  KeyDeclaration key;
  bool is_in_force = false;
};

std::string state_json(const KeyState& state) {
  std::string out = to_json(state.key);
  out.pop_back();
  return out + ",\"is_in_force\":" + (state.is_in_force ? "true" : "false") + "}";
}

[[noreturn]] void refuse_name(const std::string& name, const DeclareKeyResult& result) {
  const std::string way = "; `holdfast key undeclare " + name + "` would take that back";
  throw Refused({.exit_code = static_cast<int>(Exit::conflict),
                 .code = "conflict",
                 .message = result.current
                                ? "key " + name + " is declared otherwise, as " +
                                      describe(*result.current) + way
                                : "the name " + name + " is that of a projection that is no key",
                 .fields = {{"outcome", "\"declared_otherwise\""},
                            {"projection", json_string(name)},
                            {"current", result.current ? to_json(*result.current) : "null"}}});
}

[[noreturn]] void refuse_cancelled(const std::string& name) {
  throw Refused({.exit_code = static_cast<int>(Exit::conflict),
                 .code = "conflict",
                 .message = "key " + name + " was taken back by somebody else while it was built",
                 .fields = {{"outcome", "\"cancelled\""}, {"projection", json_string(name)}}});
}

void require_declared(const std::string& name, const DeclareKeyResult& result,
                      const RebuildWatch& watch) {
  switch (result.outcome) {
    case KeyOutcome::declared:
    case KeyOutcome::unchanged: return;
    case KeyOutcome::declared_otherwise: refuse_name(name, result);
    case KeyOutcome::cancelled: refuse_cancelled(name);
    case KeyOutcome::refused:
      throw Refused(refusal("key " + name + " cannot be declared: " +
                                counted(result.build.problems_total, "entity is", "entities are") +
                                " in the way; nothing was kept",
                            name, result.build));
    case KeyOutcome::stopped:
      watch.stop("the key is not in force yet: run the same command again to go on, or `holdfast "
                 "key undeclare " + name + "` to give it up");
  }
}

std::string declared_json(const KeyDeclaration& key, const DeclareKeyResult& result) {
  const bool was_built = result.outcome == KeyOutcome::declared;
  return core::JsonWriter()
      .string("outcome", to_string(result.outcome))
      .raw("key", to_json(key))
      .raw("build", was_built ? to_json(result.build) : "null")
      .finish();
}

KeyValue value_of(const ProjectionOptions& options) {
  const std::string& text = options.value;
  if (!options.integer) return KeyValue(text);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw InvalidArgument("value", text, "be an integer of 64 bits");
  }
  return KeyValue(number);
}

}  // namespace

void declare_key(Session& session, const Options& options) {
  const KeyDeclaration key = check_key_declaration({.name = options.name,
                                                    .kind = options.fields.kind,
                                                    .path = options.projection.path});
  const Space space = session.space();
  RebuildWatch watch(session.json());
  journal::RebuildOptions rebuild;
  rebuild.owner = this_process();
  const DeclareKeyResult result = space.declare_key(key, rebuild, watch.control());
  watch.finish();
  require_declared(printable(key.name), result, watch);
  if (session.json()) return session.confirm(declared_json(key, result));
  const std::string name = printable(key.name) + ": " + describe(key) + "\n";
  const bool was_built = result.outcome == KeyOutcome::declared;
  session.confirm(was_built ? "declared key " + name + describe(result.build)
                            : "in force already: key " + name);
}

void undeclare_key(Session& session, const Options& options) {
  if (!session.space().undeclare_key(options.name)) throw NotFound("key", options.name);
  session.confirm(session.json()
                      ? core::JsonWriter()
                            .string("outcome", "undeclared")
                            .raw("name", json_string(options.name))
                            .finish()
                      : "undeclared key " + printable(options.name));
}

void list_keys(Session& session, const Options&) {
  const Space space = session.reading_space();
  Page<KeyState> page;
  for (KeyDeclaration& key : space.keys()) page.items.push_back({.key = std::move(key)});
  const auto snapshot = space.access().database.snapshot();
  Table table({{"KEY"}, {"PATH"}, {"KIND"}, {"STATE"}});
  for (KeyState& state : page.items) {
    const KeyDeclaration& key = state.key;
    state.is_in_force =
        journal::find_generation(snapshot->transaction(), space.name(), key.name,
                                 journal::GenerationState::serving)
            .has_value();
    table.add({key.name, key.path, key.kind.value_or("any"),
               state.is_in_force ? "in force" : "being built"});
  }
  if (session.json()) return session.print(page_json(page, &state_json));
  session.print((page.items.empty() ? "" : table.text()) + page_footer(page, "key", "keys"));
}

void find_by_key(Session& session, const Options& options) {
  const KeyValue value = value_of(options.projection);
  const Space space = session.reading_space();
  if (options.expect) {
    // That nobody has the key is what a plan that gives it to somebody rests on.
    Transaction reading(space);
    const auto holder = reading.find_by_key(options.name, value);
    const auto answer = holder ? EntityKind::Rows::to_json(*holder) : R"({"id":null})";
    return print_with_expectations(session, answer, reading);
  }
  const auto entity = space.find_by_key(options.name, value);
  if (!entity) {
    throw Refused({.exit_code = static_cast<int>(Exit::not_found),
                   .code = "not_found",
                   .message = "no live entity has the key " + options.name + " " + value.json(),
                   .fields = {{"kind", "\"entity\""},
                              {"key", json_string(options.name)},
                              {"value", value.json()}}});
  }
  session.print(session.json() ? EntityKind::Rows::to_json(*entity) : describe(*entity));
}

}  // namespace holdfast::cli
