#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <holdfast/notes/note_store.h>
#include <holdfast/space/access.h>
#include <holdfast/space/plan.h>

#include "read_set.h"

namespace holdfast {

/// Ends a run of a transaction's function: what it has seen is no longer so, or its own changes
/// cannot be made. Not a std::exception, so that a handler for errors does not take it for one.
struct RunOver {};

/// What a Transaction has read and wants to change.
class TransactionState {
 public:
  TransactionState(const Access& access, const notes::NoteStore& notes);

  enum class End {
    none,
    contradiction,  ///< two reads disagree: run again
    own_change,     ///< one of its own changes was refused while a read looked through them
  };

  const Access& access;
  const notes::NoteStore& notes;
  const Timestamp started_at;
  Plan changes;
  ReadSet reads;
  std::vector<OwnView> views;
  End end = End::none;
  std::optional<PlanStep> contradiction{};  ///< the later of the reads that disagree

  /// Throws RunOver once the run is over; InvalidArgument beyond the limit.
  void require_going() const;
  [[noreturn]] void stop(End why);
  void track(PlanStep read);
  /// Adds a change. The limit is that of all reads and changes.
  void change(PlanStep step);

  /// Reads at one instant, before any own change: `look` gets a transaction.
  void read_plain(const std::function<void(storage::Transaction&)>& look) const;
  /// Reads through the own changes so far, and remembers that it did: `look` answers with a digest.
  void read_through(std::string what,
                    std::function<std::string(storage::Transaction&, const std::set<Uuid>&)> look);

  /// Whether own changes may show in what a read of this kind answers; errs on the side of yes.
  bool may_show(RowKind kind) const;
  /// The same for one row.
  bool may_show(RowKind kind, const Uuid& id) const;
  /// Whether a change of this transaction is of that row, or was seen to take it along.
  bool is_own(RowKind kind, const Uuid& id) const {
    return changed_.contains({kind, id}) || taken_along_.contains(id);
  }

 private:
  std::set<std::pair<RowKind, Uuid>> changed_;
  std::set<Uuid> taken_along_;
  std::set<RowKind> changed_kinds_;
  bool takes_along_ = false;  ///< a change of an entity may change edges, or what notes tell of it
};

}  // namespace holdfast
