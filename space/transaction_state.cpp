#include "transaction_state.h"

#include <holdfast/core/error.h>
#include <holdfast/core/limits.h>

#include "plan_run.h"
#include "reading.h"
#include "writing.h"

namespace holdfast {

TransactionState::TransactionState(const Access& given, const notes::NoteStore& note_store)
    : access(given),
      notes(note_store),
      started_at(given.environment.clock.now()),
      changes(given.environment.ids) {}

void TransactionState::require_going() const {
  if (end != End::none) throw RunOver{};
  const std::size_t items = reads.steps().size() + views.size() + changes.steps().size();
  if (items < core::kPlanStepsMax) return;
  throw InvalidArgument("transaction", std::to_string(items + 1) + " reads and changes",
                        "have at most " + std::to_string(core::kPlanStepsMax));
}

void TransactionState::stop(End why) {
  end = why;
  throw RunOver{};
}

void TransactionState::track(PlanStep read) {
  require_going();
  if (reads.add(read)) return;
  contradiction = std::move(read);
  stop(End::contradiction);
}

void TransactionState::change(PlanStep step) {
  require_going();
  const RowKind kind = step.kind;
  const PlanOp op = step.op;
  const Uuid id = step.id;
  if (taken_along_.contains(id)) changes.count_as_written(id);
  changes.add(std::move(step));
  changed_kinds_.insert(kind);
  changed_.emplace(kind, id);
  const bool keeps_others = op == PlanOp::create || op == PlanOp::insert_if_absent ||
                            op == PlanOp::replace || op == PlanOp::patch;
  if (kind == RowKind::entity && !keeps_others) takes_along_ = true;
}

bool TransactionState::may_show(RowKind kind) const {
  if (changed_kinds_.contains(kind)) return true;
  return kind != RowKind::entity && takes_along_;
}

bool TransactionState::may_show(RowKind kind, const Uuid& id) const {
  if (is_own(kind, id)) return true;
  return kind != RowKind::entity && takes_along_;
}

void TransactionState::read_plain(const std::function<void(storage::Transaction&)>& look) const {
  const Reading reading(access);
  look(reading.transaction());
}

void TransactionState::read_through(
    std::string what,
    std::function<std::string(storage::Transaction&, const std::set<Uuid>&)> look) {
  const auto context = write_context(access);
  std::string digest;
  bool is_refused = false;
  access.database.writer().submit(
      [&](storage::Transaction& transaction) {
        journal::in_space(transaction, context, [&](journal::Appender& appender) {
          PlanRun run(appender, notes, changes);
          is_refused = !run.run().applied();
          if (is_refused) return false;
          taken_along_ = run.written();
          digest = look(transaction, taken_along_);
          return true;
        });
        return storage::Verdict::undo;
      },
      context.request_id);
  if (is_refused) stop(End::own_change);
  views.push_back({.after = changes.steps().size(),
                   .what = std::move(what),
                   .look = std::move(look),
                   .digest = std::move(digest)});
}

}  // namespace holdfast
