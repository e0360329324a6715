#include "store_report.h"

#include <holdfast/core/json_text.h>

#include "text.h"

namespace holdfast::cli {
namespace {

std::string bytes(std::int64_t count) {
  return grouped(static_cast<std::uint64_t>(count)) + " bytes";
}

/// {"count","p50","p99","max"}
std::string histogram_json(const storage::Histogram& seen) {
  return core::JsonWriter()
      .unsigned_integer("count", seen.count)
      .unsigned_integer("p50", seen.quantile(0.5))
      .unsigned_integer("p99", seen.quantile(0.99))
      .unsigned_integer("max", seen.max)
      .finish();
}

std::string histogram_text(const storage::Histogram& seen, const std::string& unit) {
  return grouped(seen.quantile(0.5)) + unit + " p50, " + grouped(seen.quantile(0.99)) + unit +
         " p99, " + grouped(seen.max) + unit + " at most";
}

std::string writes_json(const Meter::Counts& writes) {
  return core::JsonWriter()
      .unsigned_integer("applied", writes.applied)
      .unsigned_integer("unchanged", writes.unchanged)
      .unsigned_integer("conflicts", writes.conflicts)
      .unsigned_integer("refused", writes.refused)
      .unsigned_integer("retries", writes.retries)
      .unsigned_integer("repeated_requests", writes.repeated_requests)
      .finish();
}

std::string writer_json(const storage::WriterStats& writer) {
  return core::JsonWriter()
      .unsigned_integer("commits", writer.commits)
      .unsigned_integer("changes", writer.changes)
      .unsigned_integer("undone", writer.undone)
      .unsigned_integer("batch_max", writer.batch_max)
      .unsigned_integer("unknown", writer.unknown)
      .raw("batch_sizes", histogram_json(writer.batch_sizes))
      .raw("commit_us", histogram_json(writer.commit_us))
      .raw("lock_wait_us", histogram_json(writer.lock_wait_us))
      .finish();
}

/// Below the fields of the database.
void add_stats(FieldList& fields, const StoreStats& stats) {
  fields.add("spaces", grouped(stats.spaces))
      .add("rows", grouped(stats.rows) + ", " +
                       bytes(static_cast<std::int64_t>(stats.body_bytes)) +
                       " of text in their history")
      .add("projections", grouped(stats.projections))
      .add("oldest reader", grouped(static_cast<std::uint64_t>(stats.oldest_reader.count())) +
                                " us");
  // Counted since this process opened the store, which for a look is nothing.
  if (stats.writer.commits > 0) {
    fields.add("commits", grouped(stats.writer.commits) + ", " +
                              histogram_text(stats.writer.commit_us, " us"))
        .add("batch sizes", histogram_text(stats.writer.batch_sizes, ""))
        .add("conflicts", grouped(stats.writes.conflicts) + ", " +
                              counted(stats.writes.retries, "retry", "retries"));
  }
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
      .integer("log_bytes", info.log_bytes)
      .boolean("is_read_only", info.is_read_only)
      .unsigned_integer("commits_seen", info.commits_seen)
      .string("advice", info.advice)
      .finish();
}

std::string to_json(const StoreStats& stats) {
  return core::JsonWriter()
      .unsigned_integer("spaces", stats.spaces)
      .unsigned_integer("rows", stats.rows)
      .unsigned_integer("body_bytes", stats.body_bytes)
      .unsigned_integer("projections", stats.projections)
      .unsigned_integer("database_bytes", stats.database_bytes)
      .unsigned_integer("free_bytes", stats.free_bytes)
      .unsigned_integer("log_bytes", stats.log_bytes)
      .integer("oldest_reader_us", stats.oldest_reader.count())
      .raw("writes", writes_json(stats.writes))
      .raw("writer", writer_json(stats.writer))
      .finish();
}

std::string to_json(const RowSizes& sizes) {
  core::JsonWriter out;
  for (const auto& [kind, size] : sizes) out.real(kind, size);
  return out.finish();
}

std::string describe(const storage::DatabaseInfo& info, const StoreStats& stats,
                     const RowSizes& sizes) {
  FieldList fields;
  fields.add("engine", info.backend + " " + info.engine_version)
      .add("size", bytes(info.database_bytes) + ", " + bytes(info.free_bytes) + " of them free")
      .add("log", bytes(info.log_bytes))
      .add("opened", info.is_read_only ? "read-only" : "for reading and writing")
      .add("journal mode", info.journal_mode)
      .add("durability", info.durability)
      .add("schema version", std::to_string(info.schema_version) + ", written by " +
                                 std::to_string(info.min_writer) + " or later")
      .add("commits seen", grouped(info.commits_seen));
  add_stats(fields, stats);
  for (const auto& [kind, size] : sizes) {
    fields.add("bytes per " + kind, grouped(static_cast<std::uint64_t>(size)));
  }
  return "database " + printable(info.path) + "\n" + fields.text();
}

}  // namespace holdfast::cli
