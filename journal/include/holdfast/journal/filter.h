#pragma once

#include <optional>
#include <string_view>

#include <holdfast/core/clock.h>
#include <holdfast/storage/query.h>

namespace holdfast {

/// A half-open range of instants; an absent end is open.
struct TimeRange {
  std::optional<Timestamp> from;  ///< inclusive
  std::optional<Timestamp> to;    ///< exclusive
};

enum class Deleted { exclude, include, only };

/// What every list can be filtered by, besides its own fields.
struct RowFilter {
  TimeRange created;
  TimeRange changed;  ///< by revision
  Deleted deleted = Deleted::exclude;
};

namespace journal {

/// Adds the conditions of `filter`. Throws InvalidArgument for a range that ends before it starts.
void apply_filter(storage::Query& query, const RowFilter& filter);

}  // namespace journal
}  // namespace holdfast
