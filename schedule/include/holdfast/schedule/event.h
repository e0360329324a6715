#pragma once

// Thread safety: values and functions without state; any thread.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <holdfast/core/id.h>
#include <holdfast/core/json_text.h>
#include <holdfast/core/revision.h>
#include <holdfast/journal/filter.h>

namespace holdfast {

using ScheduledEventId = Id<struct ScheduledEventTag>;

/// What an event does when its time has come.
enum class EventKind {
  remind,  ///< leaves a note, or calls the host's handler for reminders
  action,  ///< applies a plan, or calls a handler of the host by name
};
std::string_view to_string(EventKind kind);

enum class EventStatus {
  pending,    ///< armed: it happens at trigger_at
  fired,      ///< it has happened, and does not repeat
  missed,     ///< its time passed while nobody was at work, and it is not to be caught up on
  failed,     ///< it cannot happen, or did not, and is not tried again
  cancelled,  ///< by a caller
};
std::string_view to_string(EventStatus status);
/// Throws InvalidArgument naming `field`.
EventStatus parse_event_status(std::string_view field, std::string_view text);
EventKind parse_event_kind(std::string_view field, std::string_view text);

/// What becomes of occurrences whose time passed longer ago than `grace`.
enum class CatchUp {
  latest,  ///< the last one happens, late; those before it are passed over
  all,     ///< each happens, one after the other
  none,    ///< none does: they are missed
};
std::string_view to_string(CatchUp catch_up);
CatchUp parse_catch_up(std::string_view field, std::string_view text);

/// What an agent wants to be reminded of or done later, once or again and again. This is what its
/// writers say; how far the scheduler is with it stands elsewhere, so that firing and editing do
/// not collide: see Attempt.
struct ScheduledEvent {
  ScheduledEventId id;              ///< nil in a new event: one is made
  EventKind kind = EventKind::remind;
  /// remind: {"text", "about"?: an entity's id}. action: {"action": the handler's name, "input"?}
  /// or {"plan": a plan's document}.
  JsonObject payload;
  /// When it happens next, as its writer put it, kept verbatim: see schedule::parse_trigger().
  std::string trigger_text{};
  /// A name of the time-zone database, a fixed offset, or empty in a new event: then the offset in
  /// trigger_text, else UTC.
  std::string zone{};
  /// See schedule::Recurrence; absent: once.
  std::optional<std::string> repeat{};
  /// The trigger that the repeats are counted from, in the form of trigger_text. Absent in an event
  /// that repeats: trigger_text, as it is now. The scheduler never moves it. Who moves the trigger
  /// or changes `repeat` and wants the series to begin anew resets it; a patch does so by itself.
  std::optional<std::string> anchor{};
  CatchUp catch_up = CatchUp::latest;
  /// How late an occurrence may be and still count as in time.
  std::chrono::microseconds grace{std::chrono::minutes(5)};
  /// Times that an occurrence is tried when it fails and provably did nothing.
  unsigned max_attempts = 5;
  EventStatus status = EventStatus::pending;
  JsonObject properties{};
  /// The instant of trigger_text in `zone`; whatever a writer gives is replaced.
  Timestamp trigger_at{};
  Timestamp created_at{};
  Revision revision{};
  std::optional<Timestamp> deleted_at{};  ///< absent while live
  Sequence seq = 0;                     ///< of its last change
  bool operator==(const ScheduledEvent&) const = default;
};

/// Without a status or a deletion mark all live events pass.
struct EventFilter : RowFilter {
  std::optional<EventKind> kind{};
  std::optional<EventStatus> status{};
  TimeRange trigger{};  ///< of trigger_at
};

}  // namespace holdfast
