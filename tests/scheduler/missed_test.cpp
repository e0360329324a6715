#include "support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

ScheduledEvent strict(ScheduledEvent event, CatchUp catch_up = CatchUp::none) {
  event.catch_up = catch_up;
  return event;
}

}  // namespace

TEST_CASE("events beyond their grace are missed, and nothing of them happens", "[scheduler][N9]") {
  SchedulerScene f;
  std::vector<ScheduledEvent> events;
  for (int i = 0; i < 9; ++i) events.push_back(f.add(strict(action_at(after_start(1s)))));
  f.pass(1s + 5min + 1us);
  const auto report = f.drain();
  CHECK((report.missed == 9 && report.fired == 0 && report.claimed == 9));
  CHECK(f.all_calls() == 0);
  for (const auto& event : events) {
    CHECK(f.now_is(event).status == EventStatus::missed);
    CHECK(f.last(event).state == AttemptState::missed);
  }
}

TEST_CASE("an event at the end of its grace still fires", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.add(strict(action_at(after_start(1s))));
  f.pass(1s + 5min);
  CHECK(f.drain().fired == 1);
  CHECK(f.now_is(event).status == EventStatus::fired);
}

TEST_CASE("each event has a grace of its own", "[scheduler]") {
  SchedulerScene f;
  auto patient = strict(action_at(after_start(1s)));
  patient.grace = 1h;
  patient = f.add(patient);
  auto hasty = strict(action_at(after_start(1s)));
  hasty.grace = 0us;
  hasty = f.add(hasty);
  f.pass(30min);
  CHECK(f.drain().fired == 1);
  CHECK(f.now_is(patient).status == EventStatus::fired);
  CHECK(f.now_is(hasty).status == EventStatus::missed);
}

TEST_CASE("an event that is to be caught up on fires however late", "[scheduler][N9]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  f.pass(std::chrono::days(30));
  CHECK(f.drain().fired == 1);
  CHECK(f.calls_of(event) == 1);
}

TEST_CASE("missed repeats collapse to one, and the series goes on in phase", "[scheduler][N9]") {
  SchedulerScene f;
  const auto event = f.add(strict(action_at("2026-01-01T09:00:00Z", "daily")));
  f.pass(std::chrono::days(14));  // the last of 14 was at 09:00 on the day before
  const auto report = f.drain();
  CHECK((report.missed == 1 && report.re_armed == 1 && report.fired == 0));
  CHECK(f.now_is(event).trigger_text == "2026-01-15T09:00:00Z");
  CHECK(f.last(event).passed_over == 13);
  CHECK(f.attempts(event).size() == 1);
}

TEST_CASE("a missed interval is armed strictly after now, in phase, even on the dot",
          "[scheduler]") {
  SchedulerScene f;
  auto hasty = strict(action_at(after_start(0s), "every:15m"));
  hasty.grace = 0us;
  const auto event = f.add(hasty);
  f.pass(1h + 1us);
  CHECK(f.drain().missed == 1);
  CHECK(f.now_is(event).trigger_at == at_us(0) + 75min);
  f.pass(15min - 1us);  // on the dot
  CHECK(f.drain().fired == 1);
  CHECK(f.now_is(event).trigger_at == at_us(0) + 90min);
}

TEST_CASE("catching up on the latest fires one for all that were passed over", "[scheduler][N9]") {
  SchedulerScene f;
  const auto event = f.act(after_start(0s), "every:15m");
  f.pass(1h + 5min);
  const auto report = f.drain();
  CHECK((report.fired == 1 && report.re_armed == 1));
  const auto attempt = f.last(event);
  CHECK(attempt.trigger_at == at_us(0) + 1h);
  CHECK(attempt.armed_at == at_us(0));
  CHECK(attempt.passed_over == 4);
  CHECK(f.now_is(event).trigger_at == at_us(0) + 75min);
}

TEST_CASE("catching up on all fires each, in order", "[scheduler][N9]") {
  SchedulerScene f;
  const auto event = f.add(strict(action_at(after_start(0s), "every:15m"), CatchUp::all));
  std::vector<Timestamp> seen;
  f.body = [&](const Firing& firing) {
    seen.push_back(firing.attempt.trigger_at);
    return ActionResult::ok();
  };
  f.pass(1h + 5min);
  const auto report = f.drain();
  CHECK((report.fired == 5 && report.re_armed == 5));
  REQUIRE(seen.size() == 5);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    CHECK(seen[i] == at_us(0) + static_cast<int>(i) * 15min);
  }
  CHECK(f.now_is(event).trigger_at == at_us(0) + 75min);
}

TEST_CASE("missed months go on from the anchor's day, not from the clamped one", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.add(strict(action_at("2026-01-31T09:00:00Z", "monthly")));
  f.pass(std::chrono::days(31 + 15));  // 2026-02-16
  CHECK(f.drain().missed == 1);
  CHECK(f.now_is(event).trigger_text == "2026-02-28T09:00:00Z");
  f.pass(std::chrono::days(20));  // 2026-03-08
  CHECK(f.drain().missed == 1);
  CHECK(f.now_is(event).trigger_text == "2026-03-31T09:00:00Z");
}

TEST_CASE("a cron pattern that was missed is asked from now on", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.add(strict(action_at("2026-01-05T09:00:00Z", "0 9 * * MON")));
  f.pass(std::chrono::days(13));  // Wednesday, 2026-01-14
  CHECK(f.drain().missed == 1);
  CHECK(f.now_is(event).trigger_text == "2026-01-19T09:00:00Z");
}

TEST_CASE("the local time and its offset survive a missed repeat", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.add(strict(action_at("2026-01-01T23:30:00-08:00", "daily")));
  f.pass(std::chrono::days(5));
  CHECK(f.drain().missed == 1);
  CHECK(f.now_is(event).trigger_text == "2026-01-05T23:30:00-08:00");
}
