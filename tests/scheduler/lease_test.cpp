#include "support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {
constexpr auto kLease = 30s;
}  // namespace

TEST_CASE("a lease that is renewed outlives its length, and nobody else takes the event",
          "[scheduler][lease]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  f.body = [&](const Firing& firing) {
    for (int i = 0; i < 4; ++i) {
      f.pass(kLease - 1s);
      CHECK(firing.keep_alive());
      const auto other = f.drain();
      CHECK((other.reclaimed == 0 && other.scanned == 0));
    }
    return ActionResult::ok();
  };
  f.pass(1s);
  CHECK(f.drain().fired == 1);
  CHECK(f.calls_of(event) == 1);
}

TEST_CASE("a worker that was stopped past its lease is refused at every step",
          "[scheduler][lease][N12]") {
  for (const char* point :
       {"scheduler.invoking", "scheduler.invoke", "scheduler.outcome", "scheduler.read",
        "scheduler.finish"}) {
    INFO(point);
    SchedulerScene f;
    const auto event = f.act(after_start(1s));
    f.pass(1s);
    DrainReport other;
    f.once_at(point, [&] {
      f.pass(kLease);
      other = f.drain();
    });
    const auto own = f.drain();
    CHECK(other.reclaimed == 1);
    CHECK((own.fired == 0 && own.finalized == 0 && own.fenced == 1));
    CHECK(f.calls_of(event) == 1);  // by whichever of them, and by one alone
    CHECK(f.drain().scanned == 0);
  }
}

TEST_CASE("a stale worker cannot end what another has claimed since",
          "[scheduler][lease][N4][N12]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s), "every:1m");
  f.pass(1s);
  DrainReport stale;
  bool is_first = true;
  f.body = [&](const Firing&) {
    if (!std::exchange(is_first, false)) return ActionResult::ok();
    f.pass(kLease);
    CHECK(f.drain().indeterminate == 1);  // and arms the next minute
    f.pass(1min);
    CHECK(f.drain().fired == 1);
    return ActionResult::ok();
  };
  stale = f.drain();
  CHECK((stale.fenced == 1 && stale.fired == 0));
  const auto attempts = f.attempts(event);
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[1].state == AttemptState::indeterminate);
  CHECK(attempts[0].state == AttemptState::succeeded);
}

TEST_CASE("a lease renewed between the look for abandoned events and their recovery holds",
          "[scheduler][lease]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  f.pass(1s);
  f.body = [&](const Firing& firing) {
    f.pass(kLease);
    f.once_at("scheduler.reclaim", [&] { CHECK(firing.keep_alive()); });
    CHECK(f.drain().reclaimed == 0);
    return ActionResult::ok();
  };
  CHECK(f.drain().fired == 1);
  CHECK(f.last(event).state == AttemptState::succeeded);
}

TEST_CASE("an outcome stored after the look for abandoned events is what recovery finishes",
          "[scheduler][lease]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  f.pass(1s);
  DrainReport recovery;
  f.once_at("scheduler.outcome", [&] {
    // The other looks, then this worker stores its outcome, then the other recovers.
    f.pass(kLease);
    f.once_at("scheduler.reclaim", [&] {
      plant(*f.store.store,
            "UPDATE attempts SET state = 'succeeded', completed_at = 1 WHERE state = 'invoking'");
    });
    recovery = f.drain();
  });
  (void)f.drain();
  CHECK((recovery.reclaimed == 1 && recovery.fired == 1 && recovery.indeterminate == 0));
  CHECK(f.now_is(event).status == EventStatus::fired);
}

TEST_CASE("fresh claims are not taken over", "[scheduler][lease]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  f.pass(1s);
  DrainReport other;
  f.once_at("scheduler.invoke", [&] { other = f.drain(); });
  CHECK(f.drain().fired == 1);
  CHECK((other.reclaimed == 0 && other.scanned == 0 && other.claimed == 0));
  CHECK(f.calls_of(event) == 1);
}

TEST_CASE("a handler is told when its claim is lost", "[scheduler][lease]") {
  SchedulerScene f;
  (void)f.act(after_start(1s));
  f.pass(1s);
  bool was_told = false;
  f.body = [&](const Firing& firing) {
    f.pass(kLease);
    (void)f.drain();
    CHECK_FALSE(firing.keep_alive());
    was_told = firing.stop.stop_requested();
    return ActionResult::ok();
  };
  CHECK(f.drain().fenced == 1);
  CHECK(was_told);
}
