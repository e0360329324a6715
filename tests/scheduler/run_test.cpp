#include "run_scene.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Under the scene's clock, which stands still but where the test moves it: what runs is woken by
/// commits, by calls that end and by stops alone.
std::unique_ptr<Running> run(SchedulerScene& f) { return std::make_unique<Running>(f.worker()); }

/// Counts how often a drain comes to a point, from before it runs.
void count_at(SchedulerScene& f, std::string point, Count& count) {
  f.store.environment.faults.arm([point = std::move(point), &count](std::string_view at) {
    if (at == point) count.add();
  });
}

}  // namespace

TEST_CASE("an idle run is woken by what another handle writes", "[scheduler][run]") {
  SchedulerScene f;
  Count called;
  f.body = [&](const Firing&) {
    called.add();
    return ActionResult::ok();
  };
  StandingClock clock(f.clock());
  core::Environment environment{.clock = clock,
                                .ids = *f.store.environment.ids,
                                .random = f.store.environment.random,
                                .faults = f.store.environment.faults};
  StoreOptions options = f.store.options();
  options.environment = &environment;
  const auto own = Store::open(options);
  const auto other = Store::open(options);
  Running running(std::make_unique<Scheduler>(*own, f.handlers(), f.options));
  const Space space = other->space("main", "another");
  for (int i = 1; i <= 3; ++i) {
    written(space.events().insert_if_absent(action_at(after_start(0s))));
    REQUIRE(called.wait_for(i));
  }
  CHECK(running.stop().fired == 3);
}

TEST_CASE("a run carries out what falls due while it is idle", "[scheduler][run]") {
  SchedulerScene f;
  (void)f.act(after_start(1h));
  Count called;
  f.body = [&](const Firing&) {
    called.add();
    return ActionResult::ok();
  };
  const auto running = run(f);
  f.pass(1h);
  REQUIRE(called.wait_for(1));
  CHECK(running->stop().fired == 1);
}

TEST_CASE("a stop waits for the handler that is at work, and its outcome is stored",
          "[scheduler][run]") {
  SchedulerScene f;
  f.options.threads = 2;
  const auto event = f.act(after_start(0s));
  Gate begun;
  f.body = [&](const Firing& firing) {
    Gate told;
    const std::stop_callback on_stop(firing.stop, [&] { told.open(); });
    begun.open();
    return told.wait() ? ActionResult::ok() : nothing_done("it was not told to stop");
  };
  const auto running = run(f);
  REQUIRE(begun.wait());
  const auto report = running->stop();
  CHECK((report.fired == 1 && report.handed_back == 0));
  CHECK(f.now_is(event).status == EventStatus::fired);
  CHECK(f.last(event).state == AttemptState::succeeded);
}

TEST_CASE("a stop gives back what was claimed and waits for a thread", "[scheduler][run]") {
  SchedulerScene f;
  f.options.threads = 2;
  std::vector<ScheduledEvent> events;
  for (int i = 0; i < 6; ++i) events.push_back(f.act(after_start(0s)));
  Count pages;
  count_at(f, "scheduler.page", pages);
  Count begun;
  Gate go_on;
  f.body = [&](const Firing&) {
    begun.add();
    go_on.wait();
    return ActionResult::ok();
  };
  const auto running = run(f);
  REQUIRE(begun.wait_for(2));
  REQUIRE(pages.wait_for(2));  // so the claims of the first one are made
  running->ask_to_stop();
  go_on.open();
  const auto report = running->stop();
  CHECK((report.claimed == 4 && report.fired == 2 && report.handed_back == 2));
  CHECK(f.all_calls() == 2);
  for (const auto& event : events) {
    for (const auto& attempt : f.attempts(event)) CHECK(attempt.finished_at.has_value());
  }
  CHECK(f.drain().fired == 4);
}

TEST_CASE("slow handlers in one space do not keep another space waiting", "[scheduler][run]") {
  SchedulerScene f;
  const Space fast = f.store.store->create_space("fast", "tester");
  f.options.threads = 3;
  for (int i = 0; i < 20; ++i) (void)f.act(after_start(0s));
  Count slow;
  Gate end;
  Count called;
  f.body = [&](const Firing& firing) {
    if (firing.space == "fast") {
      called.add();
    } else {
      slow.add();
      end.wait();
    }
    return ActionResult::ok();
  };
  const auto running = run(f);
  REQUIRE(slow.wait_for(2));  // and no more: one thread is left
  for (int i = 1; i <= 5; ++i) {
    written(fast.events().insert_if_absent(action_at(after_start(0s))));
    CHECK(called.wait_for(i));
  }
  CHECK(slow.now() == 2);
  end.open();
  REQUIRE(slow.wait_for(20));
  CHECK(running->stop().fired == 25);
}

TEST_CASE("no more of a space is in flight than the options say", "[scheduler][run]") {
  SchedulerScene f;
  f.options.threads = 4;
  f.options.in_flight_per_space = 2;
  for (int i = 0; i < 8; ++i) (void)f.act(after_start(0s));
  Count at_work;
  Count all;
  Gate go_on;
  f.body = [&](const Firing&) {
    at_work.add();
    all.add();
    go_on.wait();
    at_work.add(-1);
    return ActionResult::ok();
  };
  Count pages;
  count_at(f, "scheduler.page", pages);
  const auto running = run(f);
  REQUIRE(at_work.wait_for(2));
  const int seen = pages.now();
  f.store.add_entity("a write that wakes it");
  REQUIRE(pages.wait_for(seen + 1));
  CHECK(scheduler_status(*f.store.space).open.size() == 2);
  go_on.open();
  REQUIRE(all.wait_for(8));
  CHECK(running->stop().fired == 8);
  CHECK(at_work.most() == 2);
}

TEST_CASE("what nobody here has a handler for does not keep a run busy", "[scheduler][run]") {
  SchedulerScene f;
  auto event = action_at(after_start(0s));
  event.payload = JsonObject::parse("payload", R"({"action":"somebody else's"})");
  (void)f.add(event);
  Count pages;
  count_at(f, "scheduler.page", pages);
  Count called;
  f.body = [&](const Firing&) {
    called.add();
    return ActionResult::ok();
  };
  const auto running = run(f);
  REQUIRE(pages.wait_for(1));
  constexpr int kEvents = 3;
  for (int i = 1; i <= kEvents; ++i) {
    (void)f.act(after_start(0s));
    REQUIRE(called.wait_for(i));
  }
  CHECK(running->stop().fired == kEvents);
  // A look or a few for each commit, not one after the other.
  CHECK(pages.now() < 20 * kEvents);
}
