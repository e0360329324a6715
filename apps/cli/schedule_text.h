#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/schedule/attempt.h>
#include <holdfast/schedule/event.h>

namespace holdfast::cli {

/// When, in the event's zone; as UTC where the zone is not known here.
std::string when(const ScheduledEvent& event, Timestamp at);
/// What the event is about: a reminder's text, an action's name.
std::string subject(const ScheduledEvent& event);
/// "every:2h", "once"
std::string repeats(const ScheduledEvent& event);
std::string table(const std::vector<Attempt>& attempts);

/// A duration, as schedule::parse_duration() takes it, or none: "0", "0s".
std::chrono::microseconds duration_or_none(std::string_view field, std::string_view text);

}  // namespace holdfast::cli
