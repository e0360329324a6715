#pragma once

// Thread safety: values and functions without state; any thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

struct PageRequest {
  std::size_t limit = 100;  ///< 1 to 10,000
  /// `Page::next` of the page before, with the same filter; empty for the first page.
  std::string cursor{};
};

/// One page of a list in a total order. Pages are stable under writes: a row that is there
/// throughout is seen exactly once.
template <class Item>
struct Page {
  std::vector<Item> items;
  std::optional<std::string> next;  ///< cursor of the next page; absent on the last
  std::uint64_t left_out = 0;       ///< matching rows after this page, counted up to 10,000
  bool left_out_is_minimum = false; ///< true when there are more than were counted
};

namespace storage {

inline constexpr std::uint64_t kLeftOutCountMax = 10'000;

/// A keyset cursor: the sort key of the last row seen, bound to the query it came from.
/// Reading throws InvalidArgument("cursor") for a text that is damaged or another query's.
std::string write_cursor(std::string_view query, const std::vector<std::string>& key);
std::vector<std::string> read_cursor(std::string_view query, std::string_view cursor,
                                     std::size_t key_parts);

}  // namespace storage
}  // namespace holdfast
