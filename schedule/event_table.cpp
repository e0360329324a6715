#include "event_table.h"

#include "names.h"

namespace holdfast::journal {
namespace {

void write_optional(core::JsonWriter& out, std::string_view name,
                    const std::optional<std::string>& text) {
  if (text) {
    out.string(name, *text);
  } else {
    out.null(name);
  }
}

unsigned count_field(const JsonMember& member) {
  const std::int64_t count = core::integer_field(member);
  if (count < 0 || count > 1'000'000) {
    throw InvalidArgument(member.key, std::to_string(count), "be 0 to 1,000,000");
  }
  return static_cast<unsigned>(count);
}

}  // namespace

const TableSpec RowTraits<ScheduledEvent>::spec{
    .kind = "scheduled_event",
    .table = "scheduled_events",
    .columns = {"kind", "payload", "trigger_text", "trigger_at", "zone", "repeat", "anchor",
                "catch_up", "grace", "max_attempts", "status", "properties"},
    .fixed = {},
    .indexed = {"trigger_at", "status"}};

void RowTraits<ScheduledEvent>::bind(storage::Statement& to, int first,
                                     const ScheduledEvent& row) {
  to.bind_at(first, to_string(row.kind))
      .bind_at(first + 1, row.payload.text())
      .bind_at(first + 2, row.trigger_text)
      .bind_at(first + 3, row.trigger_at)
      .bind_at(first + 4, row.zone)
      .bind_at(first + 5, row.repeat)
      .bind_at(first + 6, row.anchor)
      .bind_at(first + 7, to_string(row.catch_up))
      .bind_at(first + 8, static_cast<std::int64_t>(row.grace.count()))
      .bind_at(first + 9, static_cast<std::int64_t>(row.max_attempts))
      .bind_at(first + 10, to_string(row.status))
      .bind_at(first + 11, row.properties.text());
}

ScheduledEvent RowTraits<ScheduledEvent>::read(const storage::Row& from, int first) {
  ScheduledEvent row;
  row.kind = schedule::stored_name("kind", from.get<std::string_view>(first), parse_event_kind);
  row.payload = JsonObject::trusted(from.get<std::string>(first + 1));
  row.trigger_text = from.get<std::string>(first + 2);
  row.trigger_at = from.get<Timestamp>(first + 3);
  row.zone = from.get<std::string>(first + 4);
  row.repeat = from.get<std::optional<std::string>>(first + 5);
  row.anchor = from.get<std::optional<std::string>>(first + 6);
  row.catch_up =
      schedule::stored_name("catch_up", from.get<std::string_view>(first + 7), parse_catch_up);
  row.grace = std::chrono::microseconds(from.get<std::int64_t>(first + 8));
  row.max_attempts = static_cast<unsigned>(from.get<Sequence>(first + 9));
  row.status =
      schedule::stored_name("status", from.get<std::string_view>(first + 10), parse_event_status);
  row.properties = JsonObject::trusted(from.get<std::string>(first + 11));
  return row;
}

std::vector<core::Field> RowTraits<ScheduledEvent>::fields(ScheduledEvent& row) {
  using core::string_field;
  return {
      {"kind", [&](const auto& m) { row.kind = parse_event_kind(m.key, string_field(m)); }},
      {"payload",
       [&](const auto& m) {
         row.payload = core::object_field(m, core::Fields::set, row.payload);
       }},
      {"trigger_text", [&](const auto& m) { row.trigger_text = string_field(m); }},
      {"trigger_at", [&](const auto& m) { row.trigger_at = from_us(core::integer_field(m)); }},
      {"zone", [&](const auto& m) { row.zone = string_field(m); }},
      {"repeat", [&](const auto& m) { row.repeat = core::optional_string_field(m); }},
      {"anchor", [&](const auto& m) { row.anchor = core::optional_string_field(m); }},
      {"catch_up", [&](const auto& m) { row.catch_up = parse_catch_up(m.key, string_field(m)); }},
      {"grace",
       [&](const auto& m) { row.grace = std::chrono::microseconds(core::integer_field(m)); }},
      {"max_attempts", [&](const auto& m) { row.max_attempts = count_field(m); }},
      {"status", [&](const auto& m) { row.status = parse_event_status(m.key, string_field(m)); }},
      {"properties", [&](const auto& m) {
         row.properties = core::object_field(m, core::Fields::set, row.properties);
       }}};
}

void RowTraits<ScheduledEvent>::write_body(core::JsonWriter& out, const ScheduledEvent& row) {
  out.string("kind", to_string(row.kind))
      .raw("payload", row.payload.text())
      .string("trigger_text", row.trigger_text)
      .integer("trigger_at", to_us(row.trigger_at))
      .string("zone", row.zone);
  write_optional(out, "repeat", row.repeat);
  write_optional(out, "anchor", row.anchor);
  out.string("catch_up", to_string(row.catch_up))
      .integer("grace", row.grace.count())
      .unsigned_integer("max_attempts", row.max_attempts)
      .string("status", to_string(row.status))
      .raw("properties", row.properties.text());
}

}  // namespace holdfast::journal
