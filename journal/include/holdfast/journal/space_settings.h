#pragma once

// Thread safety: values and functions without state; any thread.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <holdfast/core/json_text.h>

namespace holdfast {

/// Whether a space takes any relation or only declared ones.
enum class RelationPolicy { open, declared };
std::string_view to_string(RelationPolicy policy);

/// What a space is set to; stored with it, so that every process obeys the same.
struct SpaceSettings {
  RelationPolicy relations = RelationPolicy::open;
  /// Entities, edges, notes and relations, deleted ones included, until they are purged; absent:
  /// no limit.
  std::optional<std::uint64_t> rows_max{};
  /// Bytes of text in the journal, every version of every row; absent: no limit. Deleting and
  /// purging stay possible in a full space.
  std::optional<std::uint64_t> bytes_max{};
  /// How long the answers of requests with a caller's own id are kept.
  std::chrono::seconds request_retention = std::chrono::hours(7 * 24);
  bool operator==(const SpaceSettings&) const = default;
};

/// Reads "relations", "rows_max", "bytes_max" and "request_retention_s"; what is absent or null has
/// its default. Throws InvalidArgument naming the member for another member or value.
SpaceSettings read_settings(const JsonObject& settings);
/// The settings as they are stored: those that are not at their default, in that order.
JsonObject to_json(const SpaceSettings& settings);

}  // namespace holdfast
