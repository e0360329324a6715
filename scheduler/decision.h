#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include <holdfast/core/random.h>
#include <holdfast/schedule/attempt.h>
#include <holdfast/schedule/claims.h>
#include <holdfast/schedule/event.h>
#include <holdfast/scheduler/drain_report.h>

namespace holdfast::scheduler {

/// How an attempt ended, before the event is asked what that means for it.
struct Ending {
  schedule::AttemptEnd end;
  enum class Again {
    no,
    later,  ///< it did nothing, or may be done twice
    now,    ///< it was not begun
  };
  Again again = Again::no;
};

struct Backoff {
  std::chrono::microseconds least;
  std::chrono::microseconds most;
};

/// What is stored of the attempt and the event.
struct Decision {
  schedule::AttemptEnd end;
  std::optional<Timestamp> retry_at{};
  std::optional<ScheduledEvent> next{};  ///< absent: the event stays as it was read
  std::string_view op{};
  DrainReport counts{};                  ///< of this one, once it is stored
};

/// Whether the event, as it was read, is to happen as the attempt was made to: not edited,
/// cancelled or deleted since, when its writer's word stands.
bool is_still_armed(const ScheduledEvent& read, const Attempt& attempt);

/// Decides what becomes of an event from a fresh read of it and of nothing else: its trigger, zone,
/// repeat, anchor and status as they are now. What the claim saw only tells whether the event is
/// still armed for the occurrence that was tried.
Decision decide(const ScheduledEvent& read, const Attempt& attempt, const Ending& ending,
                Timestamp now, const Backoff& backoff, core::Random& random);

}  // namespace holdfast::scheduler
