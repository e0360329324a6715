#pragma once

#include <string>
#include <string_view>

#include <holdfast/schedule/event.h>

/// What the lease on an event's firing is called. Part of the file format.
namespace holdfast::schedule {

inline constexpr std::string_view kLeasePrefix = "event:";
inline constexpr std::string_view kLeaseEnd = "event;";  ///< behind all names with the prefix

inline std::string lease_name(ScheduledEventId event) {
  return std::string(kLeasePrefix) + to_string(event);
}
inline ScheduledEventId event_of_lease(std::string_view name) {
  return ScheduledEventId::parse("lease", name.substr(kLeasePrefix.size()));
}

}  // namespace holdfast::schedule
