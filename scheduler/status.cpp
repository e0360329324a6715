#include <holdfast/schedule/claims.h>
#include <holdfast/schedule/due.h>
#include <holdfast/schedule/event_store.h>
#include <holdfast/scheduler/scheduler.h>

namespace holdfast {

SchedulerStatus scheduler_status(const Space& space) {
  const Access& access = space.access();
  const auto snapshot = access.database.snapshot();
  storage::Transaction& transaction = snapshot->transaction();
  (void)journal::tail(transaction, space.name());  // the space must be there
  const Timestamp now = access.environment.clock.now();
  constexpr std::size_t kOpenMax = 100;
  const schedule::ArmedCounts counts = schedule::count_armed(transaction, space.name(), now);
  return {.pending = counts.pending,
          .due = counts.due,
          .waiting = counts.waiting,
          .open = schedule::open_attempts(transaction, space.name(), kOpenMax),
          .next_at = schedule::next_due(transaction, space.name(), now)};
}

}  // namespace holdfast
