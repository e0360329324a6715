#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <holdfast/core/input.h>
#include <holdfast/journal/filter.h>
#include <holdfast/journal/row_table.h>
#include <holdfast/storage/page.h>
#include <holdfast/storage/query.h>

namespace holdfast::journal {

/// The number that a "SELECT count(*)" query answers.
std::uint64_t count_rows(storage::Transaction& transaction, const storage::Query& query);
/// Counts on, up to kLeftOutCountMax, and says in `page` whether there were more.
void count_left_out(storage::Transaction& transaction, storage::Query query,
                    std::uint64_t& left_out, bool& is_minimum);

/// A list's filter as a query over its table; `select` is what it reads.
using Filtered = std::function<storage::Query(std::string select)>;

/// One page of rows in the order of (`sort_column`, id), or of id alone when it is empty.
/// `sort_key` reads the sort column from a row.
template <class Row>
Page<Row> list_page(storage::Transaction& transaction, const Filtered& filtered,
                    const PageRequest& request, std::string_view sort_column,
                    std::string (*sort_key)(const Row&)) {
  core::check_limit("limit", request.limit);
  const bool sorted = !sort_column.empty();
  const auto from = " FROM " + std::string(RowTraits<Row>::spec.table);
  const auto after = [&](storage::Query query, const std::vector<std::string>& key) {
    const Uuid id = parse_uuid("cursor", key.front());
    if (!sorted) return std::move(query.where("id > $", id));
    return std::move(
        query.where("(" + std::string(sort_column) + ", id) > ($, $)", key.back(), id));
  };

  storage::Query query = filtered(RowTable<Row>::select());
  const std::string tag = query.fingerprint();
  if (!request.cursor.empty()) {
    query = after(std::move(query), storage::read_cursor(tag, request.cursor, sorted ? 2 : 1));
  }
  query.append(sorted ? " ORDER BY " + std::string(sort_column) + ", id LIMIT $"
                      : std::string(" ORDER BY id LIMIT $"),
               request.limit + 1);

  Page<Row> page;
  auto select = transaction.prepare(query.sql());
  query.bind(select);
  while (select.step()) page.items.push_back(RowTable<Row>::read(select.row()));
  if (page.items.size() <= request.limit) return page;

  page.items.pop_back();
  const Row& last = page.items.back();
  std::vector<std::string> key = {to_string(last.id)};
  if (sorted) key.push_back(sort_key(last));
  page.next = storage::write_cursor(tag, key);
  count_left_out(transaction, after(filtered("SELECT 1" + from), key), page.left_out,
                 page.left_out_is_minimum);
  return page;
}

}  // namespace holdfast::journal
