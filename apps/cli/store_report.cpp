#include "store_report.h"

#include <holdfast/core/json_text.h>

#include "text.h"

namespace holdfast::cli {
namespace {

std::string bytes(std::int64_t count) {
  return grouped(static_cast<std::uint64_t>(count)) + " bytes";
}

}  // namespace

std::string to_json(const storage::DatabaseInfo& info) {
  return core::JsonWriter()
      .string("backend", info.backend)
      .string("engine_version", info.engine_version)
      .raw("path", json_string(info.path))
      .string("journal_mode", info.journal_mode)
      .string("durability", info.durability)
      .integer("schema_version", info.schema_version)
      .integer("min_writer", info.min_writer)
      .integer("page_bytes", info.page_bytes)
      .integer("database_bytes", info.database_bytes)
      .integer("free_bytes", info.free_bytes)
      .integer("log_pages", info.log_pages)
      .unsigned_integer("commits_seen", info.commits_seen)
      .string("advice", info.advice)
      .finish();
}

std::string describe(const storage::DatabaseInfo& info) {
  FieldList fields;
  fields.add("engine", info.backend + " " + info.engine_version)
      .add("size", bytes(info.database_bytes) + ", " + bytes(info.free_bytes) + " of them free")
      .add("journal mode", info.journal_mode)
      .add("durability", info.durability)
      .add("schema version", std::to_string(info.schema_version) + ", written by " +
                                 std::to_string(info.min_writer) + " or later")
      .add("commits seen", grouped(info.commits_seen));
  return "database " + printable(info.path) + "\n" + fields.text();
}

}  // namespace holdfast::cli
