#include <holdfast/journal/space_settings.h>

#include <limits>

#include <holdfast/core/error.h>
#include <holdfast/core/json_fields.h>

namespace holdfast {
namespace {

std::optional<std::uint64_t> limit_field(const JsonMember& member) {
  if (member.value == "null") return std::nullopt;
  const std::int64_t limit = core::integer_field(member);
  if (limit < 0) throw InvalidArgument(member.key, std::to_string(limit), "be 0 or more, or null");
  return static_cast<std::uint64_t>(limit);
}

std::chrono::seconds retention_field(const JsonMember& member) {
  constexpr std::int64_t kLongest = 10LL * 366 * 24 * 3600;
  if (member.value == "null") return SpaceSettings{}.request_retention;
  const std::int64_t seconds = core::integer_field(member);
  if (seconds < 1 || seconds > kLongest) {
    throw InvalidArgument(member.key, std::to_string(seconds), "be 1 second to ten years");
  }
  return std::chrono::seconds(seconds);
}

RelationPolicy policy_field(const JsonMember& member) {
  if (member.value == "null") return RelationPolicy::open;
  const std::string name = core::string_field(member);
  if (name == "open") return RelationPolicy::open;
  if (name == "declared") return RelationPolicy::declared;
  throw InvalidArgument(member.key, name, "be open or declared");
}

/// A limit that SQL's integers can hold.
void check_limit(std::string_view field, const std::optional<std::uint64_t>& limit) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!limit || *limit <= kMost) return;
  throw InvalidArgument(std::string(field), std::to_string(*limit), "be at most 2^63 - 1");
}

}  // namespace

std::string_view to_string(RelationPolicy policy) {
  return policy == RelationPolicy::open ? "open" : "declared";
}

SpaceSettings read_settings(const JsonObject& settings) {
  SpaceSettings read;
  if (settings.text() == "{}") return read;  // most spaces, asked at every write
  core::apply_fields(
      settings,
      {{"relations", [&](const JsonMember& m) { read.relations = policy_field(m); }},
       {"rows_max", [&](const JsonMember& m) { read.rows_max = limit_field(m); }},
       {"bytes_max", [&](const JsonMember& m) { read.bytes_max = limit_field(m); }},
       {"request_retention_s",
        [&](const JsonMember& m) { read.request_retention = retention_field(m); }}});
  return read;
}

JsonObject to_json(const SpaceSettings& settings) {
  check_limit("rows_max", settings.rows_max);
  check_limit("bytes_max", settings.bytes_max);
  const SpaceSettings defaults;
  core::JsonWriter out;
  if (settings.relations != defaults.relations) {
    out.string("relations", to_string(settings.relations));
  }
  if (settings.rows_max) out.unsigned_integer("rows_max", *settings.rows_max);
  if (settings.bytes_max) out.unsigned_integer("bytes_max", *settings.bytes_max);
  if (settings.request_retention != defaults.request_retention) {
    out.integer("request_retention_s", settings.request_retention.count());
  }
  return JsonObject::parse("settings", out.finish());
}

}  // namespace holdfast
