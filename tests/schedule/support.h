#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/error.h>
#include <holdfast/schedule/recurrence.h>
#include <holdfast/schedule/trigger.h>
#include <holdfast/schedule/zone.h>

#include "support/catch.h"

namespace holdfast::test {

inline schedule::Zone zone_named(std::string_view name) {
  return schedule::Zone::parse("zone", name);
}

inline schedule::Trigger trigger_at(std::string_view text, std::string_view zone = "UTC") {
  return schedule::parse_trigger("trigger_at", text, zone_named(zone));
}

/// An instant in RFC 3339.
inline Timestamp instant(std::string_view text) {
  return parse_timestamp("at", text);
}

/// A wall time such as "2026-03-29T02:30:00".
inline schedule::LocalTime wall(std::string_view text) {
  return trigger_at(text).local;
}

inline schedule::Recurrence repeating(std::string_view rule) {
  return schedule::Recurrence::parse("repeat", rule);
}

/// What the wall shows at an instant.
inline std::string shown(std::string_view zone, Timestamp at) {
  return schedule::write_wall_time(zone_named(zone).to_local(at));
}

/// The wall times of the first occurrences of a rule from an anchor on, the anchor included.
inline std::vector<std::string> first_shown(std::string_view rule, std::string_view anchor,
                                            std::string_view zone, int count) {
  std::vector<std::string> times;
  const auto series = repeating(rule);
  const auto start = trigger_at(anchor, zone);
  Timestamp after = start.at - std::chrono::microseconds(1);
  for (int i = 0; i < count; ++i) {
    after = series.next(zone_named(zone), start, after).at;
    times.push_back(shown(zone, after));
  }
  return times;
}

/// The InvalidArgument that `call` must throw, as "field: 'value'".
template <class Call>
std::string refused(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.field() + ": '" + error.value() + "'";
  }
  return "not refused";
}

}  // namespace holdfast::test
