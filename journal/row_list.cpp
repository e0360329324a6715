#include <holdfast/journal/row_list.h>

#include <holdfast/core/error.h>

namespace holdfast::journal {
namespace {

void apply_range(storage::Query& query, std::string_view field, std::string_view column,
                 const TimeRange& range) {
  if (range.from && range.to && *range.to < *range.from) {
    throw InvalidArgument(std::string(field), to_rfc3339(*range.to),
                          "not end before it starts, at " + to_rfc3339(*range.from));
  }
  if (range.from) query.where(std::string(column) + " >= $", *range.from);
  if (range.to) query.where(std::string(column) + " < $", *range.to);
}

}  // namespace

void apply_filter(storage::Query& query, const RowFilter& filter) {
  apply_range(query, "created", "created_at", filter.created);
  apply_range(query, "changed", "revision", filter.changed);
  if (filter.deleted == Deleted::exclude) query.where("deleted_at IS NULL");
  if (filter.deleted == Deleted::only) query.where("deleted_at IS NOT NULL");
}

std::uint64_t count_rows(storage::Transaction& transaction, const storage::Query& query) {
  auto count = transaction.prepare(query.sql());
  query.bind(count);
  return count.step() ? count.get<Sequence>(0) : 0;
}

void count_left_out(storage::Transaction& transaction, storage::Query query,
                    std::uint64_t& left_out, bool& is_minimum) {
  query.append(" LIMIT $", storage::kLeftOutCountMax + 1);
  const std::string sql = "SELECT count(*) FROM (" + query.sql() + ") AS more";
  auto count = transaction.prepare(sql);
  query.bind(count);
  left_out = count.step() ? count.get<Sequence>(0) : 0;
  is_minimum = left_out > storage::kLeftOutCountMax;
  if (is_minimum) left_out = storage::kLeftOutCountMax;
}

}  // namespace holdfast::journal
