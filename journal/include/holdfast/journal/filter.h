#pragma once

// Thread safety: values and functions without state; any thread.

#include <optional>
#include <string_view>
#include <vector>

#include <holdfast/core/clock.h>
#include <holdfast/journal/property_filter.h>
#include <holdfast/storage/query.h>

namespace holdfast {

/// A half-open range of instants; an absent end is open.
struct TimeRange {
  std::optional<Timestamp> from{};  ///< inclusive
  std::optional<Timestamp> to{};    ///< exclusive
};

enum class Deleted { exclude, include, only };

/// What every list can be filtered by, besides its own fields. All of a filter must hold.
struct RowFilter {
  TimeRange created{};
  TimeRange changed{};  ///< by revision
  Deleted deleted = Deleted::exclude;
  std::vector<PropertyCondition> where{};  ///< up to 32; see journal/property_filter.h
};

namespace journal {

/// Adds the conditions of `filter` that SQL decides: all but `where`. Throws InvalidArgument for a
/// range that ends before it starts.
void apply_filter(storage::Query& query, const RowFilter& filter);

}  // namespace journal
}  // namespace holdfast
