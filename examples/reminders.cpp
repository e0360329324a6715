// An agent asks to be reminded, changes its mind while the reminder is on its way, has a plan
// applied at a time, and an action tried again that failed at first. Time stands still here, and
// is moved on by hand.
#include <iostream>

#include <holdfast/core/clock.h>
#include <holdfast/scheduler/scheduler.h>

using namespace holdfast;
using namespace std::chrono_literals;

namespace {

ScheduledEvent action(const char* payload, const char* when) {
  ScheduledEvent event;
  event.kind = EventKind::action;
  event.payload = JsonObject::parse("payload", payload);
  event.trigger_text = when;
  event.zone = "Europe/Zurich";
  return event;
}

}  // namespace

int main(int, char** arguments) {
  core::ManualClock clock(parse_timestamp("now", "2026-03-28T08:00:00Z"));
  const auto ids = core::make_uuid_v7_source(clock);
  core::Random random(1);
  core::Faults faults;
  core::Environment environment{.clock = clock, .ids = *ids, .random = random, .faults = faults};
  StoreOptions options;
  options.database.path = arguments[1];
  options.environment = &environment;
  const auto store = Store::open(options);
  const Space space = store->create_space("default", "agent");

  int calls = 0;
  Handlers handlers;
  handlers.actions["call"] = {.call = [&](const Firing& firing) {
    std::cout << "calling, on behalf of " << firing.actor << ", attempt "
              << firing.attempt.number << '\n';
    // While the call is made, the agent moves the event on: that stands, whatever the call does.
    if (++calls == 2) {
      const auto later = JsonObject::parse("patch", R"({"trigger_at":"2026-03-30T18:00"})");
      (void)space.events().patch(firing.event.id, later);
    }
    return calls == 1 ? ActionResult::failed(Effect::not_committed, "the line is busy")
                      : ActionResult::ok();
  }};
  Scheduler scheduler(*store, handlers, {.threads = 1});

  ScheduledEvent reminder;
  reminder.payload = JsonObject::parse("payload", R"({"text":"call Ada"})");
  reminder.trigger_text = "2026-03-29T02:30";  // skipped by the clocks of that night
  reminder.zone = "Europe/Zurich";
  reminder.repeat = "daily";
  reminder = *space.events().insert_if_absent(reminder).current;
  std::cout << "reminder at " << to_rfc3339(reminder.trigger_at) << '\n';

  const ScheduledEvent plan = *space.events()
                                   .insert_if_absent(action(
                                       R"({"plan":{"steps":[{"op":"create","kind":"entity",)"
                                       R"("row":{"kind":"report","name":"of Sunday"}}]}})",
                                       "2026-03-29T12:00"))
                                   .current;
  const ScheduledEvent call =
      *space.events().insert_if_absent(action(R"({"action":"call"})", "2026-03-29T12:00")).current;

  clock.set(parse_timestamp("now", "2026-03-29T10:00:00Z"));
  const DrainReport noon = scheduler.drain_once();
  std::cout << "noon: " << noon.fired << " fired, " << noon.retry << " to be tried again\n";
  for (const Note& note : space.notes().list({}).items) {
    std::cout << "note: " << note.kind << ", " << note.content << '\n';
  }
  std::cout << "entities: " << space.entities().count({}) << ", the plan's event is "
            << to_string(space.events().get(plan.id).status) << '\n';
  std::cout << "next reminder: " << space.events().get(reminder.id).trigger_text << '\n';

  clock.advance(2s);
  const DrainReport again = scheduler.drain_once();
  std::cout << "two seconds later: " << again.fired << " fired, " << again.re_armed
            << " armed again by the scheduler\n";
  std::cout << "the call is armed for " << space.events().get(call.id).trigger_text << '\n';
}
