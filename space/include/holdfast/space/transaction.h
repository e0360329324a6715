#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/error.h>
#include <holdfast/graph/edge.h>
#include <holdfast/graph/entity.h>
#include <holdfast/graph/key.h>
#include <holdfast/notes/note.h>
#include <holdfast/space/list_request.h>
#include <holdfast/space/plan.h>

namespace holdfast {

class Space;
class Transacting;
class TransactionState;

/// The row that an id names.
template <class SomeId>
struct RowNamedBy;
template <>
struct RowNamedBy<EntityId> {
  using Row = Entity;
};
template <>
struct RowNamedBy<EdgeId> {
  using Row = Edge;
};
template <>
struct RowNamedBy<NoteId> {
  using Row = Note;
};
template <class SomeId>
using RowOf = typename RowNamedBy<SomeId>::Row;

/// What a function sees of a space within Space::transact(): every read is remembered, every change
/// waits for the end. Reads answer as if the changes asked for so far had been made; revisions,
/// sequences and times of rows that it changed are only those of now. Each read is of the moment:
/// what two of them say of one row is the same, or the function is stopped and run again. At most
/// 10,000 reads and changes together; InvalidArgument("transaction") beyond that.
///
/// Rows are Entity, Edge and Note, ids theirs. All calls may throw an exception, of no type of the
/// standard's or this library's, that must pass through the function: its run is over.
/// Thread safety: none. Must not outlive its Space.
class Transaction {
 public:
  /// For the reads of a plan that somebody else makes: read_set() has its expectations.
  explicit Transaction(const Space& space);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// Live or deleted.
  template <class SomeId>
  std::optional<RowOf<SomeId>> find(SomeId id);
  /// Throws NotFound where find() answers nothing.
  template <class SomeId>
  RowOf<SomeId> get(SomeId id);
  /// The live note that has this key.
  std::optional<Note> find_note(std::string_view key);
  /// The live entity that a declared key leads to. Throws NotFound for a key that is not declared.
  std::optional<Entity> find_by_key(std::string_view key, const KeyValue& value);
  /// As Space::neighbors(). Rests on every edge at the entity, and on the other ends returned.
  Page<Neighbor> neighbors(EntityId entity, const NeighborFilter& filter = {},
                           const PageRequest& page = {});
  /// As Collection::list() and count(). What has expired is judged at the transaction's start.
  Page<Entity> list(const EntityFilter& filter, const PageRequest& page = {});
  Page<Edge> list(const EdgeFilter& filter, const PageRequest& page = {});
  Page<Note> list(const NoteFilter& filter, const PageRequest& page = {});
  std::uint64_t count(const EntityFilter& filter);
  std::uint64_t count(const EdgeFilter& filter);
  std::uint64_t count(const NoteFilter& filter);

  /// A nil id is replaced by a fresh one.
  template <class Row>
  auto create(Row row) -> decltype(Row::id);
  template <class Row>
  auto insert_if_absent(Row row) -> decltype(Row::id);
  /// Puts `row` in place of the one with its id, which must still have the row's revision, or be
  /// of this transaction's writing.
  template <class Row>
  void replace(Row row);
  /// Reads the row, lets `edit` change it and puts it back; returns it. Throws NotFound when no
  /// live row is there.
  template <class SomeId>
  RowOf<SomeId> update(SomeId id, const std::function<void(RowOf<SomeId>&)>& edit);
  /// These change whatever is there, and read nothing.
  template <class SomeId>
  void patch(SomeId id, JsonObject document);
  template <class SomeId>
  void remove(SomeId id);
  template <class SomeId>
  void restore(SomeId id);
  void retarget(EdgeId edge, EdgeMove to);

  /// The expectations that its reads of others' data come to, in the order they were read.
  const std::vector<PlanStep>& read_set() const;
  /// The changes asked for.
  const Plan& changes() const;

 private:
  friend class Transacting;
  std::unique_ptr<TransactionState> state_;
};

struct TransactOptions {
  /// Times that the function is run before transact() gives up with TransactConflict.
  unsigned attempts_max = 10;
  /// As WriteOptions::request_id.
  std::string request_id{};
};

/// Something a transaction had read that was no longer so.
struct MovedRead {
  std::string what;  ///< "expect_unchanged entity 0197...", with the list or key where it is one
  Outcome outcome = Outcome::revision_moved;
  AnyRow current{};  ///< the row in the way, where there is one
  /// What would have had to hold; absent for a read through the transaction's own changes.
  std::optional<PlanStep> expectation{};
};

/// Every attempt of a transaction met a conflict. Nothing was written.
class TransactConflict : public Conflict {
 public:
  TransactConflict(unsigned attempts, std::vector<MovedRead> moved);
  /// What had moved in the last attempt.
  const std::vector<MovedRead>& moved() const noexcept { return moved_; }

 private:
  std::vector<MovedRead> moved_;
};

}  // namespace holdfast
