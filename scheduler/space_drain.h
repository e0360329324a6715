#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <holdfast/schedule/due.h>

#include "carrier.h"
#include "worker_pool.h"

namespace holdfast::scheduler {

/// What one scheduler does in one space, a batch at a turn: takes over what was abandoned, looks
/// for what is due, admits and claims it, and sees to it that it is carried out.
/// Thread safety: turns one at a time; what they hand to the pool runs beside them.
class SpaceDrain {
 public:
  /// All but the space must outlive it.
  SpaceDrain(Space space, const Handlers& handlers, const SchedulerOptions& options,
             const std::string& worker, LeaseKeeper& keeper, Tally& tally);

  const std::string& name() const { return space_.name(); }
  const Space& space() const { return space_; }
  /// Calls of handlers that are in the pool.
  std::size_t in_flight() const { return in_flight_.load(); }

  enum class Turn {
    done,       ///< there was something to do, and there may be more
    idle,       ///< there was nothing to do
    saturated,  ///< what is due has to wait until a call ends
  };
  /// Handlers' calls go to the pool, up to `calls_max` of this space at a time.
  Turn take_turn(WorkerPool& pool, std::size_t calls_max, const std::stop_token& stop);

  /// When there will be something to do that the last sweep has not looked at; so what waits for a
  /// handler that is not here, or for a thread, does not count.
  std::optional<Timestamp> next_due() const;
  bool has_events() const;

 private:
  bool reclaim();
  std::vector<Admitted> look(Timestamp now);
  /// Of those that a handler is called for, only as many as may be begun.
  std::vector<Admitted> choose(std::vector<Admitted> due, std::size_t calls_max);
  void carry_out(std::vector<Carried> claimed, WorkerPool& pool, const std::stop_token& stop);
  void at(std::string_view point) const;

  Space space_;
  const SchedulerOptions& options_;
  Tally& tally_;
  Carrier carrier_;
  schedule::DuePlace place_{};   ///< how far this sweep of the space is
  Timestamp began_at_{};         ///< the sweep, or the last one
  bool is_under_way_ = false;    ///< the sweep
  bool found_some_ = false;      ///< to do, in this sweep
  bool left_some_ = false;       ///< for want of a thread, in this sweep
  std::atomic<std::size_t> in_flight_{0};
};

}  // namespace holdfast::scheduler
