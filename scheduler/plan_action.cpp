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

/// An entity that is gone must not keep the reminder about it from being left.
bool is_live(storage::Transaction& transaction, const Space& space, EntityId entity) {
  const auto mark =
      space.access().registry.probe(transaction, space.name(), "entity", entity.uuid);
  return mark && mark->is_live();
}

Note reminder_note(storage::Transaction& transaction, const Space& space,
                   const ScheduledEvent& event, const Attempt& attempt) {
  Note note;
  note.id = {attempt.invocation};
  note.kind = "reminder";
  core::apply_fields(event.payload,
                     {{"text", [&](const auto& m) { note.content = core::string_field(m); }},
                      {"about", [&](const auto& m) {
                         note.about = core::optional_id_field<EntityId>(m);
                       }}});
  core::JsonWriter properties;
  properties.string("event", to_string(event.id))
      .string("occurrence", to_string(attempt.occurrence))
      .integer("trigger_at", to_us(attempt.trigger_at))
      .unsigned_integer("passed_over", attempt.passed_over);
  if (note.about && !is_live(transaction, space, *note.about)) {
    properties.string("about", to_string(*note.about));
    note.about.reset();
  }
  note.properties = JsonObject::trusted(properties.finish());
  return note;
}

Plan plan_of(storage::Transaction& transaction, const Space& space, const ScheduledEvent& event,
             const Attempt& attempt) {
  if (event.kind == EventKind::remind) {
    Plan plan = space.plan();
    plan.create(reminder_note(transaction, space, event, attempt));
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
    const Plan plan = plan_of(transaction, space, event, attempt);
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
