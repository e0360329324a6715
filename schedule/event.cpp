#include <holdfast/schedule/event.h>

#include <array>

#include <holdfast/core/error.h>
#include <holdfast/schedule/attempt.h>

#include "names.h"

namespace holdfast {
namespace {

constexpr std::array<std::string_view, 2> kKinds = {"remind", "action"};
constexpr std::array<std::string_view, 5> kStatuses = {"pending", "fired", "missed", "failed",
                                                       "cancelled"};
constexpr std::array<std::string_view, 3> kCatchUps = {"latest", "all", "none"};
constexpr std::array<std::string_view, 7> kStates = {"claimed",       "invoking",    "succeeded",
                                                     "failed",        "indeterminate",
                                                     "not_invoked",   "missed"};
constexpr std::array<std::string_view, 3> kEffects = {"committed", "not_committed", "unknown"};

/// Of the occurrences' ids. Part of the file format.
constexpr Uuid kOccurrences = {{0x5d, 0x6b, 0x0e, 0x1c, 0x0a, 0x53, 0x4f, 0x0a, 0x9c, 0x5e, 0x2f,
                                0x31, 0x7b, 0x64, 0xd8, 0x21}};

}  // namespace

std::string_view to_string(EventKind kind) { return schedule::name_of(kKinds, kind); }
EventKind parse_event_kind(std::string_view field, std::string_view text) {
  return schedule::parse_name<EventKind>(field, kKinds, text);
}

std::string_view to_string(EventStatus status) { return schedule::name_of(kStatuses, status); }
EventStatus parse_event_status(std::string_view field, std::string_view text) {
  return schedule::parse_name<EventStatus>(field, kStatuses, text);
}

std::string_view to_string(CatchUp catch_up) { return schedule::name_of(kCatchUps, catch_up); }
CatchUp parse_catch_up(std::string_view field, std::string_view text) {
  return schedule::parse_name<CatchUp>(field, kCatchUps, text);
}

std::string_view to_string(AttemptState state) { return schedule::name_of(kStates, state); }
std::string_view to_string(Effect effect) { return schedule::name_of(kEffects, effect); }

namespace schedule {

AttemptState parse_attempt_state(std::string_view field, std::string_view text) {
  return parse_name<AttemptState>(field, kStates, text);
}
Effect parse_effect(std::string_view field, std::string_view text) {
  return parse_name<Effect>(field, kEffects, text);
}

Uuid occurrence_id(ScheduledEventId event, Timestamp trigger_at) {
  return uuid_v5(kOccurrences, to_string(event) + "/" + std::to_string(to_us(trigger_at)));
}

}  // namespace schedule
}  // namespace holdfast
