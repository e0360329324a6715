#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <holdfast/schedule/event.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::schedule {

/// A place in the order in which events fall due.
struct DuePlace {
  Timestamp trigger_at{};
  ScheduledEventId id{};
};

/// The live, pending events whose trigger is not after `now`, in the order of (trigger, id) behind
/// `after`, but for those that a worker has and those whose next attempt is to wait. The cost does
/// not grow with events that are not due yet.
std::vector<ScheduledEvent> due_events(storage::Transaction& transaction, std::string_view space,
                                       Timestamp now, const DuePlace& after, std::size_t limit);

/// The live, pending events, whatever their trigger, in that order behind `after`.
std::vector<ScheduledEvent> pending_events(storage::Transaction& transaction,
                                           std::string_view space, const DuePlace& after,
                                           std::size_t limit);

/// The earliest instant behind `after` at which there is something to do: an event that nobody has
/// falls due, a retry does, or a worker's lease ends. Absent when nothing waits. Retries that are
/// over by `now` count as due events.
std::optional<Timestamp> next_due(storage::Transaction& transaction, std::string_view space,
                                  Timestamp now, Timestamp after = Timestamp::min());

/// Of the events that are armed.
struct ArmedCounts {
  std::uint64_t pending = 0;
  std::uint64_t due = 0;      ///< now, and nobody has them
  std::uint64_t waiting = 0;  ///< for their next attempt
};
ArmedCounts count_armed(storage::Transaction& transaction, std::string_view space, Timestamp now);

/// Whether the space has any scheduled event, live or not.
bool has_events(storage::Transaction& transaction, std::string_view space);

/// Events whose worker's lease has ended by `now`, those that ended first before the others.
std::vector<ScheduledEventId> abandoned_events(storage::Transaction& transaction,
                                               std::string_view space, Timestamp now,
                                               std::size_t limit);

}  // namespace holdfast::schedule
