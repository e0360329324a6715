#pragma once

// Thread safety: values and functions without state; any thread.

#include <chrono>
#include <string>
#include <string_view>

#include <holdfast/schedule/zone.h>

/// Times as people type and read them.
namespace holdfast::schedule {

/// The trigger, for parse_trigger(), that a text means at `now` in `zone`: all that parse_trigger()
/// takes; "now"; "in 2h30m", "in 90 minutes"; "9:00", "9pm", "noon", "midnight", the next such
/// time; "today", "tomorrow" or a weekday, its next one after today, with such a time. Case does
/// not matter, nor does "at" before the time, "on" or "next" before the weekday. An "in" is by
/// elapsed time and answered with an offset; the others are answered as wall times. Throws
/// InvalidArgument naming `field`.
std::string parse_human_time(std::string_view field, std::string_view text, Timestamp now,
                             const Zone& zone);

/// "90s", "2h30m", "3d", "1w", "90 minutes": positive, up to 36,525 days.
std::chrono::microseconds parse_duration(std::string_view field, std::string_view text);

/// What Recurrence::parse() takes, and "hourly", "every day", "every 2 hours".
std::string parse_human_repeat(std::string_view field, std::string_view text);

/// "Mon 2026-11-30 09:00:00 +01:00 (Europe/Zurich)"
std::string format_human(Timestamp at, const Zone& zone);

}  // namespace holdfast::schedule
