#include "support.h"

using namespace holdfast;
using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr auto kLease = 30s;

/// A worker's death: nothing it does afterwards happens.
struct Died {};

void die() { throw Died{}; }

/// Drains until the worker dies at `point`.
void drain_to_death(SchedulerScene& f, const std::string& point) {
  f.once_at(point, die);
  try {
    (void)f.drain();
    FAIL("the worker did not come to " << point);
  } catch (const Died&) {
  }
}

}  // namespace

TEST_CASE("an attempt that was claimed and not begun is given back and happens",
          "[scheduler][recovery]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  f.pass(1s);
  drain_to_death(f, "scheduler.invoking");
  CHECK(f.last(event).state == AttemptState::claimed);
  f.pass(kLease - 1us);
  CHECK(f.drain().reclaimed == 0);
  f.pass(1us);
  const auto report = f.drain();
  CHECK((report.reclaimed == 1 && report.handed_back == 1 && report.fired == 1));
  const auto attempts = f.attempts(event);
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[1].state == AttemptState::not_invoked);
  CHECK_THAT(attempts[1].error, ContainsSubstring("before it began"));
  CHECK(attempts[0].occurrence == attempts[1].occurrence);
  CHECK(attempts[0].tries == 1);
  CHECK(f.calls_of(event) == 1);
}

TEST_CASE("an event that was being missed when its worker died is missed all the same",
          "[scheduler][recovery][N7]") {
  SchedulerScene f;
  auto event = action_at(after_start(1s));
  event.catch_up = CatchUp::none;
  event = f.add(event);
  f.pass(1h);
  drain_to_death(f, "scheduler.finish");
  CHECK(f.last(event).state == AttemptState::missed);
  f.pass(kLease);
  const auto report = f.drain();
  CHECK((report.reclaimed == 1 && report.missed == 1 && report.claimed == 0));
  CHECK(f.now_is(event).status == EventStatus::missed);
  CHECK(f.calls_of(event) == 0);
}

TEST_CASE("an attempt whose worker died at work is indeterminate and never made again",
          "[scheduler][recovery]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  f.pass(1s);
  drain_to_death(f, "scheduler.outcome");
  CHECK(f.calls_of(event) == 1);
  f.pass(kLease);
  const auto report = f.drain();
  CHECK((report.reclaimed == 1 && report.indeterminate == 1 && report.fired == 0));
  CHECK(f.last(event).state == AttemptState::indeterminate);
  CHECK(f.now_is(event).status == EventStatus::failed);
  f.pass(1h);
  CHECK(f.drain().scanned == 0);
  CHECK(f.calls_of(event) == 1);
}

TEST_CASE("a series goes on behind an occurrence that is indeterminate", "[scheduler][recovery]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s), "every:1h");
  f.pass(1s);
  drain_to_death(f, "scheduler.outcome");
  f.pass(kLease);
  CHECK(f.drain().re_armed == 1);
  CHECK(f.now_is(event).trigger_at == at_us(0) + 1h + 1s);
}

TEST_CASE("an idempotent action whose worker died at work is made again, up to its attempts",
          "[scheduler][recovery]") {
  SchedulerScene f;
  auto event = action_at(after_start(1s));
  event.max_attempts = 3;
  event = f.add(event);
  Handlers handlers = f.handlers();
  handlers.actions["work"].is_idempotent = true;
  f.pass(1s);
  for (int i = 0; i < 12; ++i) {
    f.once_at("scheduler.outcome", die);
    try {
      (void)Scheduler(*f.store.store, handlers, f.options).drain_once();
    } catch (const Died&) {
    }
    f.pass(kLease + 1h);
  }
  CHECK(f.calls_of(event) == 3);
  CHECK(f.now_is(event).status == EventStatus::failed);
}

TEST_CASE("an outcome that is stored is finished without calling again", "[scheduler][recovery]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  f.pass(1s);
  drain_to_death(f, "scheduler.read");
  CHECK(f.last(event).state == AttemptState::succeeded);
  CHECK(f.now_is(event).status == EventStatus::pending);
  f.pass(kLease);
  const auto report = f.drain();
  CHECK((report.reclaimed == 1 && report.fired == 1 && report.finalized == 1));
  CHECK(f.calls_of(event) == 1);
  CHECK(f.now_is(event).status == EventStatus::fired);
}

TEST_CASE("a failure that is stored is finished by what it left behind", "[scheduler][recovery]") {
  SchedulerScene f;
  const auto harmless = f.act(after_start(1s));
  f.body = [](const Firing&) { return nothing_done("no line"); };
  f.pass(1s);
  drain_to_death(f, "scheduler.read");
  f.pass(kLease);
  CHECK(f.drain().retry == 1);
  CHECK(f.last(harmless).error == "no line");
}

TEST_CASE("a plan whose worker died before the end has left nothing, and happens once",
          "[scheduler][recovery]") {
  for (const char* point : {"scheduler.read", "scheduler.finish", "writer.before_commit"}) {
    INFO(point);
    SchedulerScene f;
    (void)f.plan(after_start(1s), "made");
    f.pass(1s);
    if (std::string(point) == "writer.before_commit") {
      // The claim's commit is the first, the end's the second.
      f.once_at("scheduler.finish", [&] { f.once_at("writer.before_commit", die); });
      CHECK_THROWS_AS(f.drain(), Died);
    } else {
      drain_to_death(f, point);
    }
    CHECK(f.store.space->entities().count({}) == 0);
    f.pass(kLease);
    CHECK(f.drain().fired == 1);
    CHECK(f.store.space->entities().count({}) == 1);
  }
}

TEST_CASE("a receipt of another occurrence makes the attempt indeterminate and is kept",
          "[scheduler][recovery]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  f.pass(1s);
  drain_to_death(f, "scheduler.read");
  plant(*f.store.store, "UPDATE attempts SET occurrence = x'000102030405060708090a0b0c0d0e0f'");
  f.pass(kLease);
  CHECK(f.drain().indeterminate == 1);
  CHECK(f.last(event).state == AttemptState::indeterminate);
  CHECK_THAT(f.last(event).error, ContainsSubstring("another occurrence"));
  CHECK(f.calls_of(event) == 1);
}

TEST_CASE("a receipt cannot lack what its state demands", "[scheduler][recovery]") {
  SchedulerScene f;
  (void)f.act(after_start(1s));
  f.pass(1s);
  drain_to_death(f, "scheduler.read");
  CHECK_THROWS(plant(*f.store.store, "UPDATE attempts SET completed_at = NULL"));
  CHECK_THROWS(plant(*f.store.store, "UPDATE attempts SET completed_at = 'soon'"));
  CHECK_THROWS(plant(*f.store.store, "UPDATE attempts SET state = 'done'"));
}

TEST_CASE("an event that cannot be finished does not stop those behind it",
          "[scheduler][recovery]") {
  SchedulerScene f;
  const auto bad = f.act(after_start(1s));
  const auto good = f.act(after_start(2s));
  const auto plan = f.plan(after_start(3s), "made");
  plant(*f.store.store, "CREATE TRIGGER stop BEFORE UPDATE ON scheduled_events WHEN OLD.id = x'" +
                            [&] {
                              std::string hex = to_string(bad.id);
                              std::erase(hex, '-');
                              return hex;
                            }() +
                            "' BEGIN SELECT RAISE(ABORT, 'planted'); END");
  f.pass(3s);
  CHECK(f.drain().finalized == 2);
  CHECK(f.now_is(good).status == EventStatus::fired);
  CHECK(f.now_is(plan).status == EventStatus::fired);
  CHECK(f.now_is(bad).status == EventStatus::pending);
  const auto later = f.act(after_start(4s));
  f.pass(kLease + 1s);
  CHECK(f.drain().finalized == 1);  // its recovery meets the same
  CHECK(f.now_is(later).status == EventStatus::fired);
  CHECK(f.calls_of(bad) == 1);
  plant(*f.store.store, "DROP TRIGGER stop");
  f.pass(kLease);
  CHECK(f.drain().fired == 1);
  CHECK(f.calls_of(bad) == 1);
}

TEST_CASE("a stop gives back what was not begun", "[scheduler][recovery]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  f.pass(1s);
  std::stop_source stop;
  f.once_at("scheduler.claim", [&] { stop.request_stop(); });
  f.worker()->run(stop.get_token());
  CHECK(f.last(event).state == AttemptState::not_invoked);
  CHECK(f.calls_of(event) == 0);
  CHECK(f.drain().fired == 1);
  CHECK(f.last(event).tries == 1);
}
