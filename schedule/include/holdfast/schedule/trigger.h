#pragma once

// Thread safety: values and functions without state; any thread.

#include <optional>
#include <string>
#include <string_view>

#include <holdfast/schedule/recurrence.h>
#include <holdfast/schedule/zone.h>

namespace holdfast::schedule {

/// Reads when something is to happen: RFC 3339 with an offset or Z, or without one a wall time in
/// `zone`. A space may stand for the T, the offset may lack its colon, seconds may be left out; of
/// up to 9 digits of a second those after the sixth are dropped. Also an integer of microseconds,
/// with or without "us" behind it. Years 1970 to 9999, no leap second. Throws InvalidArgument
/// naming `field`.
Trigger parse_trigger(std::string_view field, std::string_view text, const Zone& zone);

/// The fixed zone that a text with an offset implies; none for a wall time.
std::optional<std::string> offset_of(std::string_view text);

/// The next trigger in the form of `like`, the one before: a wall time stays a wall time, unless it
/// would be read as another instant, an offset stays an offset, that which holds then, and an
/// integer an integer.
std::string write_trigger(const Occurrence& next, const Zone& zone, std::string_view like);

}  // namespace holdfast::schedule
