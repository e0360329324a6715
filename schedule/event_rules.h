#pragma once

#include <holdfast/schedule/event.h>

namespace holdfast::schedule {

/// Judges a payload by the event's kind. Throws InvalidArgument("payload").
void check_payload(const ScheduledEvent& event);

/// Judges trigger, zone, repeat and anchor together, and sets trigger_at, zone and anchor.
void settle_times(ScheduledEvent& event);

}  // namespace holdfast::schedule
