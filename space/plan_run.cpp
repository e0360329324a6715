#include "plan_run.h"

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/storage/guard.h>

#include "changes.h"
#include "given.h"

namespace holdfast {
namespace {

bool is_fine(Outcome outcome, PlanOp op) {
  switch (outcome) {
    case Outcome::applied:
    case Outcome::absorbed:
    case Outcome::unchanged:
    case Outcome::held: return true;
    case Outcome::exists: return op == PlanOp::insert_if_absent;
    default: return false;
  }
}

/// The rows that a step names: its own, and the entities that it refers to.
std::vector<std::pair<RowKind, Uuid>> names_of(const PlanStep& step) {
  std::vector<std::pair<RowKind, Uuid>> named = {{step.kind, step.id}};
  const auto add = [&](EntityId id) { named.emplace_back(RowKind::entity, id.uuid); };
  if (const auto* const edge = std::get_if<Edge>(&step.row)) {
    add(edge->source);
    add(edge->target);
  }
  if (const auto* const note = std::get_if<Note>(&step.row)) {
    if (note->about) add(*note->about);
  }
  if (step.move.source) add(*step.move.source);
  if (step.move.target) add(*step.move.target);
  return named;
}

template <class Row>
StepResult step_result(WriteResult<Row> result) {
  StepResult step;
  step.outcome = result.outcome;
  step.seq = result.seq;
  if (result.current) step.current = std::move(*result.current);
  step.missing = std::move(result.missing);
  step.edges = std::move(result.edges);
  step.handed_over = std::move(result.handed_over);
  step.kept_out = std::move(result.kept_out);
  return step;
}

void keep_identity(Entity& row, const Entity& stored) { row.merged_into = stored.merged_into; }
void keep_identity(Note&, const Note&) {}
void keep_identity(Edge& row, const Edge& stored) {
  row.source = stored.source;
  row.relation = stored.relation;
  row.target = stored.target;
  row.valid_from = stored.valid_from;
}

/// Of the row's last change; 0 for no row.
Sequence seq_of(const AnyRow& row) {
  return std::visit(
      [](const auto& some) -> Sequence {
        if constexpr (std::is_same_v<std::decay_t<decltype(some)>, std::monostate>) return 0;
        else return some.seq;
      },
      row);
}

}  // namespace

PlanRun::PlanRun(journal::Appender& appender, const notes::NoteStore& notes, const Plan& plan,
                 const std::vector<OwnView>& views)
    : appender_(appender),
      notes_(notes),
      plan_(plan),
      views_(views),
      first_seq_(appender.next_seq()) {
  result_.steps.resize(plan.steps().size());
  result_.request_id = appender.request_id();
}

PlanResult PlanRun::run() {
  if (plan_.read_token()) {
    require_own(appender_.transaction(), appender_.space(), *plan_.read_token());
  }
  look();
  appender_.environment().faults.at("plan.between_look_and_write");
  write();
  result_.wrote_something = gave_vectors_ || appender_.next_seq() != first_seq_;
  const bool is_held = result_.conflicts() == 0 && moved_views_.empty();
  result_.outcome = is_held ? PlanOutcome::applied : PlanOutcome::refused;
  return std::move(result_);
}

bool PlanRun::rests_on_refused(std::size_t index) const {
  const auto named = names_of(plan_.steps()[index]);
  return std::any_of(named.begin(), named.end(), [&](const RowName& name) {
    const auto found = refused_.find(name);
    return found != refused_.end() && found->second < index;
  });
}

void PlanRun::finish(std::size_t index) {
  StepResult& step = result_.steps[index];
  const PlanStep& asked = plan_.steps()[index];
  step.is_conflict =
      step.outcome != Outcome::not_evaluated && !is_fine(step.outcome, asked.op);
  // A row in the way as an earlier step has left it will not be there: the plan is undone.
  if (step.is_conflict && seq_of(step.current) >= first_seq_) step.current = std::monostate{};
  if (!step.is_conflict && step.outcome != Outcome::not_evaluated) return;
  const auto [first, is_new] = refused_.try_emplace({asked.kind, asked.id}, index);
  if (!is_new) first->second = std::min(first->second, index);
}

void PlanRun::write() {
  for (std::size_t i = 0; i < plan_.steps().size(); ++i) {
    if (result_.steps[i].outcome != Outcome::held) continue;
    if (is_expectation(plan_.steps()[i].op)) continue;
    look_through(i);
    // What was asked for next rests on a view that is no longer so, and may be any nonsense.
    if (!moved_views_.empty()) return;
    write_step(i);
    finish(i);
  }
  look_through(plan_.steps().size());
}

void PlanRun::look_through(std::size_t changes) {
  for (; views_seen_ < views_.size() && views_[views_seen_].after <= changes; ++views_seen_) {
    if (result_.conflicts() > 0) continue;
    const OwnView& view = views_[views_seen_];
    const bool is_same = view.look(appender_.transaction(), written_) == view.digest;
    if (!storage::holds("plan.expect", "own_view", is_same)) moved_views_.push_back(views_seen_);
  }
}

void PlanRun::write_step(std::size_t index) {
  const PlanStep& step = plan_.steps()[index];
  if (rests_on_refused(index)) {
    result_.steps[index].outcome = Outcome::not_evaluated;
    return;
  }
  try {
    result_.steps[index] = with_store(
        step.kind, notes_, [&](const auto& store) { return this->change(store, step); });
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("steps[" + std::to_string(index) + "] " +
                              std::string(to_string(step.op)) + ": " + error.field(),
                          error.value(), error.rule());
  }
  const StepResult& made = result_.steps[index];
  if (made.seq != 0) written_.insert(step.id);
  for (const auto* edges : {&made.edges, &made.handed_over}) {
    for (const EdgeId edge : *edges) written_.insert(edge.uuid);
  }
  appender_.environment().faults.at("plan.after_step");
}

template <class Store>
StepResult PlanRun::change(const Store& store, const PlanStep& step) {
  using Row = typename Store::Row;
  const Changes<Store> changes(appender_, store);
  const typename Changes<Store>::RowId id{step.id};
  // What an earlier step wrote is no longer as it was read, and looked at it was already.
  const auto expected = written_.contains(step.id) ? std::nullopt : step.expected;
  const auto end = [&](WriteResult<Row> result) {
    give_vectors<Store>(appender_, step.vectors, result);
    gave_vectors_ = gave_vectors_ || result.gave_vectors;
    return step_result(std::move(result));
  };
  switch (step.op) {
    case PlanOp::create:
    case PlanOp::insert_if_absent: return end(changes.insert(std::get<Row>(step.row)));
    case PlanOp::patch: return end(changes.patch(id, expected, step.patch));
    case PlanOp::remove: return end(changes.remove(id, expected));
    case PlanOp::restore: return end(changes.restore(id, expected));
    case PlanOp::retarget:
      if constexpr (std::is_same_v<Row, Edge>) {
        return end(
            changes.retarget(id, expected, [&](Edge& edge) { step.move.apply(edge); }));
      }
      break;
    case PlanOp::replace: {
      const auto stored = changes.find(id);
      if (!stored) return {};
      Row row = std::get<Row>(step.row);
      keep_identity(row, *stored);
      row.created_at = stored->created_at;
      row.deleted_at = stored->deleted_at;
      Store::normalise(row);
      return end(changes.replace(std::move(row), expected.value_or(as_read(*stored))));
    }
    default: break;
  }
  throw std::logic_error("not a change");
}

}  // namespace holdfast
