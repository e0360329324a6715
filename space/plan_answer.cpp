#include <holdfast/core/error.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/journal/journal.h>

#include "answer.h"
#include "plan_run.h"

namespace holdfast {
namespace {

Sequence seq_of(const AnyRow& row) {
  struct Seq {
    Sequence operator()(std::monostate) const { return 0; }
    Sequence operator()(const Entity& entity) const { return entity.seq; }
    Sequence operator()(const Edge& edge) const { return edge.seq; }
    Sequence operator()(const Note& note) const { return note.seq; }
  };
  return std::visit(Seq{}, row);
}

AnyRow row_at(storage::Transaction& transaction, std::string_view space,
              const notes::NoteStore& notes, Sequence seq) {
  if (seq == 0) return std::monostate{};
  const auto event = journal::event_at(transaction, space, seq);
  if (!event) throw Corrupt("a stored answer names an event that is not there");
  if (!event->body) return std::monostate{};  // purged since; the rest of the answer stands
  if (event->kind == graph::EntityStore::kKind) {
    return graph::EntityStore::from_event(transaction, space, *event);
  }
  if (event->kind == graph::EdgeStore::kKind) {
    return graph::EdgeStore::from_event(transaction, space, *event);
  }
  return notes.from_event(transaction, space, *event);
}

}  // namespace

std::string kept_form(const PlanResult& result) {
  std::string steps = "[";
  for (const StepResult& step : result.steps) {
    steps += (steps.size() > 1 ? "," : "") +
             to_json(StoredAnswer{.outcome = step.outcome,
                                  .seq = step.seq,
                                  .row_seq = seq_of(step.current),
                                  .edges = step.edges,
                                  .handed_over = step.handed_over,
                                  .kept_out = step.kept_out});
  }
  return core::JsonWriter().raw("steps", steps + "]").finish();
}

PlanResult repeated(storage::Transaction& transaction, std::string_view space,
                    const notes::NoteStore& notes, const JsonObject& kept,
                    const std::string& request_id) {
  PlanResult result;
  result.outcome = PlanOutcome::applied;
  result.request_id = request_id;
  result.repeated = true;
  result.wrote_something = true;
  std::vector<JsonObject> steps;
  try {
    core::apply_fields(
        kept, {{"steps", [&](const JsonMember& m) { steps = core::object_list_field(m); }}});
  } catch (const InvalidArgument& error) {
    throw Corrupt(std::string("a stored answer cannot be read: ") + error.what());
  }
  for (const JsonObject& text : steps) {
    StoredAnswer answer = read_answer(text);
    StepResult step;
    step.outcome = answer.outcome;
    step.current = row_at(transaction, space, notes, answer.row_seq);
    step.seq = answer.seq;
    step.edges = std::move(answer.edges);
    step.handed_over = std::move(answer.handed_over);
    step.kept_out = std::move(answer.kept_out);
    result.steps.push_back(std::move(step));
  }
  return result;
}

}  // namespace holdfast
