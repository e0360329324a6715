#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <holdfast/core/clock.h>
#include <holdfast/core/random.h>
#include <holdfast/scheduler/scheduler.h>

#include "child_process.h"
#include "event_judge.h"
#include "support/fixture.h"

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kProcesses = 4;  // of five threads each

/// A file full of due events, half of them actions outside the store and half of them plans, and
/// processes that carry them out.
class Crowd {
 public:
  Crowd(std::size_t events, std::chrono::milliseconds lease)
      : events_(events), lease_(lease), store_(open()) {
    const Space space = store_->create_space("main", "tester");
    for (std::size_t i = 0; i < events; ++i) {
      ScheduledEvent event;
      event.id = id_of(i);
      event.kind = EventKind::action;
      event.payload = is_plan(i) ? plan_creating(name_of(i))
                                 : JsonObject::parse("payload", R"({"action":"append"})");
      event.trigger_text = "2020-01-01T00:00:00Z";
      REQUIRE(space.events().insert_if_absent(event).applied());
    }
    for (std::size_t i = 0; i < kProcesses; ++i) workers_.push_back(start());
  }

  /// Waits until no more than `left` events are to happen. What does not move fails the test.
  void wait_until_left(std::uint64_t left) {
    std::uint64_t last = 0;
    for (int still = 0; still < 6000; ++still) {
      const auto status = scheduler_status(space());
      if (status.pending <= left && (left > 0 || status.open.empty())) return;
      for (const auto& worker : workers_) REQUIRE_FALSE(worker->has_ended());
      if (status.pending != last) still = 0;
      last = status.pending;
      clock_.sleep_for(10ms);
    }
    FAIL("nothing has happened for a minute");
  }
  /// Kills a worker, whatever it is at, and starts another in its place.
  void kill_one(std::size_t number) {
    auto& worker = workers_[number % kProcesses];
    worker->send(SIGKILL);
    REQUIRE(WIFSIGNALED(worker->wait()));
    worker = start();
  }
  /// All end as they are told to.
  void stop_all() {
    for (const auto& worker : workers_) worker->send(SIGTERM);
    for (const auto& worker : workers_) REQUIRE(worker->wait() == 0);
  }

  struct Outcome {
    std::size_t fired = 0;
    std::size_t indeterminate = 0;
    std::string wrong;  ///< the first that is; "" when nothing
  };
  Outcome judge() {
    Outcome outcome;
    const EventJudge judge(*store_, effects_);
    for (std::size_t i = 0; i < events_ && outcome.wrong.empty(); ++i) {
      const auto end = is_plan(i) ? judge.plan(id_of(i), name_of(i)) : judge.action(id_of(i));
      outcome.fired += end.is_fired;
      outcome.indeterminate += end.is_indeterminate;
      if (!end.wrong.empty()) outcome.wrong = name_of(i) + ": " + end.wrong;
    }
    if (outcome.wrong.empty()) outcome.wrong = judge.leftovers();
    return outcome;
  }
  /// What one more worker finds to do.
  DrainReport drain_again() { return Scheduler(*store_, {}, {.threads = 1}).drain_once(); }

 private:
  static bool is_plan(std::size_t number) { return number % 2 == 1; }
  static std::string name_of(std::size_t number) { return "event " + std::to_string(number); }
  static ScheduledEventId id_of(std::size_t number) { return {uuid_v5(Uuid{}, name_of(number))}; }

  Space space() { return store_->space("main", "tester"); }
  std::unique_ptr<Store> open() const {
    StoreOptions options;
    options.database.path = dir_ / "test.db";
    options.database.durability = storage::Durability::normal;
    return Store::open(options);
  }
  std::unique_ptr<ChildProcess> start() const {
    return std::make_unique<ChildProcess>(
        HOLDFAST_SCHEDULER_WORKER,
        std::vector<std::string>{dir_ / "test.db", effects_, std::to_string(lease_.count())});
  }

  std::size_t events_;
  std::chrono::milliseconds lease_;
  TempDir dir_;
  std::string effects_ = dir_ / "effects";
  core::SystemClock clock_;
  std::unique_ptr<Store> store_;
  std::vector<std::unique_ptr<ChildProcess>> workers_;
};

void each_happens_once(std::size_t events) {
  Crowd crowd(events, 30s);
  crowd.wait_until_left(0);
  crowd.stop_all();
  const auto outcome = crowd.judge();
  CHECK(outcome.wrong == "");
  CHECK(outcome.fired == events);
}

/// Kills a worker each time that another part of the events has ended, at a drawn moment.
void none_happens_twice(std::size_t events, std::size_t kills, std::uint64_t seed) {
  core::Random random(seed);
  core::SystemClock clock;
  Crowd crowd(events, 500ms);
  for (std::size_t i = 0; i < kills; ++i) {
    crowd.wait_until_left(events - events * (i + 1) / (kills + 1));
    clock.sleep_for(std::chrono::microseconds(random.below(20'000)));
    crowd.kill_one(i);
  }
  crowd.wait_until_left(0);
  crowd.stop_all();
  const auto outcome = crowd.judge();
  CAPTURE(kills, outcome.indeterminate);
  CHECK(outcome.wrong == "");
  CHECK(outcome.fired + outcome.indeterminate == events);
  const auto after = crowd.drain_again();
  CHECK((after.scanned == 0 && after.reclaimed == 0));
}

}  // namespace

TEST_CASE("of 2,000 events that 20 workers in 4 processes share each happens exactly once",
          "[crash][scheduler]") {
  each_happens_once(2000);
}

TEST_CASE("of 10,000 events that 20 workers in 4 processes share each happens exactly once",
          "[crash][scheduler][soak]") {
  each_happens_once(10'000);
}

TEST_CASE("kill -9 of workers makes no action happen twice, and plans happen once",
          "[crash][scheduler]") {
  none_happens_twice(2000, 3, 1);
}

TEST_CASE("twenty times kill -9 of workers makes no action happen twice, and plans happen once",
          "[crash][scheduler][soak]") {
  none_happens_twice(10'000, 20, 2);
}
