#include <holdfast/journal/row_sql.h>

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/storage/guard.h>

namespace holdfast::journal {
namespace {

std::string parameter(int number) { return "$" + std::to_string(number); }

int parameter_of(const TableSpec& spec, std::string_view column) {
  for (std::size_t i = 0; i < spec.columns.size(); ++i) {
    if (spec.columns[i] == column) return 7 + static_cast<int>(i);
  }
  throw std::logic_error("no column " + std::string(column));
}

bool is_one_of(const std::vector<std::string_view>& names, std::string_view column) {
  return std::find(names.begin(), names.end(), column) != names.end();
}

enum class Identity { kept, moves };

/// Every condition that a replace must meet.
std::string replace_guard(const TableSpec& spec, Identity identity) {
  const std::string revision = "revision = " + parameter(spec.parameters() + 1);
  const std::string deletion =
      "deleted_at IS NOT DISTINCT FROM " + parameter(spec.parameters() + 2);
  std::vector<std::string> fixed;
  for (const auto column : spec.fixed) {
    fixed.push_back(std::string(column) + " = " + parameter(parameter_of(spec, column)));
  }
  std::vector<storage::Conjunct> conjuncts = {
      {"space", "space = $1"},  {"id", "id = $2"},
      {"revision", revision},   {"deletion", deletion},
      {"advance", "revision < $4"}, {"created_at", "created_at = $3"},
  };
  if (identity == Identity::moves) {
    return storage::guard_sql(std::string(spec.kind) + ".retarget", conjuncts);
  }
  for (std::size_t i = 0; i < fixed.size(); ++i) conjuncts.push_back({spec.fixed[i], fixed[i]});
  return storage::guard_sql(std::string(spec.kind) + ".replace", conjuncts);
}

std::string insert_sql(const TableSpec& spec) {
  std::string names = "space, id, created_at, revision, deleted_at, seq";
  std::string values = "$1, $2, $3, $4, $5, $6";
  for (const auto column : spec.columns) {
    names += ", " + std::string(column);
    values += ", " + parameter(parameter_of(spec, column));
  }
  return "INSERT INTO " + std::string(spec.table) + " (" + names + ") VALUES (" + values +
         ") ON CONFLICT DO NOTHING";
}

std::string replace_sql(const TableSpec& spec, Identity identity) {
  std::string set = "revision = $4, deleted_at = $5, seq = $6";
  for (const auto column : spec.columns) {
    if (identity == Identity::kept && is_one_of(spec.fixed, column)) continue;
    set += ", " + std::string(column) + " = " + parameter(parameter_of(spec, column));
  }
  return "UPDATE " + std::string(spec.table) + " SET " + set + " WHERE " +
         replace_guard(spec, identity);
}

std::string replace_in_place_sql(const TableSpec& spec) {
  std::string set = "revision = $4, seq = $6";
  std::string same = " AND deleted_at IS NOT DISTINCT FROM $5";
  for (const auto column : spec.columns) {
    if (is_one_of(spec.fixed, column)) continue;
    const std::string value = parameter(parameter_of(spec, column));
    if (is_one_of(spec.indexed, column)) {
      same += " AND " + std::string(column) + " IS NOT DISTINCT FROM " + value;
    } else {
      set += ", " + std::string(column) + " = " + value;
    }
  }
  return "UPDATE " + std::string(spec.table) + " SET " + set + " WHERE " +
         replace_guard(spec, Identity::kept) + same;
}

}  // namespace

RowSql::RowSql(const TableSpec& spec) {
  const std::string from = " FROM " + std::string(spec.table);
  select = "SELECT id, created_at, revision, deleted_at, seq";
  for (const auto column : spec.columns) select += ", " + std::string(column);
  select += from;
  find = select + " WHERE space = $1 AND id = $2";
  mark = "SELECT seq, deleted_at" + from + " WHERE space = $1 AND id = $2";
  walk = select + " WHERE space = $1 ORDER BY id";
  page = select + " WHERE space = $1 AND id > $2 ORDER BY id LIMIT $3";
  insert = insert_sql(spec);
  replace = replace_sql(spec, Identity::kept);
  replace_in_place = replace_in_place_sql(spec);
  forget = "DELETE" + from + " WHERE space = $1 AND id = $2";
}

std::string move_sql(const TableSpec& spec) { return replace_sql(spec, Identity::moves); }

std::string erase_sql(const TableSpec& spec) {
  const std::vector<storage::Conjunct> conjuncts = {
      {"space", "space = $1"},
      {"id", "id = $2"},
      {"revision", "revision = $3"},
      {"deletion", "deleted_at IS NOT DISTINCT FROM $4"},
      {"dead", "deleted_at IS NOT NULL"},
  };
  return "DELETE FROM " + std::string(spec.table) + " WHERE " +
         storage::guard_sql(std::string(spec.kind) + ".purge", conjuncts);
}

Outcome refusal(const Expected& current, const Expected& expected, Revision wanted) {
  // Deletion first: it says more than the revision, which a deletion moves too.
  if (current.deleted_at != expected.deleted_at) return Outcome::deletion_changed;
  if (current.revision != expected.revision) return Outcome::revision_moved;
  if (wanted <= current.revision) return Outcome::not_advanced;
  return Outcome::applied;
}

void refuse_moved_identity(std::string_view kind, const std::string& id,
                           const std::vector<std::string_view>& fixed) {
  std::string fields = "created_at";
  for (const auto column : fixed) fields += ", " + std::string(column);
  throw InvalidArgument(std::string(kind), id,
                        "keep its " + fields + ": this does not change them");
}

}  // namespace holdfast::journal
