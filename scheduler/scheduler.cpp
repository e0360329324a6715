#include <holdfast/scheduler/scheduler.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include <spdlog/spdlog.h>

#include <holdfast/core/error.h>
#include <holdfast/core/log.h>
#include <holdfast/schedule/due.h>

#include "carrier.h"
#include "space_drain.h"
#include "tick.h"
#include "worker_pool.h"

namespace holdfast {
namespace {

using namespace scheduler;
using Turn = SpaceDrain::Turn;

void require_positive(const char* field, std::int64_t value) {
  if (value > 0) return;
  throw InvalidArgument(field, std::to_string(value), "be positive");
}

void check_options(const SchedulerOptions& options) {
  constexpr std::size_t kThreadsMax = 1024;
  constexpr std::size_t kBatchMax = 10'000;
  if (options.threads < 1 || options.threads > kThreadsMax) {
    throw InvalidArgument("threads", std::to_string(options.threads), "be 1 to 1,024");
  }
  if (options.batch < 1 || options.batch > kBatchMax) {
    throw InvalidArgument("batch", std::to_string(options.batch), "be 1 to 10,000");
  }
  require_positive("lease", options.lease.count());
  require_positive("invocation_limit", options.invocation_limit.count());
  require_positive("retry_min", options.retry_min.count());
  if (options.retry_max < options.retry_min) {
    throw InvalidArgument("retry_max", std::to_string(options.retry_max.count()),
                          "not be below retry_min");
  }
  if (options.tick.count() < 0) {
    throw InvalidArgument("tick", std::to_string(options.tick.count()), "not be negative");
  }
}

}  // namespace

class Scheduler::Core {
 public:
  Core(Store& store, Handlers handlers, SchedulerOptions options)
      : store_(store),
        handlers_(std::move(handlers)),
        options_(std::move(options)),
        worker_(options_.actor + ", run " + to_string(store.environment().ids.next())),
        keeper_(options_.lease, options_.invocation_limit) {
    check_options(options_);
  }

  const std::string& worker() const { return worker_; }

  DrainReport drain_once(const std::stop_token& stop) {
    const std::lock_guard one(draining_);
    WorkerPool pool(threads());
    while (!stop.stop_requested()) {
      const Turn turn = sweep(pool, stop);
      const std::size_t in_flight = pool.in_flight();
      if (turn == Turn::done) continue;
      if (in_flight > 0) {
        pool.wait_below(in_flight);
      } else if (turn == Turn::idle) {
        break;
      }
    }
    pool.wait_below(1);
    return settle();
  }

  void run(const std::stop_token& stop, const std::function<void(const DrainReport&)>& on_drain) {
    const std::lock_guard one(draining_);
    WorkerPool pool(threads());
    Pause pause;
    while (!stop.stop_requested()) {
      const Seen seen{.commits = database().commits(), .ended = pool.ended()};
      try {
        Turn turn = Turn::done;
        while (turn == Turn::done && !stop.stop_requested()) {
          turn = sweep(pool, stop);
          report(on_drain);
        }
        tally_.rethrow();
        tick(false);
        pause = {};
        wait(seen, turn == Turn::saturated ? &pool : nullptr, stop);
      } catch (const Error& error) {
        core::log()->warn("scheduler: {}", error.what());
        pause.wait(environment(), stop);
      }
    }
    pool.wait_below(1);
    report(on_drain);
    try {
      tally_.rethrow();
      tick(true);
    } catch (const Error& error) {
      core::log()->warn("scheduler: {}", error.what());
    }
  }

 private:
  /// What there was before a sweep: whoever waits then waits for more.
  struct Seen {
    std::uint64_t commits = 0;
    std::uint64_t ended = 0;
  };
  /// Errors come one after the other while the cause lasts.
  struct Pause {
    std::chrono::milliseconds next{50};
    void wait(core::Environment& environment, const std::stop_token& stop) {
      constexpr std::chrono::milliseconds kSlice{20};
      for (auto left = next; left.count() > 0 && !stop.stop_requested(); left -= kSlice) {
        environment.clock.sleep_for(std::min(left, kSlice));
      }
      next = std::min(next * 2, std::chrono::milliseconds(5000));
    }
  };

  std::size_t threads() const { return options_.threads == 1 ? 0 : options_.threads; }
  storage::Database& database() { return store_.database(); }
  core::Environment& environment() { return store_.environment(); }

  /// One turn for each space. The first one changes, so that none is always served last.
  Turn sweep(WorkerPool& pool, const std::stop_token& stop) {
    find_spaces();
    Turn all = Turn::idle;
    const std::size_t count = spaces_.size();
    for (std::size_t i = 0; i < count && !stop.stop_requested(); ++i) {
      SpaceDrain& space = *spaces_[(first_ + i) % count];
      try {
        const Turn turn = space.take_turn(pool, share(space, pool), stop);
        if (turn == Turn::done || all == Turn::idle) all = turn;
      } catch (const NotFound& error) {
        // Deleted since it was listed; one that was asked for by name is missed below.
        if (!options_.spaces.empty()) throw;
        core::log()->info("scheduler: {}", error.what());
      }
    }
    if (count > 0) first_ = (first_ + 1) % count;
    return all;
  }

  /// How many calls of handlers one space may take at a time: of several none takes all threads, so
  /// that its slow handlers leave one to the others. Only a few wait for a thread, as their leases
  /// are not renewed before they have one.
  std::size_t share(const SpaceDrain& space, const WorkerPool& pool) const {
    const std::size_t threads = options_.threads;
    if (threads == 1) return 1;
    const std::size_t all = 2 * threads;
    const std::size_t room = all - std::min(all, pool.in_flight());
    return std::min(spaces_.size() == 1 ? all : threads - 1, space.in_flight() + room);
  }

  void find_spaces() {
    std::vector<std::string> names = options_.spaces;
    if (names.empty()) {
      PageRequest page{.limit = 1000};
      for (;;) {
        const auto found = store_.spaces(page);
        names.insert(names.end(), found.items.begin(), found.items.end());
        if (!found.next) break;
        page.cursor = *found.next;
      }
    }
    std::erase_if(spaces_, [&](const auto& space) {
      return std::find(names.begin(), names.end(), space->name()) == names.end() &&
             space->in_flight() == 0;
    });
    for (const std::string& name : names) {
      const bool is_known = std::any_of(spaces_.begin(), spaces_.end(),
                                        [&](const auto& space) { return space->name() == name; });
      if (!is_known) add_space(name);
    }
  }

  void add_space(const std::string& name) {
    spaces_.push_back(std::make_unique<SpaceDrain>(store_.space(name, options_.actor), handlers_,
                                                   options_, worker_, keeper_, tally_));
  }

  /// Sleeps until a commit of anybody's, until something falls due, or until a call in `full` has
  /// ended.
  void wait(const Seen& seen, const WorkerPool* full, const std::stop_token& stop) {
    // A process that is killed behind its commit wakes nobody, and clocks are set: each second it
    // is looked again.
    constexpr std::chrono::milliseconds kLookAgain{1000};
    // Stops, which are no commits, are noticed in between.
    constexpr std::chrono::milliseconds kSlice{100};
    std::optional<Timestamp> next;
    for (const auto& space : spaces_) {
      const auto due = space->next_due();
      if (due && (!next || *due < *next)) next = due;
    }
    const Timestamp until = std::min(next.value_or(Timestamp::max()),
                                     environment().clock.now() + kLookAgain);
    // A call ends shortly behind its last commit, so that is where it is looked for most often.
    std::chrono::milliseconds slice = full == nullptr ? kSlice : std::chrono::milliseconds(1);
    while (!stop.stop_requested() && (full == nullptr || full->ended() == seen.ended)) {
      const auto left = until - environment().clock.now();
      if (left.count() <= 0) return;
      const auto limit = std::min(slice, std::chrono::ceil<std::chrono::milliseconds>(left));
      if (database().wait_for_commit(seen.commits, limit)) break;
      slice = std::min(2 * slice, kSlice);
    }
    // Others' commits may come by the thousand; the next look can take them all in.
    constexpr std::chrono::microseconds kGather{1000};
    const auto left = until - environment().clock.now();
    if (left > kGather) environment().clock.sleep_for(kGather);
  }

  DrainReport settle() {
    const DrainReport done = tally_.take();
    {
      const std::lock_guard lock(total_mutex_);
      total_ += done;
    }
    tally_.rethrow();
    return done;
  }

  void report(const std::function<void(const DrainReport&)>& on_drain) {
    const DrainReport done = tally_.take();
    {
      const std::lock_guard lock(total_mutex_);
      total_ += done;
    }
    if (on_drain && (done.claimed > 0 || done.reclaimed > 0 || done.finalized > 0)) {
      on_drain(done);
    }
  }

  void tick(bool is_last) {
    if (options_.tick.count() == 0) return;
    const auto elapsed = environment().clock.elapsed();
    if (!is_last && last_tick_ && elapsed - *last_tick_ < options_.tick) return;
    last_tick_ = elapsed;
    for (const auto& space : spaces_) {
      if (space->has_events()) report_tick(space->space(), options_.tick, total(), worker_);
    }
  }

 public:
  DrainReport total() const {
    const std::lock_guard lock(total_mutex_);
    return total_;
  }

 private:
  Store& store_;
  Handlers handlers_;
  SchedulerOptions options_;
  std::string worker_;
  Tally tally_;
  std::vector<std::unique_ptr<SpaceDrain>> spaces_;
  std::size_t first_ = 0;
  LeaseKeeper keeper_;
  std::optional<std::chrono::microseconds> last_tick_;
  std::mutex draining_;
  mutable std::mutex total_mutex_;
  DrainReport total_;
};

Scheduler::Scheduler(Store& store, Handlers handlers, SchedulerOptions options)
    : core_(std::make_unique<Core>(store, std::move(handlers), std::move(options))) {}
Scheduler::~Scheduler() = default;

DrainReport Scheduler::drain_once(const std::stop_token& stop) { return core_->drain_once(stop); }

void Scheduler::run(const std::stop_token& stop,
                    const std::function<void(const DrainReport&)>& on_drain) {
  core_->run(stop, on_drain);
}

DrainReport Scheduler::total() const { return core_->total(); }
const std::string& Scheduler::worker() const { return core_->worker(); }

}  // namespace holdfast
