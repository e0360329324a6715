#include "plan_action.h"

#include <holdfast/core/error.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/core/mask.h>
#include <holdfast/storage/connection.h>

namespace holdfast::scheduler {
namespace {

std::optional<JsonMember> member(const JsonObject& object, std::string_view name) {
  for (JsonMember& found : object.members()) {
    if (found.key == name) return std::move(found);
  }
  return std::nullopt;
}

Note reminder_note(const ScheduledEvent& event, const Attempt& attempt) {
  Note note;
  note.id = {attempt.invocation};
  note.kind = "reminder";
  core::apply_fields(event.payload,
                     {{"text", [&](const auto& m) { note.content = core::string_field(m); }},
                      {"about", [&](const auto& m) {
                         note.about = core::optional_id_field<EntityId>(m);
                       }}});
  note.properties = JsonObject::trusted(core::JsonWriter()
                                            .string("event", to_string(event.id))
                                            .string("occurrence", to_string(attempt.occurrence))
                                            .integer("trigger_at", to_us(attempt.trigger_at))
                                            .finish());
  return note;
}

Plan plan_of(const Space& space, const ScheduledEvent& event, const Attempt& attempt) {
  if (event.kind == EventKind::remind) {
    Plan plan = space.plan();
    plan.create(reminder_note(event, attempt));
    return plan;
  }
  const auto plan = member(event.payload, "plan");
  return space.parse_plan(JsonObject::trusted(std::string(plan ? plan->value : "{}")));
}

std::string why_refused(const PlanResult& result) {
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    if (!result.steps[i].is_conflict) continue;
    return "the plan was refused: steps[" + std::to_string(i) +
           "]: " + std::string(to_string(result.steps[i].outcome));
  }
  return "the plan was refused";
}

Ending failed(std::string error, Ending::Again again) {
  return {.end = {.state = AttemptState::failed,
                  .effect = Effect::not_committed,
                  .error = core::mask_credentials(error)},
          .again = again};
}

}  // namespace

bool is_plan(const ScheduledEvent& event, bool has_reminder_handler) {
  if (event.kind == EventKind::remind) return !has_reminder_handler;
  return member(event.payload, "plan").has_value();
}

Ending apply_plan_of(storage::Transaction& transaction, const Space& space,
                     const ScheduledEvent& event, const Attempt& attempt,
                     const std::string& creator) {
  const journal::WriteContext context{.space = space.name(),
                                      .actor = creator,
                                      .request_id = to_string(attempt.invocation),
                                      .environment = space.access().environment,
                                      .registry = space.access().registry};
  storage::Savepoint effect(transaction);
  try {
    const Plan plan = plan_of(space, event, attempt);
    const PlanResult result =
        journal::in_space(transaction, context, [&](journal::Appender& appender) {
          return space.apply_in(appender, plan);
        });
    if (!result.applied()) {
      effect.undo();
      return failed(why_refused(result), Ending::Again::later);
    }
    effect.keep();
    return {};
  } catch (const InvalidArgument& error) {
    effect.undo();
    return failed(error.what(), Ending::Again::no);
  } catch (const Error& error) {
    // A full disk ends the whole transaction; a full space is this event's own affair.
    if (!transaction.connection().in_transaction()) throw;
    effect.undo();
    return failed(error.what(), Ending::Again::later);
  }
}

}  // namespace holdfast::scheduler
