#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "commands.h"
#include "failure.h"
#include "progress.h"
#include "row_kinds.h"
#include "session.h"
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

void create_folders(const fs::path& file) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) {
    throw Unavailable("cannot create " + file.parent_path().string() + ": " + error.message());
  }
}

/// Opens the database, made if need be; says whether it was.
bool open_or_create(Session& session) {
  try {
    session.store();
    return false;
  } catch (const NotFound&) {
    // What a memory holds is its owner's business: new files and folders are for nobody else.
    umask(S_IRWXG | S_IRWXO);
    create_folders(session.location().path);
    session.create_store();
    return true;
  }
}

RelationPolicy policy_of(Session& session, const std::string& space) {
  const auto snapshot = session.store().database().snapshot();
  const auto row = journal::SpaceStore::find(snapshot->transaction(), space);
  return read_settings(row.value().settings).relations;
}

/// What one space holds.
struct SpaceInfo {
  struct Rows {
    std::uint64_t live = 0;
    std::uint64_t deleted = 0;
  };
  std::string name;
  Rows entities;
  Rows edges;
  Rows notes;
  RelationPolicy relations = RelationPolicy::open;
  journal::Tail tail;
};

template <class Kind>
SpaceInfo::Rows count_rows(const Space& space) {
  SpaceInfo::Rows rows;
  typename Kind::Filter filter;
  rows.live = Kind::rows(space).count(filter);
  filter.deleted = Deleted::only;
  rows.deleted = Kind::rows(space).count(filter);
  return rows;
}

SpaceInfo look_at(Session& session, const std::string& name) {
  const Space space = session.store().space(name, session.actor());
  return {.name = name,
          .entities = count_rows<EntityKind>(space),
          .edges = count_rows<EdgeKind>(space),
          .notes = count_rows<NoteKind>(space),
          .relations = policy_of(session, name),
          .tail = space.tail()};
}

std::string rows_json(const SpaceInfo::Rows& rows) {
  return core::JsonWriter()
      .unsigned_integer("live", rows.live)
      .unsigned_integer("deleted", rows.deleted)
      .finish();
}

std::string space_json(const SpaceInfo& space) {
  return core::JsonWriter()
      .string("space", space.name)
      .raw("entities", rows_json(space.entities))
      .raw("edges", rows_json(space.edges))
      .raw("notes", rows_json(space.notes))
      .string("relations", to_string(space.relations))
      .unsigned_integer("seq", space.tail.seq)
      .integer("at", to_us(space.tail.at))
      .finish();
}

std::string spaces_text(const std::vector<SpaceInfo>& spaces) {
  Table table({{"SPACE"},
               {"ENTITIES", Align::right},
               {"EDGES", Align::right},
               {"NOTES", Align::right},
               {"DELETED", Align::right},
               {"SEQUENCE", Align::right},
               {"LAST CHANGE"},
               {"RELATIONS"}});
  for (const SpaceInfo& space : spaces) {
    table.add({space.name, grouped(space.entities.live), grouped(space.edges.live),
               grouped(space.notes.live),
               grouped(space.entities.deleted + space.edges.deleted + space.notes.deleted),
               grouped(space.tail.seq), to_rfc3339(space.tail.at),
               std::string(to_string(space.relations))});
  }
  return spaces.empty() ? "no spaces\n" : table.text();
}

std::string verify_json(const journal::VerifyReport& report) {
  std::vector<std::string> findings;
  for (const journal::Finding& finding : report.findings) {
    findings.push_back(core::JsonWriter()
                           .string("check", finding.check)
                           .raw("space", json_string(finding.space))
                           .raw("detail", json_string(finding.detail))
                           .finish());
  }
  return core::JsonWriter()
      .unsigned_integer("spaces", report.spaces)
      .unsigned_integer("events", report.events)
      .unsigned_integer("rows", report.rows)
      .unsigned_integer("findings_total", report.findings_total)
      .raw("findings", json_array(findings))
      .finish();
}

std::string verify_text(const journal::VerifyReport& report) {
  std::string out = "compared " + counted(report.events, "event", "events") + " with " +
                    counted(report.rows, "row", "rows") + " in " +
                    counted(report.spaces, "space", "spaces") + "\n";
  if (report.is_clean()) return out + "clean: the journal and the tables agree\n";
  Table table({{"CHECK"}, {"SPACE"}, {"DETAIL"}});
  for (const journal::Finding& finding : report.findings) {
    table.add({finding.check, finding.space, finding.detail});
  }
  return out + table.text();
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
  const auto before = store.spaces().items;
  const Space space = store.create_space(options.global.space, session.actor());
  const bool made_space = std::find(before.begin(), before.end(), space.name()) == before.end();
  if (options.relations) {
    const auto policy =
        *options.relations == "declared" ? RelationPolicy::declared : RelationPolicy::open;
    (void)space.configure({.relations = policy});
  }
  const auto relations = to_string(policy_of(session, space.name()));
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

void info(Session& session, const Options&) {
  const auto database = session.store().database().info();
  std::vector<SpaceInfo> spaces;
  for (const std::string& name : session.store().spaces().items) {
    spaces.push_back(look_at(session, name));
  }
  if (!session.json()) return session.print(describe(database) + "\n" + spaces_text(spaces));
  std::vector<std::string> items;
  for (const SpaceInfo& space : spaces) items.push_back(space_json(space));
  session.print(core::JsonWriter()
                    .raw("database", to_json(database))
                    .raw("spaces", json_array(items))
                    .finish());
}

void verify(Session& session, const Options&) {
  journal::VerifyReport report;
  {
    std::optional<Progress> progress;
    std::string space;
    report = session.store().verify([&](const journal::VerifyProgress& now) {
      if (!progress || now.space != space) {
        progress.emplace("verify " + printable(now.space), session.json());
      }
      space = now.space;
      progress->update(now.done, now.total);
    });
  }
  session.print(session.json() ? verify_json(report) : verify_text(report));
  if (report.is_clean()) return;
  throw Refused({.exit_code = static_cast<int>(Exit::corrupt),
                 .code = "corrupt",
                 .message = counted(report.findings_total, "finding", "findings") +
                            "; stop writing and restore a backup",
                 .fields = {{"findings_total", std::to_string(report.findings_total)}}});
}

}  // namespace holdfast::cli
