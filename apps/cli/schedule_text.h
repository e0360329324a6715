#pragma once

#include <string>
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

}  // namespace holdfast::cli
