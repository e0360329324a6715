#include "space_report.h"

#include <holdfast/core/json_text.h>

#include "text.h"

namespace holdfast::cli {
namespace {

RowCounts rows_of(const SpaceInfo& space, const std::string& kind) {
  const auto found = space.kinds.find(kind);
  return found == space.kinds.end() ? RowCounts{} : found->second;
}

std::string rows_json(const SpaceInfo& space) {
  core::JsonWriter out;
  for (const auto& [kind, rows] : space.kinds) {
    out.raw(kind, core::JsonWriter()
                      .unsigned_integer("live", rows.live)
                      .unsigned_integer("deleted", rows.deleted)
                      .finish());
  }
  return out.finish();
}

std::string rows_text(const SpaceInfo& space, const std::string& kind) {
  const RowCounts rows = rows_of(space, kind);
  return grouped(rows.live) +
         (rows.deleted == 0 ? "" : " and " + grouped(rows.deleted) + " deleted");
}

void add_limit(core::JsonWriter& out, const char* name, const std::optional<std::uint64_t>& limit) {
  if (limit) {
    out.unsigned_integer(name, *limit);
  } else {
    out.null(name);
  }
}

std::string limited(std::uint64_t count, const std::optional<std::uint64_t>& limit) {
  return grouped(count) + (limit ? " of at most " + grouped(*limit) : ", without a limit");
}

}  // namespace

void add_settings(core::JsonWriter& out, const SpaceSettings& settings) {
  out.string("relations", to_string(settings.relations));
  add_limit(out, "rows_max", settings.rows_max);
  add_limit(out, "bytes_max", settings.bytes_max);
  out.integer("request_retention_s", settings.request_retention.count());
}

std::string to_json(const SpaceInfo& space) {
  core::JsonWriter out;
  out.string("space", space.space);
  add_settings(out, space.settings);
  return out.integer("created_at", to_us(space.created_at))
      .unsigned_integer("seq", space.tail.seq)
      .integer("at", to_us(space.tail.at))
      .unsigned_integer("rows", space.rows)
      .unsigned_integer("body_bytes", space.body_bytes)
      .raw("kinds", rows_json(space))
      .unsigned_integer("requests", space.requests)
      .unsigned_integer("projections", space.projections)
      .finish();
}

std::string describe(const SpaceInfo& space) {
  FieldList fields;
  fields.add("entities", rows_text(space, "entity"))
      .add("edges", rows_text(space, "edge"))
      .add("notes", rows_text(space, "note"))
      .add("declared relations", rows_text(space, "relation"))
      .add("rows", limited(space.rows, space.settings.rows_max))
      .add("bytes of text", limited(space.body_bytes, space.settings.bytes_max))
      .add("requests",
           grouped(space.requests) + ", answers kept " +
               grouped(static_cast<std::uint64_t>(space.settings.request_retention.count())) + " s")
      .add("projections", grouped(space.projections))
      .add("relations", to_string(space.settings.relations))
      .add("sequence", grouped(space.tail.seq))
      .add("last change", to_rfc3339(space.tail.at))
      .add("created", to_rfc3339(space.created_at));
  return "space " + printable(space.space) + "\n" + fields.text();
}

std::string table(const std::vector<SpaceInfo>& spaces) {
  Table table({{"SPACE"},
               {"ENTITIES", Align::right},
               {"EDGES", Align::right},
               {"NOTES", Align::right},
               {"DELETED", Align::right},
               {"SEQUENCE", Align::right},
               {"LAST CHANGE"},
               {"RELATIONS"}});
  for (const SpaceInfo& space : spaces) {
    std::uint64_t deleted = 0;
    for (const auto& [kind, rows] : space.kinds) deleted += rows.deleted;
    table.add({space.space, grouped(rows_of(space, "entity").live),
               grouped(rows_of(space, "edge").live), grouped(rows_of(space, "note").live),
               grouped(deleted), grouped(space.tail.seq), to_rfc3339(space.tail.at),
               std::string(to_string(space.settings.relations))});
  }
  return table.text();
}

std::string contents_text(const SpaceInfo& space) {
  return counted(space.rows, "row", "rows") + ", " + counted(space.tail.seq, "event", "events") +
         " and " + counted(space.requests, "request", "requests");
}

}  // namespace holdfast::cli
