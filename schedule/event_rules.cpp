#include "event_rules.h"

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/schedule/recurrence.h>
#include <holdfast/schedule/trigger.h>
#include <holdfast/schedule/zone.h>

namespace holdfast::schedule {
namespace {

void check_reminder(const JsonObject& payload) {
  std::string text;
  core::apply_fields(payload, {{"text", [&](const auto& m) { text = core::string_field(m); }},
                               {"about", [](const auto& m) { (void)core::id_field(m); }}});
  core::check_content("payload.text", text);
  if (text.empty()) {
    throw InvalidArgument("payload", payload.text(), R"(have a "text" that is not empty)");
  }
}

void check_action(const JsonObject& payload) {
  std::optional<std::string> action;
  bool has_plan = false;
  bool has_input = false;
  core::apply_fields(
      payload,
      {{"action", [&](const auto& m) { action = core::string_field(m); }},
       {"input", [&](const auto&) { has_input = true; }},
       {"plan", [&](const auto& m) {
          has_plan = true;
          (void)core::object_field(m, core::Fields::set, JsonObject());
        }}});
  if (action.has_value() == has_plan) {
    throw InvalidArgument("payload", payload.text(),
                          R"(have either an "action", a handler's name, or a "plan")");
  }
  if (has_plan && has_input) {
    throw InvalidArgument("payload", payload.text(), R"(have no "input" beside a "plan")");
  }
  if (action) (void)core::check_name("payload.action", *action);
}

/// The zone that repeats are counted in: the caller's, else the offset in the trigger.
std::string zone_of(const ScheduledEvent& event) {
  if (!event.zone.empty()) return Zone::parse("zone", event.zone).name();
  return offset_of(event.trigger_text).value_or("UTC");
}

}  // namespace

void check_payload(const ScheduledEvent& event) {
  if (event.kind == EventKind::remind) {
    check_reminder(event.payload);
  } else {
    check_action(event.payload);
  }
}

void settle_times(ScheduledEvent& event) {
  event.zone = zone_of(event);
  const Zone zone = Zone::parse("zone", event.zone);
  event.trigger_at = parse_trigger("trigger_at", event.trigger_text, zone).at;
  if (!event.repeat) {
    event.anchor.reset();
    return;
  }
  if (!event.anchor) event.anchor = event.trigger_text;
  const Trigger anchor = parse_trigger("anchor", *event.anchor, zone);
  if (anchor.at > event.trigger_at) {
    throw InvalidArgument("anchor", *event.anchor, "not be after the trigger");
  }
  // That there is a next one: a series that cannot advance is no series.
  (void)Recurrence::parse("repeat", *event.repeat).next(zone, anchor, event.trigger_at);
}

}  // namespace holdfast::schedule
