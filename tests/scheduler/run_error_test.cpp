#include <atomic>

#include <holdfast/core/error.h>
#include <holdfast/scheduler/heartbeat.h>

#include "run_scene.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Fails the first times that anybody comes to a point.
void fail_at(SchedulerScene& f, std::string point, std::shared_ptr<std::atomic<int>> times) {
  f.store.environment.faults.arm([point = std::move(point), times](std::string_view at) {
    if (at == point && times->fetch_sub(1) > 0) throw Busy("injected");
  });
}

}  // namespace

TEST_CASE("a run survives errors of the database, and what they stopped happens once",
          "[scheduler][run]") {
  for (const char* point : {"scheduler.page", "scheduler.claim", "scheduler.invoking",
                            "scheduler.finish", "writer.before_commit"}) {
    INFO(point);
    SchedulerScene f;
    f.options.threads = 2;
    const auto event = f.act(after_start(0s));
    Count called;
    f.body = [&](const Firing&) {
      called.add();
      return ActionResult::ok();
    };
    const auto left = std::make_shared<std::atomic<int>>(3);
    fail_at(f, point, left);
    Running running(f.worker());
    // What was claimed when an error came is recovered when its lease has ended.
    for (int i = 0; i < 1000 && f.now_is(event).status != EventStatus::fired; ++i) {
      const auto seen = f.store.store->database().commits();
      f.pass(f.options.lease / 8);
      (void)f.store.store->database().wait_for_commit(seen, 50ms);
    }
    (void)running.stop();
    CHECK(*left <= 0);
    CHECK(f.now_is(event).status == EventStatus::fired);
    CHECK(f.calls_of(event) == 1);
  }
}

TEST_CASE("a run reports that it is alive, and stalls when it is over", "[scheduler][run]") {
  SchedulerScene f;
  f.options.tick = 1min;
  (void)f.act(after_start(0s));
  const Heartbeats heartbeats(*f.store.space);
  Count called;
  f.body = [&](const Firing&) {
    called.add();
    return ActionResult::ok();
  };
  Running running(f.worker());
  REQUIRE(called.wait_for(1));
  (void)running.stop();
  const auto alive = heartbeats.get("scheduler");
  CHECK(alive.interval == 1min);
  CHECK(alive.last_success_at.has_value());
  CHECK(alive.is_stalled == false);
  CHECK_THAT(alive.details.text(), Catch::Matchers::ContainsSubstring(R"("fired":1)"));
  f.pass(3min);
  CHECK(heartbeats.get("scheduler").is_stalled == false);
  f.pass(1s);
  CHECK(heartbeats.get("scheduler").is_stalled == true);
  CHECK(heartbeats.troubled().items.size() == 1);
}
