#include "admission.h"

#include <holdfast/core/error.h>
#include <holdfast/schedule/recurrence.h>
#include <holdfast/schedule/trigger.h>
#include <holdfast/schedule/zone.h>

namespace holdfast::scheduler {
namespace {

/// The last occurrence that is not after `now`, with the number of those that it stands for.
Admission latest(const ScheduledEvent& event, const schedule::Zone& zone, Timestamp now) {
  const auto anchor =
      schedule::parse_trigger("anchor", event.anchor.value_or(event.trigger_text), zone);
  const auto repeat = schedule::Recurrence::parse("repeat", *event.repeat);
  // The trigger itself need not be one of the series: a caller may have moved it.
  const auto found = repeat.latest(zone, anchor, event.trigger_at, now);
  if (!found || found->occurrence.at <= event.trigger_at) return {.trigger_at = event.trigger_at};
  const std::uint64_t others = found->passed_over;
  const bool counts_trigger = repeat.latest(zone, anchor, event.trigger_at, event.trigger_at)
                                  .has_value();
  return {.trigger_at = found->occurrence.at, .passed_over = others + (counts_trigger ? 0 : 1)};
}

}  // namespace

Admission admit(const ScheduledEvent& event, bool was_tried, Timestamp now) {
  try {
    const auto zone = schedule::Zone::parse("zone", event.zone);
    (void)schedule::parse_trigger("trigger_at", event.trigger_text, zone);
    if (was_tried) return {.trigger_at = event.trigger_at};
    Admission admission{.trigger_at = event.trigger_at};
    if (event.repeat && event.catch_up != CatchUp::all) admission = latest(event, zone, now);
    const bool is_late = now - admission.trigger_at > event.grace;
    if (is_late && event.catch_up == CatchUp::none) admission.verdict = Admit::miss;
    return admission;
  } catch (const InvalidArgument& error) {
    return {.verdict = Admit::refuse, .trigger_at = event.trigger_at, .error = error.what()};
  }
}

}  // namespace holdfast::scheduler
