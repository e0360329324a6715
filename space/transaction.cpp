#include <holdfast/space/transaction.h>

#include <holdfast/core/error.h>
#include <holdfast/space/space.h>

#include "transaction_state.h"
#include "transaction_steps.h"

namespace holdfast {

Transaction::Transaction(const Space& space)
    : state_(std::make_unique<TransactionState>(space.access(), space.note_store())) {}
Transaction::~Transaction() = default;

const std::vector<PlanStep>& Transaction::read_set() const { return state_->reads.steps(); }
const Plan& Transaction::changes() const { return state_->changes; }

namespace {

template <class Row>
auto insert(TransactionState& state, PlanOp op, Row row) {
  if (row.id.uuid.is_nil()) row.id = {state.access.environment.ids.next()};
  const auto id = row.id;
  PlanStep step = step_of(op, id);
  step.row = std::move(row);
  state.change(std::move(step));
  return id;
}

}  // namespace

template <class Row>
auto Transaction::create(Row row) -> decltype(Row::id) {
  return insert(*state_, PlanOp::create, std::move(row));
}

template <class Row>
auto Transaction::insert_if_absent(Row row) -> decltype(Row::id) {
  return insert(*state_, PlanOp::insert_if_absent, std::move(row));
}

template <class Row>
void Transaction::replace(Row row) {
  PlanStep step = step_of(PlanOp::replace, row.id);
  if (!state_->is_own(step.kind, step.id)) {
    PlanStep read = read_as(row);
    step.expected = read.expected;
    state_->track(std::move(read));
  }
  step.row = std::move(row);
  state_->change(std::move(step));
}

template <class SomeId>
RowOf<SomeId> Transaction::update(SomeId id, const std::function<void(RowOf<SomeId>&)>& edit) {
  const auto row = get(id);
  if (row.deleted_at) {
    throw NotFound("live " + std::string(to_string(kind_of(id))), to_string(id));
  }
  auto edited = row;
  const std::size_t before = state_->changes.steps().size();
  edit(edited);
  const auto& steps = state_->changes.steps();
  for (std::size_t i = before; i < steps.size(); ++i) {
    if (steps[i].id != id.uuid) continue;
    throw InvalidArgument("id", to_string(id), "not be changed from within its own update");
  }
  if (edited.id != id) {
    throw InvalidArgument("id", to_string(edited.id), "stay: a row keeps its id for life");
  }
  edited.revision = row.revision;
  if (edited != row) replace(edited);
  return edited;
}

template <class SomeId>
void Transaction::patch(SomeId id, JsonObject document) {
  PlanStep step = step_of(PlanOp::patch, id);
  step.patch = std::move(document);
  state_->change(std::move(step));
}
template <class SomeId>
void Transaction::remove(SomeId id) {
  state_->change(step_of(PlanOp::remove, id));
}
template <class SomeId>
void Transaction::restore(SomeId id) {
  state_->change(step_of(PlanOp::restore, id));
}

void Transaction::retarget(EdgeId edge, EdgeMove to) {
  PlanStep step = step_of(PlanOp::retarget, edge);
  step.move = std::move(to);
  state_->change(std::move(step));
}

template EntityId Transaction::create(Entity);
template EntityId Transaction::insert_if_absent(Entity);
template void Transaction::replace(Entity);
template Entity Transaction::update(EntityId, const std::function<void(Entity&)>&);
template void Transaction::patch(EntityId, JsonObject);
template void Transaction::remove(EntityId);
template void Transaction::restore(EntityId);
template EdgeId Transaction::create(Edge);
template EdgeId Transaction::insert_if_absent(Edge);
template void Transaction::replace(Edge);
template Edge Transaction::update(EdgeId, const std::function<void(Edge&)>&);
template void Transaction::patch(EdgeId, JsonObject);
template void Transaction::remove(EdgeId);
template void Transaction::restore(EdgeId);
template NoteId Transaction::create(Note);
template NoteId Transaction::insert_if_absent(Note);
template void Transaction::replace(Note);
template Note Transaction::update(NoteId, const std::function<void(Note&)>&);
template void Transaction::patch(NoteId, JsonObject);
template void Transaction::remove(NoteId);
template void Transaction::restore(NoteId);

}  // namespace holdfast
