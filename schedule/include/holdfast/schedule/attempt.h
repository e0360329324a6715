#pragma once

// Thread safety: values and functions without state; any thread.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <holdfast/core/clock.h>
#include <holdfast/core/id.h>
#include <holdfast/schedule/event.h>

namespace holdfast {

/// How far one attempt at an occurrence is, or how it ended.
enum class AttemptState {
  claimed,        ///< a worker has it; nothing was begun
  invoking,       ///< the handler was about to be called, or is at work
  succeeded,
  failed,
  indeterminate,  ///< whether it happened is not known; it is never tried again by itself
  not_invoked,    ///< given back or refused before anything was begun
  missed,         ///< its time had passed
};
std::string_view to_string(AttemptState state);

/// What a failed attempt has left behind.
enum class Effect {
  committed,      ///< it did its work, or part of it
  not_committed,  ///< it provably did nothing: only then it may be tried again
  unknown,
};
std::string_view to_string(Effect effect);

/// One attempt of one worker at one occurrence of an event: the receipt. Neither journaled nor
/// revisioned; it is what the store knows of the world outside.
struct Attempt {
  Uuid occurrence;       ///< schedule::occurrence_id(): the same for all attempts at an occurrence
  unsigned number = 1;   ///< among them
  ScheduledEventId event;
  Timestamp trigger_at;  ///< of the occurrence
  /// The event's trigger as the worker saw it; earlier than trigger_at when occurrences were passed
  /// over.
  Timestamp armed_at;
  Uuid invocation;       ///< of this attempt alone
  std::string worker;
  AttemptState state = AttemptState::claimed;
  std::optional<Effect> effect{};  ///< of what failed
  std::string error{};             ///< with credentials masked
  /// Earlier occurrences that this one stands for.
  std::uint64_t passed_over = 0;
  /// Which one it is in the series of retries that it belongs to; a caller's retry begins a series.
  unsigned tries = 1;
  bool is_idempotent = false;      ///< its handler may be called again for the same occurrence
  Timestamp claimed_at;
  std::optional<Timestamp> invoked_at{};
  std::optional<Timestamp> completed_at{};  ///< its outcome was stored then
  std::optional<Timestamp> finished_at{};   ///< the event was told then; absent: still open
  std::optional<Timestamp> retry_at{};      ///< not before then
  bool operator==(const Attempt&) const = default;
};

namespace schedule {

/// UUIDv5 of the event and the instant, so that whoever tries an occurrence gives it one name.
Uuid occurrence_id(ScheduledEventId event, Timestamp trigger_at);

}  // namespace schedule
}  // namespace holdfast
