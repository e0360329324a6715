#pragma once

// Thread safety: any thread; nothing here has state of its own.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/journal/write_result.h>

namespace holdfast::journal {

/// The shape of a table of journaled rows, besides space, id, created_at, revision, deleted_at and
/// seq, which all of them have.
struct TableSpec {
  std::string_view kind;   ///< of the events; frozen
  std::string_view table;
  std::vector<std::string_view> columns;
  /// Columns that a replace never changes; naming another value is an error.
  std::vector<std::string_view> fixed;
  /// Columns besides these that an index of the table holds.
  std::vector<std::string_view> indexed;

  /// Parameters that hold one row: $1 space, $2 id, $3 created_at, $4 revision, $5 deleted_at,
  /// $6 seq, then the columns.
  int parameters() const { return 6 + static_cast<int>(columns.size()); }
};

/// The statements of one table. They read id, created_at, revision, deleted_at, seq and then the
/// columns.
struct RowSql {
  explicit RowSql(const TableSpec& spec);
  std::string select;
  std::string find;
  std::string mark;
  std::string walk;
  std::string page;  ///< of `walk`: $1, behind the id $2, up to $3 rows
  std::string insert;
  std::string replace;  ///< under the guard; two parameters more: expected revision and mark
  /// `replace` for a row whose indexed columns and deletion mark stay as they are: it leaves the
  /// pages of those indexes alone, where an UPDATE that names a column rewrites its entries.
  std::string replace_in_place;
  std::string forget;  ///< an insert of this transaction that must not stay: $1, $2
};

/// Not of every table, so that no table has a guard that nothing is written under.
/// `replace` that sets the fixed columns too, under the guard "<kind>.retarget".
std::string move_sql(const TableSpec& spec);
/// A delete under the guard "<kind>.purge": $1, $2, expected revision, mark.
std::string erase_sql(const TableSpec& spec);

/// Which condition of the replace guard fails; `applied` when none of those it knows does.
Outcome refusal(const Expected& current, const Expected& expected, Revision wanted);
/// The guard refused although the row is as expected: the caller changed created_at or one of the
/// `fixed` columns. Throws InvalidArgument.
[[noreturn]] void refuse_moved_identity(std::string_view kind, const std::string& id,
                                        const std::vector<std::string_view>& fixed);

}  // namespace holdfast::journal
