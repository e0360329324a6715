#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

JsonObject object(const std::string& text) {
  return JsonObject::parse("object", text);
}

ScheduledEvent event_with(EventKind kind, const std::string& payload) {
  ScheduledEvent event;
  event.kind = kind;
  event.payload = object(payload);
  event.trigger_text = "2030-01-01T09:00:00Z";
  return event;
}

/// Fresh, with a trigger, a zone and a repeat; each may be empty.
ScheduledEvent timed(const std::string& trigger, const std::string& zone = "",
                     const std::string& repeat = "") {
  ScheduledEvent event = event_with(EventKind::remind, R"({"text":"look"})");
  event.trigger_text = trigger;
  event.zone = zone;
  if (!repeat.empty()) event.repeat = repeat;
  return event;
}

ScheduledEvent added(const TestStore& store, const ScheduledEvent& event) {
  return written(store.space->events().insert_if_absent(event));
}

std::string refusal(const TestStore& store, const ScheduledEvent& event) {
  return refusal_of([&] { (void)store.space->events().insert_if_absent(event); });
}

std::string payload_refusal(EventKind kind, const std::string& payload) {
  TestStore store;
  return refusal(store, event_with(kind, payload));
}

ScheduledEvent patched(const TestStore& store, const ScheduledEvent& event,
                       const std::string& document) {
  return written(store.space->events().patch(event.id, object(document)));
}

/// As the scheduler leaves an event.
ScheduledEvent with_status(const TestStore& store, ScheduledEvent event, EventStatus status) {
  const Expected read = as_read(event);
  event.status = status;
  ++event.revision.us;
  WriteResult<ScheduledEvent> result;
  store.space->write([&](journal::Appender& appender) {
    result = schedule::EventStore::replace_exported(appender, event, read);
  });
  return written(result);
}

/// A daily event whose trigger has moved on from its anchor, as after it has fired.
ScheduledEvent moved_on(const TestStore& store) {
  const auto event = added(store, timed("2030-01-31 09:00", "Europe/Zurich", "monthly"));
  return written(store.space->events().update(
      event.id, [](ScheduledEvent& edited) { edited.trigger_text = "2030-02-28 09:00:00"; }));
}

}  // namespace

TEST_CASE("a reminder has a text that is not empty, and may be about an entity", "[event]") {
  const auto refused = [](const std::string& payload) {
    return payload_refusal(EventKind::remind, payload);
  };
  CHECK(refused(R"({"text":"a","about":"019b76da-a800-7769-b382-d1e77ae6459a"})") == "not refused");
  CHECK(refused("{}") == R"(payload: have a "text" that is not empty)");
  CHECK(refused(R"({"text":""})") == R"(payload: have a "text" that is not empty)");
  CHECK(refused(R"({"text":1})") == "text: be a string");
  CHECK(refused(R"({"text":"a","about":"Ann"})").starts_with("about: "));
  CHECK(refused(R"({"text":"a","txet":"b"})").starts_with("txet: not be given"));
}

TEST_CASE("an action has either a handler's name, with any input, or a plan", "[event]") {
  const auto refused = [](const std::string& payload) {
    return payload_refusal(EventKind::action, payload);
  };
  const std::string either = R"(payload: have either an "action", a handler's name, or a "plan")";
  CHECK(refused(R"({"action":"mail"})") == "not refused");
  CHECK(refused(R"({"action":"mail","input":[1,{"a":null}]})") == "not refused");
  CHECK(refused(R"({"plan":{"steps":[]}})") == "not refused");
  CHECK(refused("{}") == either);
  CHECK(refused(R"({"action":"mail","plan":{"steps":[]}})") == either);
  CHECK(refused(R"({"input":1})") == either);
  CHECK(refused(R"({"plan":{"steps":[]},"input":1})") ==
        R"(payload: have no "input" beside a "plan")");
  CHECK(refused(R"({"action":""})").starts_with("payload.action: "));
  CHECK(refused(R"({"action":"mail","text":"a"})").starts_with("text: not be given"));
  CHECK(refused(R"({"text":"a"})").starts_with("text: not be given"));
}

TEST_CASE("a plan is judged when its event is written, and when it is edited", "[event]") {
  TestStore store;
  const auto wrong = event_with(EventKind::action, R"({"plan":{"steps":[{"op":"destroy"}]}})");
  CHECK(refusal(store, wrong) != "not refused");
  const auto event = added(store, event_with(EventKind::action, R"({"plan":{"steps":[]}})"));
  CHECK_THROWS_AS(store.space->events().patch(
                      event.id, object(R"({"payload":{"plan":{"steps":[{"op":"destroy"}]}}})")),
                  InvalidArgument);
}

TEST_CASE("the trigger's instant is derived from its text, whatever the writer gives", "[event]") {
  TestStore store;
  auto event = timed("2030-07-01 09:00", "Europe/Zurich");
  event.trigger_at = at_us(5);
  const auto stored = added(store, event);
  CHECK(stored.trigger_at == parse_timestamp("at", "2030-07-01T07:00:00Z"));
  CHECK(stored.trigger_text == "2030-07-01 09:00");
}

TEST_CASE("an empty zone becomes the trigger's offset, else UTC", "[event]") {
  TestStore store;
  CHECK(added(store, timed("2030-07-01T09:00:00+0530")).zone == "+05:30");
  CHECK(added(store, timed("2030-07-01T09:00:00Z")).zone == "UTC");
  CHECK(added(store, timed("2030-07-01 09:00")).zone == "UTC");
  CHECK(added(store, timed("1893456000000000")).zone == "UTC");
  CHECK(added(store, timed("2030-07-01T09:00:00Z", "-0800")).zone == "-08:00");
  CHECK(added(store, timed("2030-07-01T09:00:00+09:00", "Europe/Zurich")).zone == "Europe/Zurich");
  CHECK(refusal(store, timed("2030-07-01 09:00", "Mars/Base")).starts_with("zone: "));
}

TEST_CASE("an event that repeats is anchored at its trigger, one that does not has no anchor",
          "[event]") {
  TestStore store;
  CHECK(added(store, timed("2030-07-01 09:00", "", "daily")).anchor == "2030-07-01 09:00");
  auto once = timed("2030-07-01 09:00");
  once.anchor = "2030-06-01 09:00";
  CHECK_FALSE(added(store, once).anchor.has_value());
  auto later = timed("2030-07-01 09:00", "", "daily");
  later.anchor = "2030-06-30 09:00";
  CHECK(added(store, later).anchor == "2030-06-30 09:00");
  later.anchor = "2030-07-01 09:01";
  CHECK(refusal(store, later) == "anchor: not be after the trigger");
  later.anchor = "soon";
  CHECK(refusal(store, later).starts_with("anchor: "));
}

TEST_CASE("triggers, repeats, grace and attempts are judged, each under its own name", "[event]") {
  TestStore store;
  CHECK(refusal(store, timed("soon")).starts_with("trigger_at: "));
  CHECK(refusal(store, timed("2030-07-01 09:00", "", "hourly")).starts_with("repeat: "));
  CHECK(refusal(store, timed("9999-12-31 23:59", "", "daily")).starts_with("repeat: have an occ"));
  auto event = timed("2030-07-01 09:00");
  event.grace = -1us;
  CHECK(refusal(store, event) == "grace: be 0 to 3,653 days, in microseconds");
  event.grace = 3653 * 24h + 1us;
  CHECK(refusal(store, event) == "grace: be 0 to 3,653 days, in microseconds");
  event.grace = 3653 * 24h;
  event.max_attempts = 0;
  CHECK(refusal(store, event) == "max_attempts: be 1 to 100");
  event.max_attempts = 101;
  CHECK(refusal(store, event) == "max_attempts: be 1 to 100");
  event.max_attempts = 100;
  CHECK(refusal(store, event) == "not refused");
}

TEST_CASE("a new event is pending", "[event]") {
  TestStore store;
  for (const auto status :
       {EventStatus::fired, EventStatus::missed, EventStatus::failed, EventStatus::cancelled}) {
    auto event = timed("2030-07-01 09:00");
    event.status = status;
    CHECK(refusal(store, event) == "status: be pending in a new event");
  }
}

TEST_CASE("a caller cancels what is pending and arms anew what has ended, and no more", "[event]") {
  TestStore store;
  const auto event = added(store, timed("2030-07-01 09:00"));
  for (const auto* status : {"fired", "missed", "failed"}) {
    const std::string document = R"({"status":")" + std::string(status) + R"("})";
    CHECK(refusal_of([&] { (void)store.space->events().patch(event.id, object(document)); }) ==
          "status: be pending or cancelled: the scheduler sets the others");
  }
  const auto cancelled = patched(store, event, R"({"status":"cancelled"})");
  CHECK(cancelled.status == EventStatus::cancelled);
  CHECK(patched(store, event, R"({"status":"pending"})").status == EventStatus::pending);
}

TEST_CASE("what has ended cannot be cancelled, can be edited, and can be armed anew", "[event]") {
  TestStore store;
  const auto status = GENERATE(EventStatus::fired, EventStatus::missed, EventStatus::failed);
  const auto event = with_status(store, added(store, timed("2030-07-01 09:00")), status);
  const std::string before = picture(*store.store);
  const auto refused = store.space->events().patch(event.id, object(R"({"status":"cancelled"})"));
  CHECK(refused.outcome == Outcome::not_pending);
  CHECK((refused.current == event));
  CHECK(picture(*store.store) == before);
  CHECK(patched(store, event, R"({"max_attempts":7})").status == status);
  const auto armed =
      patched(store, event, R"({"status":"pending","trigger_at":"2031-01-01 09:00"})");
  CHECK(armed.status == EventStatus::pending);
  CHECK(armed.trigger_at == parse_timestamp("at", "2031-01-01T09:00:00Z"));
}

TEST_CASE("an edit that says what is there moves nothing", "[event]") {
  TestStore store;
  const auto event = moved_on(store);
  const std::string before = picture(*store.store);
  for (const auto* document :
       {R"({"trigger_at":"2030-02-28 09:00:00"})", R"({"repeat":"monthly"})", R"({"payload":{}})",
        R"({"status":"pending","zone":"Europe/Zurich"})", R"({"anchor":"2030-01-31 09:00"})"}) {
    const auto result = store.space->events().patch(event.id, object(document));
    CHECK(result.outcome == Outcome::unchanged);
  }
  CHECK(picture(*store.store) == before);
}

TEST_CASE("editing what an event does, or how, never moves its anchor", "[event]") {
  TestStore store;
  const auto event = moved_on(store);
  CHECK(event.anchor == "2030-01-31 09:00");
  for (const auto* document :
       {R"({"payload":{"text":"other"}})", R"({"grace":5})", R"({"max_attempts":2})",
        R"({"catch_up":"all"})", R"({"properties":{"a":1}})", R"({"status":"cancelled"})",
        R"({"trigger_at":"2030-02-28T08:00:00Z"})"}) {
    const auto edited = patched(store, event, document);
    CHECK(edited.anchor == "2030-01-31 09:00");
    CHECK(edited.trigger_at == event.trigger_at);
  }
}

TEST_CASE("a patch of the trigger or the repeat begins the series anew", "[event]") {
  TestStore store;
  const auto event = moved_on(store);
  const auto moved = patched(store, event, R"({"trigger_at":"2030-03-05 10:00"})");
  CHECK(moved.anchor == "2030-03-05 10:00");
  CHECK(moved.trigger_at == parse_timestamp("at", "2030-03-05T09:00:00Z"));
  CHECK(patched(store, event, R"({"repeat":"daily"})").anchor == "2030-03-05 10:00");
  const auto by_number = patched(store, event, R"({"trigger_at":1899000000000000})");
  CHECK(by_number.trigger_text == "1899000000000000");
  CHECK(by_number.anchor == "1899000000000000");
  CHECK_FALSE(patched(store, event, R"({"repeat":null})").anchor.has_value());
}

TEST_CASE("a patch that names the anchor has it", "[event]") {
  TestStore store;
  const auto event = moved_on(store);
  const auto named =
      patched(store, event, R"({"trigger_at":"2030-03-05 10:00","anchor":"2030-03-01 10:00"})");
  CHECK(named.anchor == "2030-03-01 10:00");
  CHECK(patched(store, event, R"({"anchor":null})").anchor == "2030-03-05 10:00");
}

TEST_CASE("another zone moves wall times and no instants", "[event]") {
  TestStore store;
  const auto event = added(store, timed("2030-07-01 09:00", "Europe/Zurich", "daily"));
  const auto moved = patched(store, event, R"({"zone":"America/New_York"})");
  CHECK(moved.trigger_at == parse_timestamp("at", "2030-07-01T13:00:00Z"));
  CHECK(moved.anchor == "2030-07-01 09:00");
  const auto fixed = added(store, timed("2030-07-01T09:00:00+02:00", "Europe/Zurich", "daily"));
  CHECK(patched(store, fixed, R"({"zone":"Asia/Tokyo"})").trigger_at == fixed.trigger_at);
}

TEST_CASE("an event in JSON says what the wall shows, and null in a zone that is not known here",
          "[event]") {
  TestStore store;
  const auto& events = store.space->events();
  auto event = added(store, timed("2030-07-01T07:00:00Z", "Europe/Zurich"));
  const auto local_time = [&] {
    std::string value;
    for (const JsonMember& member : JsonObject::parse("event", events.to_json(event)).members()) {
      if (member.key == "local_time") value = member.value;
    }
    return value;
  };
  CHECK(local_time() == R"("2030-07-01T09:00:00")");
  plant(*store.store, "UPDATE scheduled_events SET zone = 'Mars/Base'");
  event = events.get(event.id);
  CHECK(local_time() == "null");
  const auto edit = [&] { (void)events.patch(event.id, object(R"({"grace":5})")); };
  CHECK(refusal_of(edit).starts_with("zone: "));
  CHECK(patched(store, event, R"({"zone":"UTC"})").zone == "UTC");
}

TEST_CASE("events are filtered by kind, status and the range of their triggers", "[event]") {
  TestStore store;
  const auto first = added(store, timed("2030-01-01T00:00:00Z"));
  const auto second = added(store, timed("2030-01-02T00:00:00Z"));
  const auto action = added(store, event_with(EventKind::action, R"({"action":"mail"})"));
  const auto cancelled = patched(store, second, R"({"status":"cancelled"})");
  const auto listed = [&](const EventFilter& filter) {
    const auto ids = ids_of(store.space->events().list(filter).items);
    CHECK(store.space->events().count(filter) == ids.size());
    return ids;
  };
  EventFilter filter;
  filter.kind = EventKind::action;
  CHECK(listed(filter) == std::vector{action.id});
  filter = {};
  filter.status = EventStatus::cancelled;
  CHECK(listed(filter) == std::vector{cancelled.id});
  filter = {};
  filter.trigger = {.from = first.trigger_at, .to = second.trigger_at};
  CHECK(listed(filter) == std::vector{first.id, action.id});
  filter.trigger.from = first.trigger_at + 1us;
  CHECK(listed(filter) == std::vector{action.id});
}
