#include <filesystem>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "commands.h"
#include "document.h"
#include "folders.h"
#include "page_report.h"
#include "session.h"
#include "space_report.h"
#include "space_settings.h"
#include "store_report.h"
#include "text.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

std::string why(const Location& location) {
  if (location.source == "--db") return "given with --db";
  if (location.source == "HOLDFAST_DB") return "named by $HOLDFAST_DB";
  return "the default below $" + location.source;
}

/// Opens the database, made if need be; says whether it was.
bool open_or_create(Session& session) {
  try {
    session.store();
    return false;
  } catch (const NotFound&) {
    make_private_folders(session.location().path);
    session.create_store();
    return true;
  }
}

}  // namespace

void where(Session& session, const Options&) {
  const Location& location = session.location();
  std::error_code ignored;
  const bool exists = fs::exists(location.path, ignored);
  if (session.json()) {
    return session.print(core::JsonWriter()
                             .raw("path", json_string(location.path.string()))
                             .string("source", location.source)
                             .boolean("exists", exists)
                             .finish());
  }
  session.print(printable(location.path.string()) + "\n  " + why(location) +
                (exists ? "" : "; not there yet, `holdfast init` creates it"));
}

void init(Session& session, const Options& options) {
  const bool made_database = open_or_create(session);
  Store& store = session.store();
  const bool made_space = !has_space(store, options.global.space, session.actor());
  const Space space = store.create_space(options.global.space, session.actor(),
                                         changed(SpaceSettings{}, options.settings));
  // One that was there keeps what it is set to, but for what is asked for.
  if (!made_space && options.settings.relations) {
    (void)space.configure(changed(space.settings(), options.settings));
  }
  const auto relations = to_string(space.settings().relations);
  const auto state = [](bool made) { return made ? "created" : "already there"; };
  if (session.json()) {
    return session.confirm(core::JsonWriter()
                               .raw("path", json_string(session.location().path.string()))
                               .boolean("database_created", made_database)
                               .string("space", space.name())
                               .boolean("space_created", made_space)
                               .string("relations", relations)
                               .finish());
  }
  FieldList fields;
  fields.add("database", session.location().path.string() + " (" + state(made_database) + ")")
      .add("space", space.name() + " (" + state(made_space) + ")")
      .add("relations", relations);
  session.confirm(fields.text());
}

void info(Session& session, const Options& options) {
  Store& store = session.reader();
  const auto database = store.database().info();
  const StoreStats stats = store.stats();
  const auto names = store.spaces(page_request(options));
  Page<SpaceInfo> spaces{.items = {},
                         .next = names.next,
                         .left_out = names.left_out,
                         .left_out_is_minimum = names.left_out_is_minimum};
  for (const std::string& name : names.items) {
    if (has_space(store, name, session.actor())) spaces.items.push_back(store.space_info(name));
  }
  RowSizes sizes;
  if (options.sizes) sizes = store.row_bytes();
  if (!session.json()) {
    return session.print(describe(database, stats, sizes) + "\n" +
                         (spaces.items.empty() ? "" : table(spaces.items)) +
                         page_footer(spaces, "space", "spaces"));
  }
  core::JsonWriter out;
  out.raw("database", to_json(database)).raw("stats", to_json(stats));
  if (options.sizes) out.raw("row_bytes", to_json(sizes));
  out.raw("spaces",
          page_json(spaces, [](const SpaceInfo& space) { return to_json(space); }));
  session.print(out.finish());
}

}  // namespace holdfast::cli
