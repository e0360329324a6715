#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "commands.h"
#include "document.h"
#include "failure.h"
#include "interrupt.h"
#include "page_report.h"
#include "progress.h"
#include "session.h"
#include "space_report.h"
#include "space_settings.h"
#include "text.h"
#include "write_report.h"

namespace holdfast::cli {
namespace {

[[noreturn]] void refuse_existing(const std::string& name, const std::string& why) {
  throw Refused({.exit_code = static_cast<int>(Exit::conflict),
                 .code = "conflict",
                 .message = "space " + name + " exists already" + why + "; it was left as it is",
                 .fields = {{"outcome", "\"exists\""}, {"space", json_string(name)}}});
}

std::string removal_json(const std::string& name, const SpaceRemoval& removal) {
  core::JsonWriter rows;
  for (const auto& [kind, count] : removal.rows) rows.unsigned_integer(kind, count);
  return core::JsonWriter()
      .string("space", name)
      .raw("rows", rows.finish())
      .unsigned_integer("events", removal.events)
      .unsigned_integer("requests", removal.requests)
      .boolean("complete", removal.complete)
      .finish();
}

std::string removal_text(const std::string& name, const SpaceRemoval& removal) {
  std::string out = removal.complete ? "deleted space " : "deleted part of space ";
  out += printable(name) + "\n";
  FieldList fields;
  for (const auto& [kind, count] : removal.rows) {
    fields.add("rows of kind " + kind, grouped(count));
  }
  fields.add("events", grouped(removal.events)).add("requests", grouped(removal.requests));
  return out + fields.text();
}

/// What goes with the space, counted before; 0 when an earlier run has hidden it already.
std::uint64_t count_contents(Store& store, const std::string& name) {
  try {
    const SpaceInfo info = store.space_info(name);
    return info.rows + 1 + info.tail.seq + info.requests;
  } catch (const NotFound&) {
    return 0;
  }
}

/// What the settings are before the change. A request that is asked for again starts from what it
/// started from the first time, so that it is the same request.
SpaceSettings settings_before(Store& store, const Space& space, const WriteOptions& options) {
  if (options.request_id.empty()) return space.settings();
  const auto record = space.find_request(options.request_id);
  if (!record) return space.settings();
  const auto snapshot = store.database().snapshot();
  storage::Transaction& transaction = snapshot->transaction();
  const auto event =
      journal::event_as_of(transaction, space.name(), "space",
                           journal::space_id(space.name()).uuid, record->seq - 1);
  if (!event) return space.settings();
  return read_settings(
      journal::SpaceStore::from_event(transaction, space.name(), *event).settings);
}

}  // namespace

void create_space(Session& session, const Options& options) {
  Store& store = session.store();
  if (has_space(store, options.name, session.actor())) refuse_existing(options.name, "");
  const SpaceSettings settings = changed(SpaceSettings{}, options.settings);
  const Space space = store.create_space(options.name, session.actor(), settings);
  // Somebody else may have made it just now, otherwise.
  if (!(space.settings() == settings)) refuse_existing(space.name(), " with other settings");
  const SpaceInfo info = store.space_info(space.name());
  session.confirm(session.json() ? to_json(info) : "created " + describe(info));
}

void list_spaces(Session& session, const Options& options) {
  Store& store = session.reader();
  const auto names = store.spaces(page_request(options));
  Table table({{"SPACE"}, {"SEQUENCE", Align::right}, {"LAST CHANGE"}, {"RELATIONS"}});
  std::vector<std::string> items;
  for (const std::string& name : names.items) {
    try {
      const Space space = store.space(name, session.actor());
      const auto tail = space.tail();
      const SpaceSettings settings = space.settings();
      table.add({name, grouped(tail.seq), to_rfc3339(tail.at),
                 std::string(to_string(settings.relations))});
      core::JsonWriter out;
      out.string("space", name);
      add_settings(out, settings);
      items.push_back(out.unsigned_integer("seq", tail.seq).integer("at", to_us(tail.at)).finish());
    } catch (const NotFound&) {
      continue;  // deleted since its name was read
    }
  }
  if (!session.json()) {
    return session.print((items.empty() ? "" : table.text()) +
                         page_footer(names, "space", "spaces"));
  }
  Page<std::string> page = names;
  page.items = items;
  session.print(page_json(page, [](const std::string& item) { return item; }));
}

void show_space(Session& session, const Options& options) {
  const std::string& name = options.name.empty() ? options.global.space : options.name;
  const SpaceInfo info = session.reader().space_info(name);
  session.print(session.json() ? to_json(info) : describe(info));
}

void configure_space(Session& session, const Options& options) {
  const std::string& name = options.name.empty() ? options.global.space : options.name;
  const SettingOptions& asked = options.settings;
  if (!asked.relations && !asked.rows_max && !asked.bytes_max && !asked.request_retention) {
    refuse_usage("say what to change: --relations, --rows-max, --bytes-max, --request-retention");
  }
  const Space space = session.store().space(name, session.actor());
  const WriteOptions write = write_options(options);
  const SpaceSettings read = settings_before(session.store(), space, write);
  const auto result = space.configure(changed(read, asked), read, write);
  WriteSummary summary = summarise(result, "space");
  summary.id = space.name();
  if (result.current) {
    core::JsonWriter current;
    current.string("space", space.name());
    add_settings(current, read_settings(result.current->settings));
    summary.current_json = current.integer("revision", result.current->revision.us).finish();
  }
  if (!result.applied() && result.outcome != Outcome::unchanged) refuse(summary);
  if (session.json()) return session.confirm(to_json(summary));
  session.confirm((result.applied() ? "configured " : "is as asked already: ") +
                  describe(session.store().space_info(space.name())) +
                  repeated_text(result.repeated));
}

void delete_space(Session& session, const Options& options) {
  const std::string& name = options.name;
  Store& store = session.store();
  if (!options.yes) {
    const SpaceInfo info = store.space_info(name);
    refuse_usage("deleting space " + name + " removes it for good, with " + contents_text(info) +
                 "; say --yes if that is meant");
  }
  const std::uint64_t total = count_contents(store, name);
  const Interrupt interrupt;
  SpaceRemoval removal;
  {
    Progress progress("delete", session.json());
    removal = store.delete_space(name, [&](const SpaceRemoval& now) {
      progress.update(now.total(), total);
      return interrupt.signal() == 0;
    });
  }
  session.confirm(session.json() ? removal_json(name, removal) : removal_text(name, removal));
  if (removal.complete) return;
  stop_for(interrupt.signal(),
           "stopped; the space is hidden already, and the same command again removes the rest",
           {{"done", std::to_string(removal.total())}});
}

}  // namespace holdfast::cli
