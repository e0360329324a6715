#include "space_drain.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <holdfast/journal/journal.h>
#include <holdfast/schedule/event_store.h>

namespace holdfast::scheduler {
namespace {

/// Before the first event that can be due.
constexpr schedule::DuePlace kBeginning{.trigger_at = Timestamp::min(), .id = {}};

}  // namespace

SpaceDrain::SpaceDrain(Space space, const Handlers& handlers, const SchedulerOptions& options,
                       const std::string& worker, LeaseKeeper& keeper, Tally& tally)
    : space_(std::move(space)),
      options_(options),
      tally_(tally),
      carrier_(space_, handlers, options, worker, keeper, tally),
      place_(kBeginning) {}

void SpaceDrain::at(std::string_view point) const { space_.access().environment.faults.at(point); }

auto SpaceDrain::take_turn(WorkerPool& pool, std::size_t calls_max, const std::stop_token& stop)
    -> Turn {
  core::Clock& clock = space_.access().environment.clock;
  if (!std::exchange(is_under_way_, true)) began_at_ = clock.now();
  const bool reclaimed = reclaim();
  const auto due = look(clock.now());
  if (due.empty()) {
    // The end of a sweep; what has been armed meanwhile is met by the next one.
    place_ = kBeginning;
    is_under_way_ = false;
    const bool left_some = std::exchange(left_some_, false);
    if (std::exchange(found_some_, false) || reclaimed) return Turn::done;
    return left_some ? Turn::saturated : Turn::idle;
  }
  place_ = {.trigger_at = due.back().event.trigger_at, .id = due.back().event.id};
  const auto chosen = choose(due, calls_max);
  if (chosen.empty()) return Turn::done;  // the sweep goes on behind them
  auto claimed = carrier_.claim(chosen);
  found_some_ = found_some_ || !claimed.empty();
  carry_out(std::move(claimed), pool, stop);
  return Turn::done;
}

bool SpaceDrain::reclaim() {
  std::vector<ScheduledEventId> abandoned;
  {
    const auto snapshot = space_.access().database.snapshot();
    abandoned = schedule::abandoned_events(snapshot->transaction(), space_.name(),
                                           space_.access().environment.clock.now(),
                                           options_.batch);
  }
  if (abandoned.empty()) return false;
  at("scheduler.reclaim");
  auto taken = carrier_.reclaim(abandoned);
  const bool took_some = !taken.empty();
  if (took_some) carrier_.conclude(std::move(taken));
  return took_some;
}

std::vector<Admitted> SpaceDrain::look(Timestamp now) {
  std::vector<Admitted> due;
  {
    const auto snapshot = space_.access().database.snapshot();
    storage::Transaction& transaction = snapshot->transaction();
    (void)journal::tail(transaction, space_.name());  // the space must be there
    for (ScheduledEvent& event :
         schedule::due_events(transaction, space_.name(), now, place_, options_.batch)) {
      // Only of one that is late it matters whether it was admitted before.
      const bool is_late = event.repeat || now - event.trigger_at > event.grace;
      const bool was_tried =
          is_late && schedule::last_attempt(transaction, space_.name(), event).has_value();
      Admission admission = admit(event, was_tried, now);
      due.push_back({.event = std::move(event), .admission = std::move(admission)});
    }
  }
  if (!due.empty()) at("scheduler.page");
  tally_.add({.scanned = due.size()});
  return due;
}

std::vector<Admitted> SpaceDrain::choose(std::vector<Admitted> due, std::size_t calls_max) {
  const std::size_t own = options_.in_flight_per_space;
  std::size_t calls = own == 0 ? calls_max : std::min(calls_max, own);
  calls -= std::min(calls, in_flight_.load());
  std::uint64_t without_handler = 0;
  std::erase_if(due, [&](const Admitted& admitted) {
    if (admitted.admission.verdict != Admit::fire || carrier_.is_plan(admitted.event)) return false;
    if (carrier_.handler_of(admitted.event) == nullptr) {
      ++without_handler;
      return true;
    }
    if (calls == 0) {
      left_some_ = true;
      return true;
    }
    --calls;
    return false;
  });
  tally_.add({.unhandled = without_handler});
  return due;
}

void SpaceDrain::carry_out(std::vector<Carried> claimed, WorkerPool& pool,
                           const std::stop_token& stop) {
  std::vector<Carried> at_once;
  for (Carried& carried : claimed) {
    if (carried.ending || carrier_.is_plan(carried.claim.event)) {
      at_once.push_back(std::move(carried));
      continue;
    }
    ++in_flight_;
    pool.add([this, stop, one = std::make_shared<Carried>(std::move(carried))] {
      try {
        carrier_.invoke(std::move(*one), stop);
      } catch (...) {
        tally_.fail(std::current_exception());
      }
      --in_flight_;
    });
  }
  if (!at_once.empty()) carrier_.conclude(std::move(at_once));
}

std::optional<Timestamp> SpaceDrain::next_due() const {
  const auto snapshot = space_.access().database.snapshot();
  return schedule::next_due(snapshot->transaction(), space_.name(), began_at_, began_at_);
}

bool SpaceDrain::has_events() const {
  const auto snapshot = space_.access().database.snapshot();
  return schedule::has_events(snapshot->transaction(), space_.name());
}

}  // namespace holdfast::scheduler
