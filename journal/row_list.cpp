#include <holdfast/journal/row_list.h>

#include <algorithm>

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

constexpr int kColumnsBefore = 5;  // RowSql::select reads id, created_at, ... before the columns

int index_of(const TableSpec& spec, std::string_view column) {
  const auto at = std::find(spec.columns.begin(), spec.columns.end(), column);
  return at == spec.columns.end() ? -1 : static_cast<int>(at - spec.columns.begin());
}

/// Counting stops one past the most that is told.
void cut_left_out(std::uint64_t& left_out, bool& is_minimum) {
  is_minimum = left_out > storage::kLeftOutCountMax;
  if (is_minimum) left_out = storage::kLeftOutCountMax;
}

bool contains(const std::vector<std::string>& tags, const std::string& tag) {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

/// With lengths, so that no tag can pass for two.
std::string fingerprint_of(std::string_view field, const std::vector<std::string>& tags) {
  if (tags.empty()) return "";
  std::string text = "\n" + std::string(field);
  for (const std::string& tag : tags) text += " " + std::to_string(tag.size()) + ":" + tag;
  return text;
}

}  // namespace

void apply_filter(storage::Query& query, const RowFilter& filter) {
  apply_range(query, "created", "created_at", filter.created);
  apply_range(query, "changed", "revision", filter.changed);
  if (filter.deleted == Deleted::exclude) query.where("deleted_at IS NULL");
  if (filter.deleted == Deleted::only) query.where("deleted_at IS NOT NULL");
}

RowConditions::RowConditions(const RowFilter& filter, const std::vector<std::string>& tags_any,
                             const std::vector<std::string>& tags_all)
    : tags_any_(core::check_tags("tags_any", tags_any)),
      tags_all_(core::check_tags("tags_all", tags_all)),
      where_("where", filter.where) {}

bool RowConditions::empty() const noexcept {
  return tags_any_.empty() && tags_all_.empty() && where_.empty();
}

bool RowConditions::hold(const storage::Row& row, const Columns& columns) const {
  const bool on_tags = !tags_any_.empty() || !tags_all_.empty();
  if (on_tags && !tags_hold(row.get<std::string_view>(columns.tags))) return false;
  return where_.empty() || where_.matches(row.get<std::string_view>(columns.properties));
}

bool RowConditions::tags_hold(std::string_view stored) const {
  const auto tags = core::tags_from_json(stored);
  const auto has = [&](const std::string& tag) { return contains(tags, tag); };
  return (tags_any_.empty() || std::any_of(tags_any_.begin(), tags_any_.end(), has)) &&
         std::all_of(tags_all_.begin(), tags_all_.end(), has);
}

std::string RowConditions::fingerprint() const {
  return fingerprint_of("tags_any", tags_any_) + fingerprint_of("tags_all", tags_all_) +
         where_.fingerprint();
}

RowConditions::Columns judged_columns(const TableSpec& spec) {
  return {.properties = kColumnsBefore + index_of(spec, "properties"),
          .tags = kColumnsBefore + index_of(spec, "tags")};
}

namespace {

constexpr RowConditions::Columns kBehindId{.properties = 1, .tags = 2};

}  // namespace

RowMatcher::RowMatcher(const TableSpec& spec, Filtered filtered)
    : select_("SELECT id"), filtered_(std::move(filtered)) {
  if (!filtered_.conditions.empty()) {
    select_ += index_of(spec, "tags") < 0 ? ", properties" : ", properties, tags";
  }
  select_ += " FROM " + std::string(spec.table);
}

bool RowMatcher::matches(storage::Transaction& transaction, const Uuid& id) const {
  const auto query = filtered_.query(std::move(storage::Query(select_).where("id = $", id)));
  auto select = transaction.prepare(query.sql());
  query.bind(select);
  if (!select.step()) return false;
  return filtered_.conditions.empty() || filtered_.conditions.hold(select.row(), kBehindId);
}

void RowMatcher::for_each(storage::Transaction& transaction,
                          const std::function<bool(const Uuid& id)>& visit) const {
  auto query = filtered_.query(storage::Query(select_));
  query.append(" ORDER BY id");
  auto select = transaction.prepare(query.sql());
  query.bind(select);
  const bool in_sql = filtered_.conditions.empty();
  while (select.step()) {
    if (!in_sql && !filtered_.conditions.hold(select.row(), kBehindId)) continue;
    if (!visit(select.get<Uuid>(0))) return;
  }
}

std::uint64_t count_rows(storage::Transaction& transaction, const TableSpec& spec,
                         const Filtered& filtered) {
  const bool in_sql = filtered.conditions.empty();
  std::string columns = "count(*)";
  if (!in_sql) columns = index_of(spec, "tags") < 0 ? "properties" : "properties, tags";
  const auto query = filtered.query(
      storage::Query("SELECT " + columns + " FROM " + std::string(spec.table)));
  auto select = transaction.prepare(query.sql());
  query.bind(select);
  if (in_sql) return select.step() ? select.get<Sequence>(0) : 0;
  std::uint64_t count = 0;
  while (select.step()) {
    if (filtered.conditions.hold(select.row(), {.properties = 0, .tags = 1})) ++count;
  }
  return count;
}

void count_left_out(storage::Transaction& transaction, storage::Query query,
                    std::uint64_t& left_out, bool& is_minimum) {
  query.append(" LIMIT $", storage::kLeftOutCountMax + 1);
  const std::string sql = "SELECT count(*) FROM (" + query.sql() + ") AS more";
  auto count = transaction.prepare(sql);
  query.bind(count);
  left_out = count.step() ? count.get<Sequence>(0) : 0;
  cut_left_out(left_out, is_minimum);
}

void count_left_out(storage::Statement& select, const RowConditions& conditions,
                    const RowConditions::Columns& columns, std::uint64_t& left_out,
                    bool& is_minimum) {
  while (left_out <= storage::kLeftOutCountMax && select.step()) {
    if (conditions.hold(select.row(), columns)) ++left_out;
  }
  cut_left_out(left_out, is_minimum);
}

}  // namespace holdfast::journal
