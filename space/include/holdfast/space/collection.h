#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <holdfast/core/json_fields.h>
#include <holdfast/journal/event.h>
#include <holdfast/journal/write_result.h>
#include <holdfast/space/access.h>
#include <holdfast/space/edge_move.h>
#include <holdfast/space/write_options.h>
#include <holdfast/storage/page.h>

namespace holdfast {

struct UpdateOptions {
  /// Times that update() reads and tries again before it gives up with Conflict.
  unsigned attempts_max = 100;
  /// As WriteOptions::request_id.
  std::string request_id{};
  /// As WriteOptions::vectors, of the row as `change` leaves it.
  std::vector<GivenVectors> vectors{};
};

/// The rows of one kind in one space: what an agent reads and writes. Every write names what it
/// read and is refused, with the row as it now is, when that has moved.
///
/// `RowStore` is graph::EntityStore, graph::EdgeStore or notes::NoteStore.
/// Thread safety: any thread. Must not outlive the Store.
///
/// All calls throw InvalidArgument, Busy, Full, Unavailable, Corrupt and, for writes,
/// OutcomeUnknown. A write with a request id may throw Gone too; see WriteOptions.
template <class RowStore>
class Collection {
 public:
  using Row = typename RowStore::Row;
  using Filter = typename RowStore::Filter;
  using RowId = decltype(Row::id);

  Collection(Access access, RowStore store) : access_(std::move(access)), store_(store) {}

  /// Inserts a new row; a nil id is replaced by a fresh one, times and revision are set here.
  /// Outcomes: applied, exists, purged (the id was used before) and those of the store's rules.
  WriteResult<Row> insert_if_absent(Row row, const WriteOptions& options = {}) const;

  /// The primitive: `row` carries its new revision, `expected` what was read. Outcomes: applied,
  /// missing, revision_moved, deletion_changed, not_advanced, and those of the store's rules.
  WriteResult<Row> replace_if_unchanged(Row row, const Expected& expected,
                                        const WriteOptions& options = {}) const;
  /// The same with the new revision chosen here: next_revision(clock, expected).
  WriteResult<Row> replace(Row row, const Expected& expected,
                           const WriteOptions& options = {}) const;

  /// Reads the row, lets `change` edit a copy and writes it back under guard; when somebody else
  /// was faster, reads again and repeats, with growing random pauses. `change` may run many times
  /// and must not keep results of earlier runs; with a request id, the id of the row alone tells
  /// one request from another. Outcomes: applied, unchanged (it edited nothing), missing,
  /// deletion_changed (the row is deleted). Throws Conflict after `attempts_max`.
  WriteResult<Row> update(RowId id, const std::function<void(Row&)>& change,
                          const UpdateOptions& options = {}) const;
  /// Edits the row as it is now by a JSON merge patch (RFC 7396) over the fields a caller may
  /// change. Outcomes as update(), and with `expected` those of a stale replace.
  WriteResult<Row> patch(RowId id, const JsonObject& document,
                         const std::optional<Expected>& expected = {},
                         const WriteOptions& options = {}) const;

  /// Soft delete. Without `expected` whatever is there is deleted; `unchanged` when it is already.
  WriteResult<Row> remove(RowId id, const std::optional<Expected>& expected = {},
                          const WriteOptions& options = {}) const;
  WriteResult<Row> restore(RowId id, const std::optional<Expected>& expected = {},
                           const WriteOptions& options = {}) const;
  /// Removes a deleted row for good and blanks what the journal holds of it; an entity's edges go
  /// with it, its notes stay. That it was there, and when it changed, stays known. Outcomes:
  /// applied (without a row), missing, still_live, purged (it was before), and with `expected`
  /// those of a stale replace.
  WriteResult<Row> purge(RowId id, const std::optional<Expected>& expected = {},
                         const WriteOptions& options = {}) const;

  /// Of edges only; see Space::retarget_edge().
  WriteResult<Row> retarget(RowId id, const EdgeMove& to, const std::optional<Expected>& expected,
                            const WriteOptions& options) const
    requires std::is_same_v<Row, Edge>;

  /// Live or deleted.
  std::optional<Row> find(RowId id) const;
  /// Throws NotFound where find() answers nothing.
  Row get(RowId id) const;
  /// The row as it was when the space's journal had reached `seq`, or at that time; absent when it
  /// did not exist yet. Throws NotFound for a row that never was, InvalidArgument for a sequence
  /// that is still to come, Gone when the row was purged since.
  std::optional<Row> as_of(RowId id, Sequence seq) const;
  std::optional<Row> as_of(RowId id, Timestamp time) const;
  /// Throws NotFound when the filter names an entity that never was.
  Page<Row> list(const Filter& filter, const PageRequest& page = {}) const;
  std::uint64_t count(const Filter& filter) const;
  /// Oldest first. Throws NotFound for a row that never was.
  Page<Event> history(RowId id, const PageRequest& page = {}) const;

  static std::string to_json(const Row& row) { return RowStore::to_json(row); }

 private:
  template <class Write, class What>
  WriteResult<Row> write(const WriteOptions& options, Write write, What what) const;
  WriteResult<Row> replace_row(const Row& row, const Expected& expected,
                               const WriteOptions& options, std::string what) const;
  std::optional<WriteResult<Row>> kept_answer(const WriteOptions& options, RowId id) const;
  Row stored_form(Row row) const;

  Access access_;
  RowStore store_;
};

}  // namespace holdfast
