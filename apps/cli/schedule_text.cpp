#include "schedule_text.h"

#include <holdfast/core/error.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/schedule/human_time.h>

#include "row_text.h"
#include "text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kSubjectColumnsMax = 40;

std::string duration(std::chrono::microseconds time) {
  const double seconds = std::chrono::duration<double>(time).count();
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

}  // namespace

std::string when(const ScheduledEvent& event, Timestamp at) {
  try {
    return schedule::format_human(at, schedule::Zone::parse("zone", event.zone));
  } catch (const InvalidArgument&) {
    return to_rfc3339(at);
  }
}

std::string subject(const ScheduledEvent& event) {
  for (const JsonMember& member : event.payload.members()) {
    if (member.key == "text" || member.key == "action") return core::string_field(member);
    if (member.key == "plan") return "a plan";
  }
  return event.payload.text();
}

std::string repeats(const ScheduledEvent& event) { return event.repeat.value_or("once"); }

std::string title(const ScheduledEvent& event) {
  return shortened(subject(event), kSubjectColumnsMax) + ", " + when(event, event.trigger_at) +
         (event.repeat ? ", " + *event.repeat : "");
}

std::string describe(const ScheduledEvent& event) {
  FieldList fields;
  fields.add("kind", to_string(event.kind))
      .add("status", to_string(event.status))
      .add("payload", event.payload.text())
      .add("at", when(event, event.trigger_at))
      .add("as given", event.trigger_text)
      .add("zone", event.zone)
      .add("repeats", repeats(event));
  if (event.anchor) fields.add("counted from", *event.anchor);
  fields.add("catch up", to_string(event.catch_up))
      .add("grace", duration(event.grace))
      .add("attempts", "up to " + std::to_string(event.max_attempts))
      .add("properties", event.properties.text())
      .add("created", to_rfc3339(event.created_at))
      .add("revision", std::to_string(event.revision.us) + ", sequence " +
                           std::to_string(event.seq));
  if (event.deleted_at) fields.add("deleted", to_rfc3339(*event.deleted_at));
  return "scheduled_event " + to_string(event.id) + "\n" + fields.text();
}

std::chrono::microseconds duration_or_none(std::string_view field, std::string_view text) {
  if (text == "0" || text == "0s") return std::chrono::microseconds(0);
  return schedule::parse_duration(field, text);
}

std::string table(const std::vector<ScheduledEvent>& events) {
  if (events.empty()) return "";
  Table out({{"ID"}, {"STATUS"}, {"KIND"}, {"AT"}, {"REPEATS"}, {"WHAT"}});
  for (const ScheduledEvent& event : events) {
    out.add({to_string(event.id), std::string(to_string(event.status)) +
                                      (event.deleted_at ? " (deleted)" : ""),
             std::string(to_string(event.kind)), when(event, event.trigger_at), repeats(event),
             shortened(subject(event), kSubjectColumnsMax)});
  }
  return out.text();
}

std::string table(const std::vector<Attempt>& attempts) {
  if (attempts.empty()) return "";
  Table out({{"OF"}, {"ATTEMPT", Align::right}, {"STATE"}, {"CLAIMED"}, {"FINISHED"}, {"RETRY"},
             {"ERROR"}});
  for (const Attempt& attempt : attempts) {
    const auto time = [](const std::optional<Timestamp>& at) { return at ? to_rfc3339(*at) : ""; };
    out.add({to_rfc3339(attempt.trigger_at), std::to_string(attempt.number),
             std::string(to_string(attempt.state)), to_rfc3339(attempt.claimed_at),
             time(attempt.finished_at), time(attempt.retry_at),
             shortened(attempt.error, 2 * kSubjectColumnsMax)});
  }
  return out.text();
}

}  // namespace holdfast::cli
