#include <algorithm>
#include <set>

#include "support/model.h"

namespace holdfast::test {
namespace {

template <class Row>
Expected as_read(const Row& row) {
  return {.revision = row.revision, .deleted_at = row.deleted_at};
}

bool is_fine(Outcome outcome, PlanOp op) {
  return outcome == Outcome::applied || outcome == Outcome::absorbed ||
         outcome == Outcome::unchanged || outcome == Outcome::held ||
         (outcome == Outcome::exists && op == PlanOp::insert_if_absent);
}

using Name = std::pair<RowKind, Uuid>;

/// Every row that the step names.
std::set<Name> named(const PlanStep& step) {
  std::set<Name> names = {{step.kind, step.id}};
  const auto add = [&](EntityId id) { names.emplace(RowKind::entity, id.uuid); };
  if (const auto* edge = std::get_if<Edge>(&step.row)) {
    add(edge->source);
    add(edge->target);
  }
  if (const auto* note = std::get_if<Note>(&step.row); note != nullptr && note->about) {
    add(*note->about);
  }
  if (step.move.source) add(*step.move.source);
  if (step.move.target) add(*step.move.target);
  return names;
}

bool is_expectation(PlanOp op) {
  return op == PlanOp::expect_absent || op == PlanOp::expect_unchanged ||
         op == PlanOp::expect_neighborhood;
}

}  // namespace

WriteResult<Edge> ModelStore::retarget(EdgeId id, const EdgeMove& to,
                                  const std::optional<Expected>& expected) {
  const auto current = find<Edge>(id);
  if (!current) return answer<Edge>(Outcome::missing, current);
  if (current->deleted_at) return answer<Edge>(Outcome::deletion_changed, current);
  const Expected read = expected.value_or(as_read(*current));
  if (read.deleted_at) return answer<Edge>(Outcome::deletion_changed, current);
  if (read.revision != current->revision) return answer<Edge>(Outcome::revision_moved, current);
  Edge edge = *current;
  to.apply(edge);
  if (is_symmetric(edge.relation) && edge.target < edge.source) std::swap(edge.source, edge.target);
  edge.revision = next(current->revision);
  if (const auto in_the_way = obstacle(edge, Write::insert)) {
    if (in_the_way->outcome != Outcome::key_taken) {
      return answer<Edge>(in_the_way->outcome, in_the_way->current);
    }
    Edge gone = *current;
    gone.revision = edge.revision;
    gone.deleted_at = clock_.now();
    store(gone, "absorb");
    return answer<Edge>(Outcome::absorbed, in_the_way->current);
  }
  if (edge.source == current->source && edge.relation == current->relation &&
      edge.target == current->target && edge.valid_from == current->valid_from &&
      edge.valid_to == current->valid_to) {
    return answer<Edge>(Outcome::unchanged, current);
  }
  const Sequence seq = store(edge, "retarget");
  state_.hoods[current->source] = seq;
  state_.hoods[current->target] = seq;
  return answer<Edge>(Outcome::applied, edge);
}

template <class Row>
Outcome ModelStore::look(const PlanStep& step) const {
  const auto row = find<Row>(IdOf<Row>{step.id});
  if (step.op == PlanOp::expect_absent) return row ? Outcome::exists : Outcome::held;
  if (!step.expected) return Outcome::held;
  if (!row) return Outcome::missing;
  if (row->deleted_at != step.expected->deleted_at) return Outcome::deletion_changed;
  return row->revision == step.expected->revision ? Outcome::held : Outcome::revision_moved;
}

Outcome ModelStore::look(const PlanStep& step) const {
  if (step.op == PlanOp::expect_neighborhood) {
    if (!find<Entity>(EntityId{step.id})) return Outcome::missing;
    return neighborhood_seq(EntityId{step.id}) <= step.seq ? Outcome::held
                                                           : Outcome::neighborhood_moved;
  }
  if (step.key) return find_note(*step.key) ? Outcome::key_taken : Outcome::held;
  switch (step.kind) {
    case RowKind::entity: return look<Entity>(step);
    case RowKind::edge: return look<Edge>(step);
    case RowKind::note: return look<Note>(step);
  }
  return Outcome::held;
}

template <class Row>
Outcome ModelStore::make(const PlanStep& step) {
  const IdOf<Row> id{step.id};
  switch (step.op) {
    case PlanOp::create:
    case PlanOp::insert_if_absent: return insert_if_absent(std::get<Row>(step.row)).outcome;
    case PlanOp::remove: return remove<Row>(id, std::nullopt).outcome;
    case PlanOp::restore: return restore<Row>(id, std::nullopt).outcome;
    case PlanOp::patch:
      return update<Row>(id, [&](Row& row) {
               const std::string inner(step.patch.members().front().value);
               row.properties =
                   merge_patch("properties", row.properties, JsonObject::trusted(inner));
             }).outcome;
    case PlanOp::replace: {
      const auto current = find<Row>(id);
      if (!current) return Outcome::missing;
      Row row = std::get<Row>(step.row);
      row.created_at = current->created_at;
      row.deleted_at = current->deleted_at;
      return replace(row, as_read(*current)).outcome;
    }
    default:
      if constexpr (std::is_same_v<Row, Edge>) {
        return retarget(id, step.move, std::nullopt).outcome;
      }
      return Outcome::missing;
  }
}

std::vector<Outcome> ModelStore::apply(const std::vector<PlanStep>& steps) {
  const State before = state_;
  std::vector<Outcome> outcomes;
  std::map<Name, std::size_t> refused;  // the first step for each row
  bool is_refused = false;
  const auto rests_on_refused = [&](std::size_t index) {
    const auto names = named(steps[index]);
    return std::any_of(names.begin(), names.end(), [&](const Name& name) {
      return refused.contains(name) && refused.at(name) < index;
    });
  };
  const auto judge = [&](std::size_t index, Outcome outcome) {
    const PlanStep& step = steps[index];
    if (is_fine(outcome, step.op)) return outcome;
    is_refused = true;
    const auto first = refused.try_emplace({step.kind, step.id}, index).first;
    first->second = std::min(first->second, index);
    return outcome;
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Outcome outcome = look(steps[i]);
    const bool is_change = !is_expectation(steps[i].op);
    if (outcome == Outcome::held && is_change && rests_on_refused(i)) {
      outcome = Outcome::not_evaluated;
    }
    outcomes.push_back(judge(i, outcome));
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const PlanStep& step = steps[i];
    if (outcomes[i] != Outcome::held || is_expectation(step.op)) continue;
    Outcome outcome = Outcome::not_evaluated;
    if (!rests_on_refused(i)) {
      outcome = step.kind == RowKind::entity ? make<Entity>(step)
                : step.kind == RowKind::edge ? make<Edge>(step)
                                             : make<Note>(step);
    }
    outcomes[i] = judge(i, outcome);
  }
  if (!is_refused) return outcomes;
  state_ = before;
  std::replace(outcomes.begin(), outcomes.end(), Outcome::applied, Outcome::held);
  return outcomes;
}

}  // namespace holdfast::test
