#pragma once

#include <functional>
#include <optional>

#include <holdfast/core/error.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/journal/appender.h>
#include <holdfast/journal/write_result.h>

namespace holdfast {

/// What was read of a row, as a writer names it.
template <class Row>
Expected as_read(const Row& row) {
  return {.revision = row.revision, .deleted_at = row.deleted_at};
}

/// True when the caller means the row as it now is: by naming it so, or by naming nothing.
template <class Row>
bool names(const std::optional<Expected>& expected, const Row& row) {
  return !expected ||
         (expected->revision == row.revision && expected->deleted_at == row.deleted_at);
}

/// The changes of rows of one kind within a write transaction, as single writes and plans make
/// them: reads the row there, makes its next version and hands it to the store's guarded
/// primitive. Rows given are in stored form.
template <class RowStore>
class Changes {
 public:
  using Row = typename RowStore::Row;
  using RowId = decltype(Row::id);
  using Result = WriteResult<Row>;

  Changes(journal::Appender& appender, const RowStore& store)
      : appender_(appender), store_(store) {}

  /// `row` has its id.
  Result insert(Row row) const {
    row.created_at = appender_.now();
    row.revision = first_revision(row.created_at);
    row.deleted_at.reset();
    return store_.insert_if_absent(appender_, std::move(row));
  }

  Result replace(Row row, const Expected& expected) const {
    row.revision = next_revision(appender_.now(), expected.revision);
    return store_.replace_if_unchanged(appender_, std::move(row), expected);
  }

  /// `change` edits the row as it is now, which must be live.
  Result edit(RowId id, const std::optional<Expected>& expected,
              const std::function<void(Row&)>& change) const {
    const auto row = find(id);
    if (!row) return {};
    if (row->deleted_at) return answer(Outcome::deletion_changed, *row);
    Row edited = *row;
    change(edited);
    RowStore::normalise(edited);
    if (edited == *row && names(expected, *row)) return answer(Outcome::unchanged, *row);
    return replace(std::move(edited), expected.value_or(as_read(*row)));
  }
  Result patch(RowId id, const std::optional<Expected>& expected,
               const JsonObject& document) const {
    return edit(id, expected,
                [&](Row& row) { RowStore::apply(document, core::Fields::patch, row); });
  }

  Result remove(RowId id, const std::optional<Expected>& expected) const {
    const auto row = find(id);
    if (!row) return {};
    if (row->deleted_at && names(expected, *row)) return answer(Outcome::unchanged, *row);
    const Expected named = expected.value_or(as_read(*row));
    Row next = *row;
    next.revision = next_revision(appender_.now(), named.revision);
    next.deleted_at = appender_.now();
    return store_.remove(appender_, std::move(next), named);
  }

  Result restore(RowId id, const std::optional<Expected>& expected) const {
    const auto row = find(id);
    if (!row) return {};
    if (!row->deleted_at && names(expected, *row)) return answer(Outcome::unchanged, *row);
    const Expected named = expected.value_or(as_read(*row));
    Row next = *row;
    next.revision = next_revision(appender_.now(), named.revision);
    next.deleted_at.reset();
    return store_.restore(appender_, std::move(next), named);
  }

  Result purge(RowId id, const std::optional<Expected>& expected) const {
    const auto row = find(id);
    const Expected now = row ? as_read(*row) : Expected{};
    return store_.purge(appender_, id, expected.value_or(now));
  }

  /// `change` names another triple or validity.
  Result retarget(RowId id, const std::optional<Expected>& expected,
                  const std::function<void(Row&)>& change) const {
    const auto row = find(id);
    if (!row) return {};
    const Expected named = expected.value_or(as_read(*row));
    Row next = *row;
    change(next);
    RowStore::normalise(next);
    next.revision = next_revision(appender_.now(), named.revision);
    return store_.retarget(appender_, std::move(next), named);
  }

  std::optional<Row> find(RowId id) const {
    return store_.find(appender_.transaction(), appender_.space(), id);
  }

 private:
  static Result answer(Outcome outcome, const Row& current) {
    Result result;
    result.outcome = outcome;
    result.current = current;
    return result;
  }

  journal::Appender& appender_;
  const RowStore& store_;
};

}  // namespace holdfast
