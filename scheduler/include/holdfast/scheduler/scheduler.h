#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/scheduler/drain_report.h>
#include <holdfast/scheduler/handlers.h>
#include <holdfast/space/store.h>

namespace holdfast {

struct SchedulerOptions {
  /// Whose events are carried out; empty: those of every space, new ones included.
  std::vector<std::string> spaces{};
  /// Who is recorded as having armed, fired and missed events, and as the worker in attempts.
  std::string actor = "scheduler";
  /// Handlers that are called at once. With one they are called in the thread that drains, one
  /// after the other.
  std::size_t threads = 4;
  /// Events that one transaction claims, or finishes, at most.
  std::size_t batch = 64;
  /// Of one space, claimed and not finished, at most; 0: no limit of its own.
  std::size_t in_flight_per_space = 0;
  /// How long a worker's claim lasts unless it is renewed, which happens each third of it.
  std::chrono::milliseconds lease{30'000};
  /// After which a handler's claim is renewed no more, and it is asked to stop.
  std::chrono::milliseconds invocation_limit{10 * 60'000};
  /// Before the second attempt; doubled for each one after, between half of it and all at random.
  std::chrono::milliseconds retry_min{1000};
  std::chrono::milliseconds retry_max{10 * 60'000};
  /// How often run() reports that it is alive, as the heartbeat "scheduler" of each space that has
  /// scheduled events; zero: never. Each report is an event of the space's journal.
  std::chrono::milliseconds tick{60'000};
};

/// What is known of a space's schedule.
struct SchedulerStatus {
  std::uint64_t pending = 0;            ///< events that are armed
  std::uint64_t due = 0;                ///< that are due now and that nobody has
  std::uint64_t waiting = 0;            ///< whose next attempt is to wait
  std::vector<Attempt> open{};          ///< under way, up to 100
  std::optional<Timestamp> next_at{};   ///< when there will be something to do
};

/// Carries out the scheduled events of a store: any number of these, in any number of processes,
/// share the work. Every occurrence is claimed by one; what an event becomes afterwards is decided
/// from a read of it as it then is, and refused when it has moved since.
/// Thread safety: any thread. Must not outlive the Store.
class Scheduler {
 public:
  /// Throws InvalidArgument for options that make no sense.
  Scheduler(Store& store, Handlers handlers, SchedulerOptions options = {});
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Carries out all that is due, waits until it has ended, and reports. Throws NotFound for a
  /// space of the options that is not there, Busy, Unavailable, OutcomeUnknown; what was claimed is
  /// then left to whoever drains when the lease has ended. Asked to stop, it ends as run() does. A
  /// second call, of this or of run(), waits until the first has ended.
  DrainReport drain_once(const std::stop_token& stop = {});

  /// Does so whenever something falls due, until it is asked to stop: then it calls no more
  /// handlers, gives back what it had not begun, and waits for what it had. Wakes up for writes of
  /// any process. Errors are logged, and tried again after a growing pause. `on_drain`, when there
  /// is one, is told after each drain that did something.
  void run(const std::stop_token& stop,
           const std::function<void(const DrainReport&)>& on_drain = {});

  /// What all drains of this object did.
  DrainReport total() const;
  /// As recorded in attempts: the actor, and a name of this run's own.
  const std::string& worker() const;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

/// Throws NotFound when there is no such space.
SchedulerStatus scheduler_status(const Space& space);

}  // namespace holdfast
