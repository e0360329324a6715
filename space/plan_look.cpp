#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/graph/key_store.h>
#include <holdfast/graph/neighbors.h>
#include <holdfast/storage/guard.h>

#include "changes.h"
#include "list_answer.h"
#include "plan_run.h"

/// What a plan rests on, compared with what is there: all of it before anything is written.
namespace holdfast {

using storage::holds;

bool is_expectation(PlanOp op) {
  switch (op) {
    case PlanOp::expect_unchanged:
    case PlanOp::expect_absent:
    case PlanOp::expect_neighborhood:
    case PlanOp::expect_key:
    case PlanOp::expect_list: return true;
    default: return false;
  }
}

void PlanRun::look() {
  for (std::size_t i = 0; i < plan_.steps().size(); ++i) {
    // An expectation is of what was there before the plan, so it rests on no other step. What none
    // says anything about is decided when it is written.
    result_.steps[i].outcome = look_at(i);
    if (result_.steps[i].outcome == Outcome::held && !is_expectation(plan_.steps()[i].op) &&
        rests_on_refused(i)) {
      result_.steps[i].outcome = Outcome::not_evaluated;
    }
    finish(i);
  }
}

Outcome PlanRun::look_at(std::size_t index) {
  const PlanStep& step = plan_.steps()[index];
  switch (step.op) {
    case PlanOp::expect_neighborhood: return look_at_neighborhood(index);
    case PlanOp::expect_key: return look_at_key(index);
    case PlanOp::expect_list: return look_at_list(index);
    case PlanOp::expect_unchanged: return look_at_row(index);
    case PlanOp::expect_absent: return step.key ? look_at_note_key(index) : look_at_row(index);
    default: return step.expected ? look_at_row(index) : Outcome::held;
  }
}

void PlanRun::require_past(std::size_t index, const char* field, Sequence seq) const {
  if (seq < appender_.next_seq()) return;
  throw InvalidArgument(
      "steps[" + std::to_string(index) + "] " + std::string(to_string(plan_.steps()[index].op)) +
          ": " + field,
      std::to_string(seq),
      "not be after the journal's end, " + std::to_string(appender_.next_seq() - 1));
}

Outcome PlanRun::look_at_neighborhood(std::size_t index) {
  const PlanStep& step = plan_.steps()[index];
  storage::Transaction& transaction = appender_.transaction();
  require_past(index, "seq", step.seq);
  const auto row = graph::EntityStore::find(transaction, appender_.space(), EntityId{step.id});
  if (!row) return Outcome::missing;
  const Sequence last = graph::neighborhood_seq(transaction, appender_.space(), EntityId{step.id});
  if (holds("plan.expect", "neighborhood", last <= step.seq)) return Outcome::held;
  result_.steps[index].current = *row;
  result_.steps[index].seq = last;
  return Outcome::neighborhood_moved;
}

Outcome PlanRun::look_at_note_key(std::size_t index) {
  const PlanStep& step = plan_.steps()[index];
  const auto holder = notes_.find_key(appender_.transaction(), appender_.space(), *step.key);
  if (holds("plan.expect", "key_absent", !holder)) return Outcome::held;
  result_.steps[index].current = *holder;
  return Outcome::key_taken;
}

Outcome PlanRun::look_at_key(std::size_t index) {
  const PlanStep& step = plan_.steps()[index];
  std::optional<Entity> found;
  bool is_declared = true;
  try {
    found = graph::KeyStore::find(appender_.transaction(), appender_.space(), *step.key,
                                  *step.value);
  } catch (const NotFound&) {
    is_declared = false;  // it was when it was read
  }
  const Uuid leads_to = found ? found->id.uuid : Uuid{};
  if (holds("plan.expect", "key", is_declared && leads_to == step.id)) return Outcome::held;
  if (found) result_.steps[index].current = *found;
  return Outcome::key_moved;
}

Outcome PlanRun::look_at_list(std::size_t index) {
  const PlanStep& step = plan_.steps()[index];
  const ListAnswer answer =
      answer_of(appender_.transaction(), appender_.space(), notes_, *step.list);
  const bool is_same = answer.digest() == step.digest;
  return holds("plan.expect", "list", is_same) ? Outcome::held : Outcome::list_moved;
}

namespace {

/// What of the row is not as it was read. `since` stands for what a reader saw at that sequence.
template <class Row>
Outcome moved(const PlanStep& step, const Row& row) {
  if (step.since) {
    return holds("plan.expect", "since", row.seq <= *step.since) ? Outcome::held
                                                                  : Outcome::revision_moved;
  }
  if (!holds("plan.expect", "deletion", row.deleted_at == step.expected->deleted_at)) {
    return Outcome::deletion_changed;
  }
  if (!holds("plan.expect", "revision", row.revision == step.expected->revision)) {
    return Outcome::revision_moved;
  }
  return Outcome::held;
}

bool tells_same(const Entity&, const PlanStep&) { return true; }
bool tells_same(const Edge&, const PlanStep&) { return true; }
bool tells_same(const Note& note, const PlanStep& step) {
  return !step.about_is_deleted || *step.about_is_deleted == note.about_is_deleted;
}

}  // namespace

Outcome PlanRun::look_at_row(std::size_t index) {
  const PlanStep& step = plan_.steps()[index];
  if (step.since) require_past(index, "since", *step.since);
  return with_store(step.kind, notes_, [&](const auto& store) {
    using Store = std::decay_t<decltype(store)>;
    const typename Changes<Store>::RowId id{step.id};
    const auto row = store.find(appender_.transaction(), appender_.space(), id);
    if (row) result_.steps[index].current = *row;
    Outcome outcome = Outcome::held;
    if (step.op == PlanOp::expect_absent) {
      if (!holds("plan.expect", "absent", !row)) outcome = Outcome::exists;
    } else if (!row) {
      if (!holds("plan.expect", "present", false)) outcome = Outcome::missing;
    } else {
      outcome = moved(step, *row);
      if (outcome == Outcome::held && !holds("plan.expect", "about", tells_same(*row, step))) {
        outcome = Outcome::deletion_changed;  // of what the note is about
      }
    }
    if (outcome == Outcome::held) result_.steps[index].current = std::monostate{};
    return outcome;
  });
}

}  // namespace holdfast
