#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <cstdint>
#include <functional>
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

/// Conditions on tags and properties, which our own code decides on the rows that SQL has found.
class RowConditions {
 public:
  /// Throws InvalidArgument: tags obey core::check_tags(), `where` PropertyFilter. No tags in
  /// `tags_any` or in `tags_all` are no condition.
  explicit RowConditions(const RowFilter& filter, const std::vector<std::string>& tags_any = {},
                         const std::vector<std::string>& tags_all = {});

  bool empty() const noexcept;
  /// Where a row that was selected has what is judged.
  struct Columns {
    int properties;
    int tags;  ///< not read unless there is a condition on tags
  };
  bool hold(const storage::Row& row, const Columns& columns) const;
  /// Equal for the same conditions in the same order, and for no others; empty without any.
  std::string fingerprint() const;

 private:
  bool tags_hold(std::string_view stored) const;

  std::vector<std::string> tags_any_;
  std::vector<std::string> tags_all_;
  PropertyFilter where_;
};

/// A list's filter: what it adds to a query over its table, and what is asked of the rows that the
/// query finds.
struct Filtered {
  std::function<storage::Query(storage::Query)> query;
  RowConditions conditions;
};

/// A list's filter that is asked of rows one by one, or for the ids of all that pass. What
/// `filtered` refers to must outlive it.
/// Thread safety: any number of calls at once.
class RowMatcher {
 public:
  RowMatcher(const TableSpec& spec, Filtered filtered);
  bool matches(storage::Transaction& transaction, const Uuid& id) const;
  /// In the order of their ids; a visit that answers false is the last.
  void for_each(storage::Transaction& transaction,
                const std::function<bool(const Uuid& id)>& visit) const;

 private:
  std::string select_;
  Filtered filtered_;
};

/// The number of rows that pass. Rows are read one by one when there are conditions.
std::uint64_t count_rows(storage::Transaction& transaction, const TableSpec& spec,
                         const Filtered& filtered);
/// Counts on, up to kLeftOutCountMax, and says in `page` whether there were more.
void count_left_out(storage::Transaction& transaction, storage::Query query,
                    std::uint64_t& left_out, bool& is_minimum);
/// The same for rows that pass among those that `select` has still to read; `left_out` is the
/// number of those that it has read already.
void count_left_out(storage::Statement& select, const RowConditions& conditions,
                    const RowConditions::Columns& columns, std::uint64_t& left_out,
                    bool& is_minimum);
/// Where RowSql::select reads them.
RowConditions::Columns judged_columns(const TableSpec& spec);

/// One page of rows in the order of (`sort_column`, id), or of id alone when it is empty.
/// `sort_key` reads the sort column from a row. With conditions the rows are read in that order
/// until the page is full and the matches after it are counted, so a page costs as many reads as
/// there are rows up to the 10,001st match after it.
template <class Row>
Page<Row> list_page(storage::Transaction& transaction, const Filtered& filtered,
                    const PageRequest& request, std::string_view sort_column,
                    std::string (*sort_key)(const Row&)) {
  core::check_limit("limit", request.limit);
  const bool sorted = !sort_column.empty();
  const bool in_sql = filtered.conditions.empty();
  // The place comes before the filter's conditions: of two lower bounds of one column, a prefix's
  // and this one, SQLite enters the index at the first.
  const auto after = [&](std::string select, const std::vector<std::string>& key) {
    const Uuid id = parse_uuid("cursor", key.front());
    storage::Query query(std::move(select));
    if (!sorted) return filtered.query(std::move(query.where("id > $", id)));
    return filtered.query(std::move(
        query.where("(" + std::string(sort_column) + ", id) > ($, $)", key.back(), id)));
  };

  storage::Query query = filtered.query(storage::Query(RowTable<Row>::select()));
  const std::string tag = query.fingerprint() + filtered.conditions.fingerprint();
  if (!request.cursor.empty()) {
    query = after(RowTable<Row>::select(),
                  storage::read_cursor(tag, request.cursor, sorted ? 2 : 1));
  }
  query.append(" ORDER BY " + (sorted ? std::string(sort_column) + ", id" : std::string("id")));
  if (in_sql) query.append(" LIMIT $", request.limit + 1);

  Page<Row> page;
  auto select = transaction.prepare(query.sql());
  query.bind(select);
  const auto columns = judged_columns(RowTraits<Row>::spec);
  while (page.items.size() <= request.limit && select.step()) {
    if (!in_sql && !filtered.conditions.hold(select.row(), columns)) continue;
    page.items.push_back(RowTable<Row>::read(select.row()));
  }
  if (page.items.size() <= request.limit) return page;

  page.items.pop_back();
  const Row& last = page.items.back();
  std::vector<std::string> key = {to_string(last.id)};
  if (sorted) key.push_back(sort_key(last));
  page.next = storage::write_cursor(tag, key);
  if (in_sql) {
    const auto rest = "SELECT 1 FROM " + std::string(RowTraits<Row>::spec.table);
    count_left_out(transaction, after(rest, key), page.left_out, page.left_out_is_minimum);
  } else {
    page.left_out = 1;
    count_left_out(select, filtered.conditions, columns, page.left_out, page.left_out_is_minimum);
  }
  return page;
}

}  // namespace holdfast::journal
