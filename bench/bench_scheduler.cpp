// The scheduler: 10,000 due events that do nothing, against a C program that runs the same
// statements in batches; how late an event fires; what a drain costs beside events that are not
// due.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

#include <holdfast/scheduler/scheduler.h>

#include "floor_schedule.h"
#include "sample.h"
#include "support.h"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBatch = 64;

core::SystemClock wall_clock;

Timestamp now() { return wall_clock.now(); }

ScheduledEvent event_at(Timestamp at, bool is_plan) {
  ScheduledEvent event;
  event.kind = EventKind::action;
  event.payload = JsonObject::trusted(is_plan ? R"({"plan":{"steps":[]}})"
                                              : R"({"action":"nothing","input":{"n":1}})");
  event.trigger_text = std::to_string(to_us(at));
  event.properties = JsonObject::trusted(R"({"made_by":"bench"})");
  return event;
}

/// Events a microsecond apart, 1,000 in a transaction.
void add_events(const Space& space, std::size_t count, Timestamp first, bool is_plan) {
  for (std::size_t done = 0; done < count;) {
    space.write([&](journal::Appender& appender) {
      for (std::size_t i = 0; i < 1000 && done < count; ++i, ++done) {
        auto event = event_at(first + std::chrono::microseconds(done), is_plan);
        event.id = {appender.environment().ids.next()};
        event.created_at = appender.now();
        event.revision = first_revision(event.created_at);
        schedule::EventStore::normalise(event);
        require(schedule::EventStore::insert_if_absent(appender, event).applied(), "not inserted");
      }
    });
  }
}

Handlers nothing(std::function<void(const Firing&)> seen = {}) {
  Handlers handlers;
  handlers.actions["nothing"] = {.call = [seen](const Firing& firing) {
    if (seen) seen(firing);
    return ActionResult::ok();
  }};
  return handlers;
}

void drain_all(std::size_t count, std::size_t rounds, bool is_plan, std::size_t threads) {
  const Folder folder;
  const std::string what = is_plan ? "plans, in their own transactions" : "a handler's calls";
  Measurement measured{.bench = "scheduler",
                       .name = "drain of " + std::to_string(count) + " due events: " + what,
                       .operation = "event",
                       .is_rate = true,
                       .floor_is = "C program, same statements in batches of 64",
                       .target = Target{Target::Kind::at_least, 1 / 1.5},
                       .cpu_target = std::nullopt,
                       .ours = {},
                       .floor = {},
                       .also = {}};
  std::vector<double> rates;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::string number = std::to_string(round) + (is_plan ? "p" : "a");
    const auto path = folder.file("ours" + number + ".db");
    const auto floor_path = folder.file("floor" + number + ".db");
    {
      const auto store = Store::open(options_for(path, storage::Durability::full));
      const Space space = store->create_space(kSpace, kActor);
      add_events(space, count, now() - 60s, is_plan);
      require(store->database().backup(floor_path, {}), "no copy was made");
      Scheduler scheduler(*store, nothing(), {.threads = threads, .batch = kBatch});
      DrainReport report;
      const Cost ours = measure(count, Cpu::process, [&] { report = scheduler.drain_once(); });
      require(report.fired == count, "not all have fired");
      measured.ours.push_back(ours);
      rates.push_back(1e6 / ours.wall_us);
    }
    FloorScheduler* const floor = floor_scheduler_open(floor_path.c_str(), kSpace, "floor");
    measured.floor.push_back(measure(count, Cpu::process, [&] {
      require(floor_scheduler_drain(floor, to_us(now()), kBatch, is_plan ? 0 : 1) == count,
              "the floor has not fired all");
    }));
    floor_scheduler_close(floor);
  }
  measured.also = {{"events_per_s", median(rates)}, {"threads", static_cast<double>(threads)}};
  print(measured, folder);
}

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(part * static_cast<double>(values.size() - 1)));
}

/// How long behind its trigger a handler is called, in a scheduler that waits.
void firing_delay(std::size_t samples, std::size_t pending) {
  const Folder folder;
  const auto path = folder.file("delay.db");
  const auto store = Store::open(options_for(path, storage::Durability::full));
  const Space space = store->create_space(kSpace, kActor);
  add_events(space, pending, now() + std::chrono::hours(24), false);
  std::mutex mutex;
  std::vector<double> delays;
  const auto seen = [&](const Firing& firing) {
    const auto late = now() - firing.attempt.trigger_at;
    const std::lock_guard lock(mutex);
    delays.push_back(static_cast<double>(late.count()));
  };
  Scheduler scheduler(*store, nothing(seen), {.tick = 0ms});
  std::jthread runner([&](const std::stop_token& stop) { scheduler.run(stop); });
  for (std::size_t i = 0; i < samples; ++i) {
    require(space.events().insert_if_absent(event_at(now() + 15ms, false)).applied(), "not made");
    wall_clock.sleep_for(30ms);
  }
  wall_clock.sleep_for(200ms);
  runner.request_stop();
  runner.join();
  require(delays.size() == samples, "not all have fired");
  std::printf("{\"bench\":\"scheduler\",\"name\":\"firing delay, %zu pending\",\"samples\":%zu,"
              "\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"target_p50_ms\":5}\n",
              pending, samples, quantile(delays, 0.5) / 1000, quantile(delays, 0.99) / 1000);
}

/// One drain of a few due events beside many that are not due.
void beside_the_future(std::size_t rounds, std::size_t future) {
  const Folder folder;
  const auto path = folder.file("future.db");
  const auto store = Store::open(options_for(path, storage::Durability::normal));
  const Space space = store->create_space(kSpace, kActor);
  Scheduler scheduler(*store, nothing(), {.threads = 1, .tick = 0ms});
  const auto drain_of_100 = [&] {
    add_events(space, 100, now() - 1s, true);
    return measure(100, Cpu::process, [&] {
             require(scheduler.drain_once().fired == 100, "not all have fired");
           })
        .cpu_us;
  };
  std::vector<double> alone;
  std::vector<double> beside;
  for (std::size_t i = 0; i < rounds; ++i) alone.push_back(drain_of_100());
  add_events(space, future, now() + std::chrono::hours(24), true);
  (void)drain_of_100();
  for (std::size_t i = 0; i < rounds; ++i) beside.push_back(drain_of_100());
  std::printf("{\"bench\":\"scheduler\",\"name\":\"drain beside %zu events not due\","
              "\"cpu_us_per_event_alone\":%.1f,\"cpu_us_per_event_beside\":%.1f,\"ratio\":%.2f}\n",
              future, median(alone), median(beside), median(beside) / median(alone));
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  using namespace holdfast;
  const bench::Arguments arguments(argc, argv,
                                   {{"rounds", 5},
                                    {"events", 10'000},
                                    {"threads", 32},
                                    {"samples", 200},
                                    {"pending", 100'000}});
  try {
    bench::drain_all(arguments["events"], arguments["rounds"], true, 1);
    bench::drain_all(arguments["events"], arguments["rounds"], false, arguments["threads"]);
    bench::firing_delay(arguments["samples"], 0);
    bench::firing_delay(arguments["samples"], arguments["pending"]);
    bench::beside_the_future(arguments["rounds"] * 4, arguments["pending"]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_scheduler: %s\n", error.what());
    return 1;
  }
}
