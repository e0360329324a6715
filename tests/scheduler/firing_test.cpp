#include "support.h"

using namespace holdfast;
using namespace holdfast::test;

TEST_CASE("an event that is due fires once, and a second drain finds nothing", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1min));
  f.pass(1min);
  const auto first = f.drain();
  CHECK((first.scanned == 1 && first.claimed == 1 && first.fired == 1 && first.finalized == 1));
  const auto fired = f.now_is(event);
  CHECK(fired.status == EventStatus::fired);
  const auto second = f.drain();
  CHECK((second.scanned == 0 && second.fired == 0));
  CHECK(f.now_is(event) == fired);
  CHECK(f.calls_of(event) == 1);
}

TEST_CASE("an event of the future does not fire", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1min));
  f.pass(1min - 1us);
  CHECK(f.drain().scanned == 0);
  f.pass(1us);
  CHECK(f.drain().fired == 1);
  CHECK(f.calls_of(event) == 1);
}

TEST_CASE("triggers are compared as instants, not as texts", "[scheduler]") {
  SchedulerScene f;
  f.pass(1h);  // 01:00 UTC
  const auto due = f.act("2026-01-01T04:59:00+04:00");
  const auto later = f.act("2025-12-31T18:00:00-08:00");
  CHECK(f.drain().fired == 1);
  CHECK((f.calls_of(due) == 1 && f.calls_of(later) == 0));
}

TEST_CASE("relaxed forms of a trigger fire, and repeat in their own form", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act("2026-01-01 05:00:00+0400", "daily");
  f.pass(1h);
  CHECK(f.drain().re_armed == 1);
  CHECK(f.now_is(event).trigger_text == "2026-01-02 05:00:00+0400");
}

TEST_CASE("a reminder leaves one note in its space, on behalf of its creator", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.remind(after_start(1s), "call Ada");
  f.pass(1s);
  CHECK(f.drain().fired == 1);
  REQUIRE(f.reminders().size() == 1);
  const Note note = f.reminders().front();
  CHECK(note.content == "call Ada");
  const auto history = f.store.space->notes().history(note.id).items;
  CHECK(history.front().actor == f.store.space->access().actor);
  CHECK(f.last(event).state == AttemptState::succeeded);
  CHECK(f.drain().scanned == 0);
  CHECK(f.reminders().size() == 1);
}

TEST_CASE("a plan lands in the transaction that finishes its event", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.plan(after_start(1s), "made at one");
  f.pass(1s);
  const auto tail = f.store.space->tail().seq;
  CHECK(f.drain().fired == 1);
  const auto events = f.store.space->tail(tail, 10);
  REQUIRE(events.size() == 2);
  CHECK((events[0].kind == "entity" && events[1].kind == "scheduled_event"));
  CHECK(events[0].request_id == to_string(f.last(event).invocation));
  CHECK(events[1].op == "fire");
}

TEST_CASE("a backlog of more than a page is drained in one pass", "[scheduler]") {
  SchedulerScene f;
  for (int i = 0; i < 201; ++i) (void)f.act(after_start(1s));
  f.pass(1s);
  CHECK(f.drain().fired == 201);
  CHECK(f.all_calls() == 201);
}

TEST_CASE("spaces are drained apart, each event by its own space's handler call", "[scheduler]") {
  SchedulerScene f;
  const Space other = f.store.store->create_space("other", "bob");
  (void)f.act(after_start(1s));
  (void)other.events().insert_if_absent(action_at(after_start(1s)));
  f.pass(1s);
  std::map<std::string, std::string> seen;
  f.body = [&](const Firing& firing) {
    seen[std::string(firing.space)] = firing.actor;
    return ActionResult::ok();
  };
  f.options.spaces = {"other"};
  CHECK(f.drain().fired == 1);
  CHECK(seen == std::map<std::string, std::string>{{"other", "bob"}});
  f.options.spaces = {};
  CHECK(f.drain().fired == 1);
  CHECK(seen.size() == 2);
}

TEST_CASE("an action that this worker has no handler for is left to others", "[scheduler]") {
  SchedulerScene f;
  auto event = action_at(after_start(1s));
  event.payload = JsonObject::parse("payload", R"({"action":"elsewhere"})");
  event = f.add(event);
  f.pass(1s);
  const auto report = f.drain();
  CHECK((report.unhandled == 1 && report.claimed == 0));
  CHECK(f.now_is(event) == event);
}

TEST_CASE("what an event's properties hold changes nothing and stays", "[scheduler]") {
  SchedulerScene f;
  auto event = action_at(after_start(1s), "daily");
  event.properties = JsonObject::parse(
      "properties",
      R"({"status":"fired","lease":{"owner":"x"},"created_by_actor":"root","n":1.0})");
  event = f.add(event);
  f.pass(1s);
  std::string actor;
  f.body = [&](const Firing& firing) {
    actor = firing.actor;
    return ActionResult::ok();
  };
  CHECK(f.drain().re_armed == 1);
  CHECK(f.now_is(event).properties == event.properties);
  CHECK(actor == f.store.space->access().actor);
}

TEST_CASE("verify knows all that the scheduler writes", "[scheduler]") {
  SchedulerScene f;
  const auto fired = f.act(after_start(1s));
  const auto armed = f.act(after_start(1s), "every:1h");
  auto late = action_at(after_start(0s));
  late.catch_up = CatchUp::none;
  late.grace = 0us;
  const auto missed = f.add(late);
  const auto failed = f.act(after_start(1s));
  f.body = [&](const Firing& firing) {
    return firing.event.id == failed.id ? ActionResult::failed(Effect::committed, "halfway")
                                        : ActionResult::ok();
  };
  f.pass(1s);
  (void)f.drain();
  CHECK(f.now_is(fired).status == EventStatus::fired);
  CHECK(f.now_is(armed).trigger_at > armed.trigger_at);
  CHECK(f.now_is(missed).status == EventStatus::missed);
  CHECK(f.now_is(failed).status == EventStatus::failed);
  CHECK(broken_checks(*f.store.store).empty());
}

TEST_CASE("a reminder about an entity that is gone is left all the same", "[scheduler]") {
  SchedulerScene f;
  const EntityId about = f.store.add_entity("Ada").id;
  ScheduledEvent event;
  event.payload = JsonObject::parse(
      "payload", R"({"text":"call","about":")" + to_string(about) + R"("})");
  event.trigger_text = after_start(1s);
  event = f.add(event);
  (void)written(f.store.space->entities().remove(about));
  f.pass(1s);
  CHECK(f.drain().fired == 1);
  REQUIRE(f.reminders().size() == 1);
  CHECK_FALSE(f.reminders()[0].about.has_value());
  CHECK_THAT(f.reminders()[0].properties.text(),
             Catch::Matchers::ContainsSubstring(to_string(about)));
}

TEST_CASE("a drain that is asked to stop gives back what it had not begun", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  f.pass(1s);
  std::stop_source stop;
  f.once_at("scheduler.claim", [&] { stop.request_stop(); });
  CHECK(f.worker()->drain_once(stop.get_token()).handed_back == 1);
  CHECK(f.calls_of(event) == 0);
  CHECK(f.drain().fired == 1);
}
