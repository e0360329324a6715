#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <holdfast/journal/registry.h>

namespace holdfast {

/// Rows of one kind.
struct RowCounts {
  std::uint64_t live = 0;
  std::uint64_t deleted = 0;
};

namespace journal {

/// The rows of a space by their kind, the space's own left out. Counts them.
std::map<std::string, RowCounts> count_rows_of(storage::Transaction& transaction,
                                               const Registry& registry, std::string_view space);

/// What the space knows of itself without counting.
struct SpaceCounts {
  std::uint64_t rows = 0;        ///< but its own
  std::uint64_t body_bytes = 0;  ///< in its journal
  std::uint64_t projections = 0; ///< that are declared
};
SpaceCounts counts_of(storage::Transaction& transaction, std::string_view space);
/// The same of all live spaces together, and their number.
struct AllCounts : SpaceCounts {
  std::uint64_t spaces = 0;
};
AllCounts counts_of_all(storage::Transaction& transaction);
std::uint64_t count_requests(storage::Transaction& transaction, std::string_view space);
/// Rows in a table, of all spaces.
std::uint64_t rows_in(storage::Transaction& transaction, std::string_view table);

/// Hides a space from every call, before what is in it is removed. Throws NotFound when there is
/// none, hidden or not.
void hide_space(storage::Transaction& transaction, std::string_view space, Timestamp now);
/// Removes up to `limit` rows of one of the space's tables. Returns what it removed, under the
/// kind of row, "event" or "request", or "" for what is derived; nothing when no table has any.
struct Removed {
  std::string what;
  std::uint64_t count = 0;
};
Removed remove_some(storage::Transaction& transaction, const Registry& registry,
                    std::string_view space, std::size_t limit);
/// Removes the space's own row.
void forget_space(storage::Transaction& transaction, std::string_view space);

}  // namespace journal
}  // namespace holdfast
