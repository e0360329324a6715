#include <holdfast/schedule/event_store.h>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/schedule/claims.h>
#include <holdfast/schedule/trigger.h>
#include <holdfast/schedule/zone.h>
#include <holdfast/storage/guard.h>

#include "event_rules.h"
#include "event_table.h"

namespace holdfast::schedule {
namespace {

constexpr std::chrono::microseconds kGraceMax = std::chrono::days(3653);
constexpr unsigned kAttemptsMax = 100;

storage::Query narrowed(storage::Query query, std::string_view space, const EventFilter& filter) {
  query.where("space = $", space);
  if (filter.kind) query.where("kind = $", to_string(*filter.kind));
  if (filter.status) query.where("status = $", to_string(*filter.status));
  if (filter.trigger.from) query.where("trigger_at >= $", *filter.trigger.from);
  if (filter.trigger.to) query.where("trigger_at < $", *filter.trigger.to);
  journal::apply_filter(query, filter);
  return query;
}

journal::Filtered filtered(std::string_view space, const EventFilter& filter) {
  return {[space, &filter](storage::Query query) {
            return narrowed(std::move(query), space, filter);
          },
          journal::RowConditions(filter)};
}

void require_callers_status(EventStatus status) {
  if (status == EventStatus::pending || status == EventStatus::cancelled) return;
  throw InvalidArgument("status", std::string(to_string(status)),
                        "be pending or cancelled: the scheduler sets the others");
}

/// The fields that a caller may change.
std::vector<core::Field> callers_fields(ScheduledEvent& event, core::Fields mode,
                                        bool& names_anchor) {
  auto fields = journal::RowTraits<ScheduledEvent>::fields(event);
  for (core::Field& field : fields) {
    if (field.name == "payload") {
      field.apply = [&event, mode](const JsonMember& m) {
        event.payload = core::object_field(m, mode, event.payload);
      };
    } else if (field.name == "properties") {
      field.apply = [&event, mode](const JsonMember& m) {
        event.properties = core::object_field(m, mode, event.properties);
      };
    } else if (field.name == "trigger_at") {
      field.apply = [&event](const JsonMember& m) {
        const bool is_integer = m.value.find('"') == std::string_view::npos;
        event.trigger_text =
            is_integer ? std::to_string(core::integer_field(m)) : core::string_field(m);
      };
    } else if (field.name == "anchor") {
      field.apply = [&event, &names_anchor](const JsonMember& m) {
        names_anchor = true;
        event.anchor = core::optional_string_field(m);
      };
    }
  }
  return fields;
}

/// The same instant in other words moves nothing.
bool moves_trigger(const ScheduledEvent& before, const ScheduledEvent& after) {
  if (before.trigger_text == after.trigger_text) return false;
  const Zone zone = Zone::parse("zone", after.zone.empty() ? "UTC" : after.zone);
  return parse_trigger("trigger_at", after.trigger_text, zone).at != before.trigger_at;
}

}  // namespace

void EventStore::normalise(ScheduledEvent& event) {
  check_payload(event);
  settle_times(event);
  if (event.grace.count() < 0 || event.grace > kGraceMax) {
    throw InvalidArgument("grace", std::to_string(event.grace.count()),
                          "be 0 to 3,653 days, in microseconds");
  }
  if (event.max_attempts < 1 || event.max_attempts > kAttemptsMax) {
    throw InvalidArgument("max_attempts", std::to_string(event.max_attempts), "be 1 to 100");
  }
}

WriteResult<ScheduledEvent> EventStore::insert_if_absent(journal::Appender& appender,
                                                         ScheduledEvent event) {
  if (event.status != EventStatus::pending) {
    throw InvalidArgument("status", std::string(to_string(event.status)),
                          "be pending in a new event");
  }
  return EventTable::insert_if_absent(appender, std::move(event));
}

WriteResult<ScheduledEvent> EventStore::insert_exported(journal::Appender& appender,
                                                        ScheduledEvent event) {
  return EventTable::insert_if_absent(appender, std::move(event));
}

WriteResult<ScheduledEvent> EventStore::replace_if_unchanged(journal::Appender& appender,
                                                             ScheduledEvent event,
                                                             const Expected& expected) {
  const auto current = find(appender.transaction(), appender.space(), event.id);
  if (current && event.status != current->status) {
    require_callers_status(event.status);
    const bool may_end = event.status != EventStatus::cancelled ||
                         current->status == EventStatus::pending;
    if (!storage::holds("scheduled_event.replace", "pending", may_end)) {
      WriteResult<ScheduledEvent> refused;
      refused.outcome = Outcome::not_pending;
      refused.current = current;
      return EventTable::refuse_replace(appender, event, expected, std::move(refused));
    }
  }
  return replace_exported(appender, std::move(event), expected);
}

WriteResult<ScheduledEvent> EventStore::replace_exported(journal::Appender& appender,
                                                         ScheduledEvent event,
                                                         const Expected& expected) {
  return EventTable::replace_if_unchanged(appender, std::move(event), expected, "replace");
}

WriteResult<ScheduledEvent> EventStore::remove(journal::Appender& appender, ScheduledEvent event,
                                               const Expected& expected) {
  return EventTable::replace_if_unchanged(appender, std::move(event), expected, "delete");
}

WriteResult<ScheduledEvent> EventStore::restore(journal::Appender& appender, ScheduledEvent event,
                                                const Expected& expected) {
  return EventTable::replace_if_unchanged(appender, std::move(event), expected, "restore");
}

WriteResult<ScheduledEvent> EventStore::purge(journal::Appender& appender, ScheduledEventId id,
                                              const Expected& expected) {
  auto result = EventTable::purge(appender, id, expected);
  if (result.applied()) forget_attempts(appender.transaction(), appender.space(), id);
  return result;
}

std::optional<ScheduledEvent> EventStore::find(storage::Transaction& transaction,
                                               std::string_view space, ScheduledEventId id) {
  return EventTable::find(transaction, space, id);
}

Page<ScheduledEvent> EventStore::list(storage::Transaction& transaction, std::string_view space,
                                      const EventFilter& filter, const PageRequest& page) {
  return journal::list_page<ScheduledEvent>(transaction, filtered(space, filter), page, "",
                                            [](const ScheduledEvent&) { return std::string(); });
}

std::uint64_t EventStore::count(storage::Transaction& transaction, std::string_view space,
                                const EventFilter& filter) {
  return journal::count_rows(transaction, journal::RowTraits<ScheduledEvent>::spec,
                             filtered(space, filter));
}

journal::RowMatcher EventStore::matcher(std::string_view space, const EventFilter& filter) {
  return {journal::RowTraits<ScheduledEvent>::spec, filtered(space, filter)};
}

journal::Source EventStore::source() {
  auto source = EventTable::source();
  source.derived = {.table = "attempts", .key = "occurrence"};
  return source;
}

void EventStore::apply(const JsonObject& document, core::Fields mode, ScheduledEvent& event) {
  const ScheduledEvent before = event;
  bool names_anchor = false;
  core::apply_fields(document, callers_fields(event, mode, names_anchor));
  if (names_anchor) return;
  if (event.repeat != before.repeat || moves_trigger(before, event)) event.anchor.reset();
}

std::string EventStore::body(const ScheduledEvent& event) { return EventTable::body(event); }
ScheduledEvent EventStore::from_json(const JsonObject& document) {
  return EventTable::from_json(document);
}
ScheduledEvent EventStore::from_event(storage::Transaction&, std::string_view,
                                      const Event& event) {
  return EventTable::from_event(event);
}

std::string EventStore::to_json(const ScheduledEvent& event) {
  std::string text = EventTable::json(event);
  text.pop_back();
  text += ",\"local_time\":";
  try {
    const Zone zone = Zone::parse("zone", event.zone);
    core::append_json_string(text, write_wall_time(zone.to_local(event.trigger_at)));
  } catch (const InvalidArgument&) {
    text += "null";  // a zone that this machine's database does not know
  }
  return text + "}";
}

}  // namespace holdfast::schedule
