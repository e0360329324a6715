#include "support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// The trigger of an event after it has fired at each of its own triggers, `times` times.
std::vector<std::string> fired_triggers(SchedulerScene& f, const ScheduledEvent& event,
                                        int times) {
  std::vector<std::string> texts;
  for (int i = 0; i < times; ++i) {
    f.store.environment.clock.set(f.now_is(event).trigger_at);
    CHECK(f.drain().fired == 1);
    texts.push_back(f.now_is(event).trigger_text);
  }
  return texts;
}

}  // namespace

TEST_CASE("each way to repeat arms the next occurrence", "[scheduler][N17]") {
  SchedulerScene f;
  const auto next = [&](const std::string& trigger, const std::string& repeat) {
    const auto event = f.act(trigger, repeat);
    f.store.environment.clock.set(event.trigger_at);
    CHECK(f.drain().fired >= 1);
    const auto after = f.now_is(event).trigger_text;
    (void)f.patch(event, R"({"status":"cancelled"})");
    return after;
  };
  CHECK(next("2026-01-01T09:00:00Z", "daily") == "2026-01-02T09:00:00Z");
  CHECK(next("2026-01-01T09:00:00Z", "weekly") == "2026-01-08T09:00:00Z");
  CHECK(next("2026-01-15T09:00:00Z", "monthly") == "2026-02-15T09:00:00Z");
  CHECK(next("2026-01-01T09:00:00Z", "every:15m") == "2026-01-01T09:15:00Z");
  CHECK(next("2026-01-01T09:00:00Z", "every:2h") == "2026-01-01T11:00:00Z");
  CHECK(next("2026-01-05T09:00:00Z", "0 9 * * 1") == "2026-01-12T09:00:00Z");
  CHECK(next("2026-01-05T09:00:00Z", "*/15 * * * *") == "2026-01-05T09:15:00Z");
}

TEST_CASE("a month that is too short takes its last day, the next one the anchor's",
          "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act("2027-01-31T09:00:00Z", "monthly");
  CHECK(fired_triggers(f, event, 4) ==
        std::vector<std::string>{"2027-02-28T09:00:00Z", "2027-03-31T09:00:00Z",
                                 "2027-04-30T09:00:00Z", "2027-05-31T09:00:00Z"});
  CHECK(f.now_is(event).anchor == "2027-01-31T09:00:00Z");
}

TEST_CASE("a failed attempt at a monthly event arms the next by the anchor", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act("2028-01-31T09:00:00Z", "monthly");
  f.body = [](const Firing&) { return ActionResult::failed(Effect::unknown, "who knows"); };
  f.store.environment.clock.set(event.trigger_at);
  CHECK(f.drain().indeterminate == 1);
  CHECK(f.now_is(event).trigger_text == "2028-02-29T09:00:00Z");
}

TEST_CASE("an event without a repeat ends, and only its own fields are written", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  f.pass(1s);
  CHECK(f.drain().fired == 1);
  auto expected = event;
  const auto now = f.now_is(event);
  expected.status = EventStatus::fired;
  expected.revision = now.revision;
  expected.seq = now.seq;
  CHECK(now == expected);
}

TEST_CASE("a daily time keeps its wall time through both changes of the clocks",
          "[scheduler][N8]") {
  SchedulerScene f;
  auto event = action_at("2025-03-08T02:30:00", "daily");
  event.zone = "America/New_York";
  f.store.environment.clock.set(from_us(1'741'000'000'000'000));
  event = f.add(event);
  std::vector<Timestamp> fired;
  f.body = [&](const Firing& firing) {
    fired.push_back(firing.attempt.trigger_at);
    return ActionResult::ok();
  };
  CHECK(fired_triggers(f, event, 3) ==
        std::vector<std::string>{"2025-03-09T02:30:00", "2025-03-10T02:30:00",
                                 "2025-03-11T02:30:00"});
  // 02:30 EST, 03:30 EDT in place of the time that was skipped, 02:30 EDT.
  CHECK(to_rfc3339(fired[0]) == "2025-03-08T07:30:00.000000Z");
  CHECK(to_rfc3339(fired[1]) == "2025-03-09T07:30:00.000000Z");
  CHECK(to_rfc3339(fired[2]) == "2025-03-10T06:30:00.000000Z");
}

TEST_CASE("a doubled time fires once, on its first pass", "[scheduler][N8]") {
  SchedulerScene f;
  auto event = action_at("2025-11-01T01:30:00", "daily");
  event.zone = "America/New_York";
  f.store.environment.clock.set(from_us(1'761'900'000'000'000));
  event = f.add(event);
  std::vector<Timestamp> fired;
  f.body = [&](const Firing& firing) {
    fired.push_back(firing.attempt.trigger_at);
    return ActionResult::ok();
  };
  (void)fired_triggers(f, event, 3);
  CHECK(to_rfc3339(fired[1]) == "2025-11-02T05:30:00.000000Z");  // EDT
  CHECK(to_rfc3339(fired[2]) == "2025-11-03T06:30:00.000000Z");  // EST
}

TEST_CASE("a repeat that cannot advance is refused when it is written", "[scheduler]") {
  SchedulerScene f;
  for (const char* repeat :
       {"every:0s", "every:100000000d", "0 0 30 2 *", "61 * * * *", "yearly"}) {
    INFO(repeat);
    CHECK_THROWS_AS(f.act(after_start(1s), repeat), InvalidArgument);
  }
  CHECK_THROWS_AS(f.act("9999-12-31T00:00:00Z", "every:30000d"), InvalidArgument);
}

TEST_CASE("a repeat that is found unable to advance happens once and fails, named",
          "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s), "daily");
  plant(*f.store.store, "UPDATE scheduled_events SET repeat = 'every:100000000d'");
  f.pass(1s);
  const auto report = f.drain();
  // The look at it already finds that its times cannot be read, so nothing is begun.
  CHECK((report.failed == 1 && report.re_armed == 0));
  CHECK(f.now_is(event).status == EventStatus::failed);
  CHECK_THAT(f.last(event).error, Catch::Matchers::ContainsSubstring("repeat"));
}

TEST_CASE("a repeat broken while its event fires fails the event, not the occurrence",
          "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s), "daily");
  f.once_at("scheduler.outcome", [&] {
    plant(*f.store.store, "UPDATE scheduled_events SET repeat = 'every:100000000d'");
  });
  f.pass(1s);
  const auto report = f.drain();
  CHECK((report.fired == 1 && report.failed == 1));
  CHECK(f.now_is(event).status == EventStatus::failed);
  CHECK(f.last(event).state == AttemptState::succeeded);
  CHECK_THAT(f.last(event).error, Catch::Matchers::ContainsSubstring("repeat"));
  CHECK(f.calls_of(event) == 1);
  CHECK(f.drain().scanned == 0);
}

TEST_CASE("an action's error is not replaced by the calendar's, and one failure is counted",
          "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s), "daily");
  f.body = [&](const Firing&) {
    plant(*f.store.store, "UPDATE scheduled_events SET repeat = 'nonsense'");
    return ActionResult::failed(Effect::committed, "half done");
  };
  f.pass(1s);
  CHECK(f.drain().failed == 1);
  CHECK(f.last(event).error == "half done");
}

TEST_CASE("an anchor that is damaged or after the trigger is a failure, and stays as it is",
          "[scheduler]") {
  for (const char* anchor : {"nonsense", "2026-13-01T00:00:00Z"}) {
    SchedulerScene f;
    const auto event = f.act(after_start(1s), "monthly");
    f.once_at("scheduler.outcome", [&] {
      plant(*f.store.store,
            "UPDATE scheduled_events SET anchor = '" + std::string(anchor) + "'");
    });
    f.pass(1s);
    CHECK(f.drain().failed == 1);
    CHECK(f.now_is(event).status == EventStatus::failed);
    CHECK(f.now_is(event).anchor == anchor);
    CHECK_THAT(f.last(event).error, Catch::Matchers::ContainsSubstring("anchor"));
  }
  SchedulerScene f;
  auto event = action_at(after_start(1h), "monthly");
  event.anchor = after_start(2h);
  CHECK_THROWS_AS(f.add(event), InvalidArgument);
}
