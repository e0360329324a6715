#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/journal/appender.h>
#include <holdfast/schedule/attempt.h>
#include <holdfast/schedule/event.h>
#include <holdfast/storage/lease.h>
#include <holdfast/storage/page.h>

namespace holdfast::schedule {

/// The right of one worker to carry an occurrence through: a lease on the event, and the open
/// attempt. Each step of it is guarded by both, so a worker that was stopped past its lease is
/// refused by number when it goes on.
struct Claim {
  ScheduledEvent event;  ///< as it was when it was claimed
  Attempt attempt;
  storage::Lease lease;
};

/// How an attempt ended.
struct AttemptEnd {
  AttemptState state = AttemptState::succeeded;
  std::optional<Effect> effect{};
  std::string error{};
};

struct ClaimRequest {
  const ScheduledEvent& event;     ///< as it was seen to be due
  Timestamp trigger_at;            ///< of the occurrence
  std::uint64_t passed_over = 0;
  Uuid invocation;
  std::string_view worker;
  std::chrono::microseconds lease;
  /// Of an occurrence that is not to happen; stored with the claim, so that whoever takes it over
  /// knows that.
  std::optional<AttemptEnd> end{};
};

/// Claims what was seen, if it still is so: live, pending, with that trigger and revision, nobody
/// at it and no retry to wait for. A retry keeps the occurrence that was tried before. Absent, with
/// nothing written, when something has changed.
std::optional<Claim> claim_event(storage::Transaction& transaction, std::string_view space,
                                 const ClaimRequest& request, Timestamp now);

/// Takes over an attempt whose worker's lease has ended. Absent when it has not, or when nothing is
/// open.
std::optional<Claim> take_over(storage::Transaction& transaction, std::string_view space,
                               ScheduledEventId event, std::string_view worker, Timestamp now,
                               std::chrono::microseconds lease);

/// Says that the handler is about to be called. False, with nothing written, here and below, when
/// the claim is somebody else's by now.
bool mark_invoking(storage::Transaction& transaction, std::string_view space, const Claim& claim,
                   bool is_idempotent, Timestamp now);

/// Stores how the handler's call ended.
bool store_outcome(storage::Transaction& transaction, std::string_view space, const Claim& claim,
                   const AttemptEnd& end, Timestamp now);

/// What becomes of an event whose attempt ended. All of it comes from one read of the event.
struct Finish {
  AttemptEnd end;
  std::optional<Timestamp> retry_at{};
  const ScheduledEvent& read;                ///< the event as it was read
  std::optional<ScheduledEvent> next{};      ///< what it becomes; absent: it stays as it is
  std::string_view op{};                     ///< of the journal's event: fire, rearm, miss, fail
};
/// Closes the attempt, writes the event and gives the lease up. Nothing is written, and the answer
/// is false, unless the claim still stands and the event is exactly what was read.
bool finish(journal::Appender& appender, const Claim& claim, const Finish& finish);

/// The attempt that is open.
std::optional<Attempt> open_attempt(storage::Transaction& transaction, std::string_view space,
                                    ScheduledEventId event);
/// The attempts that are open, up to `limit`.
std::vector<Attempt> open_attempts(storage::Transaction& transaction, std::string_view space,
                                   std::size_t limit);
/// The last attempt that was made for the event's present trigger.
std::optional<Attempt> last_attempt(storage::Transaction& transaction, std::string_view space,
                                    const ScheduledEvent& event);
/// An event's attempts, newest occurrence first, of one the last attempt first.
Page<Attempt> attempts_of(storage::Transaction& transaction, std::string_view space,
                          ScheduledEventId event, const PageRequest& page);
/// Removes an event's attempts and its lease.
void forget_attempts(storage::Transaction& transaction, std::string_view space,
                     ScheduledEventId event);

/// Under its field names; times in microseconds.
std::string to_json(const Attempt& attempt);

}  // namespace holdfast::schedule
