#include <cstdlib>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_text.h>
#include <holdfast/schedule/claims.h>
#include <holdfast/schedule/human_time.h>
#include <holdfast/schedule/recurrence.h>
#include <holdfast/schedule/trigger.h>
#include <holdfast/scheduler/agenda.h>

#include "commands.h"
#include "document.h"
#include "failure.h"
#include "page_report.h"
#include "row_kinds.h"
#include "schedule_text.h"
#include "session.h"
#include "text.h"
#include "write_report.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kAttemptsShown = 10;

schedule::Zone zone_of(const std::optional<std::string>& given, const std::string& otherwise) {
  return schedule::Zone::parse("zone", given.value_or(otherwise));
}

std::string default_zone() {
  const char* const named = std::getenv("HOLDFAST_ZONE");
  return named != nullptr && *named != '\0' ? named : "UTC";
}

Timestamp now_of(const Space& space) { return space.access().environment.clock.now(); }

std::string trigger_text(const ScheduleFlags& flags, Timestamp now, const schedule::Zone& zone) {
  if (flags.at && flags.in) throw InvalidArgument("at", *flags.at, "not be given with `in`");
  if (!flags.at && !flags.in) throw InvalidArgument("at", "", "be given, or `in` instead of it");
  if (flags.in) {
    (void)schedule::parse_duration("in", *flags.in);
    return schedule::parse_human_time("in", "in " + *flags.in, now, zone);
  }
  return schedule::parse_human_time("at", *flags.at, now, zone);
}

/// What new events and edits have in common.
void read_rules(const ScheduleFlags& flags, ScheduledEvent& event) {
  if (flags.repeat) event.repeat = schedule::parse_human_repeat("repeat", *flags.repeat);
  if (flags.catch_up) event.catch_up = parse_catch_up("catch_up", *flags.catch_up);
  if (flags.grace) event.grace = duration_or_none("grace", *flags.grace);
  if (flags.max_attempts) {
    event.max_attempts = static_cast<unsigned>(std::min<std::uint64_t>(
        parse_whole("max_attempts", *flags.max_attempts, "be 1 to 100"), 1'000'000));
  }
  if (flags.properties) event.properties = JsonObject::parse("properties", *flags.properties);
}

/// When it happens, absolute, and when it does after that.
std::string times_text(const ScheduledEvent& event) {
  std::string text = "  at " + when(event, event.trigger_at) + "\n";
  if (!event.repeat || event.status != EventStatus::pending) return text;
  const auto zone = schedule::Zone::parse("zone", event.zone);
  const auto anchor =
      schedule::parse_trigger("anchor", event.anchor.value_or(event.trigger_text), zone);
  const auto next = schedule::Recurrence::parse("repeat", *event.repeat)
                        .next(zone, anchor, event.trigger_at);
  return text + "  then " + when(event, next.at) + ", " + *event.repeat + "\n";
}

void confirm(Session& session, const WriteWords& words, const WriteResult<ScheduledEvent>& result,
             const std::string& id, const std::string& more = "") {
  WriteSummary summary = summarise<ScheduledKind>(result, id);
  if (!result.wrote() && result.outcome != Outcome::unchanged) refuse(summary);
  if (session.json()) return session.confirm(to_json(summary));
  std::string text = (result.applied() ? std::string(words.done) + " " : std::string()) +
                     "scheduled_event " + summary.id +
                     (result.applied() ? "" : " " + std::string(words.already)) + "\n";
  if (result.current) {
    text += "  " + printable(subject(*result.current)) + "\n" + times_text(*result.current) +
            "  revision " + std::to_string(result.current->revision.us) + "\n";
  }
  session.confirm(text + more + repeated_text(result.repeated));
}

/// The trigger of the event that a request of that id made, if it did: asked again, "in 1h" means
/// what it meant then.
std::optional<std::string> trigger_asked_before(const Space& space, const Options& options) {
  if (!options.request_id) return std::nullopt;
  const auto record = space.find_request(core::check_request_id(*options.request_id));
  if (!record) return std::nullopt;
  const auto events = space.tail(record->seq - 1, 1);
  if (events.empty() || events[0].kind != ScheduledKind::kName || !events[0].body) {
    return std::nullopt;
  }
  return schedule::EventStore::from_json(JsonObject::trusted(*events[0].body)).trigger_text;
}

void require_future(const ScheduleFlags& flags, const ScheduledEvent& event, Timestamp now) {
  const auto zone = schedule::Zone::parse("zone", event.zone);
  if (flags.allow_past || schedule::parse_trigger("at", event.trigger_text, zone).at >= now) return;
  throw InvalidArgument(flags.at ? "at" : "in", event.trigger_text,
                        "not have passed, at " + when(event, now) +
                            "; --allow-past takes it all the same");
}

void add_new(Session& session, const Options& options, ScheduledEvent event) {
  const ScheduleFlags& flags = options.schedule;
  const Space space = session.space();
  const auto zone = zone_of(flags.zone, default_zone());
  const Timestamp now = now_of(space);
  const auto before = trigger_asked_before(space, options);
  event.trigger_text = trigger_text(flags, now, zone);
  const bool is_relative = flags.in || event.trigger_text != *flags.at;
  if (before && is_relative) event.trigger_text = *before;
  event.zone = zone.name();
  read_rules(flags, event);
  if (!before) require_future(flags, event, now);
  confirm(session, {.done = "scheduled", .already = "is there already"},
          space.events().insert_if_absent(std::move(event), write_options(options)), "");
}

ScheduledEventId event_id(const Options& options) {
  return ScheduledEventId::parse("id", options.id);
}

/// Sets the status, provided that the event is at the revision that was named, if one was.
WriteResult<ScheduledEvent> set_status(const Space& space, const Options& options,
                                       EventStatus status) {
  std::optional<Expected> expected;
  if (options.revision) expected = Expected{.revision = parse_revision(*options.revision)};
  const auto patch =
      JsonObject::trusted(core::JsonWriter().string("status", to_string(status)).finish());
  return space.events().patch(event_id(options), patch, expected, write_options(options));
}

std::optional<Timestamp> time_of(const char* field, const std::optional<std::string>& text,
                                 Timestamp now, const schedule::Zone& zone) {
  if (!text) return std::nullopt;
  const std::string trigger = schedule::parse_human_time(field, *text, now, zone);
  return schedule::parse_trigger(field, trigger, zone).at;
}

TimeRange range_of(const ScheduleFlags& flags, Timestamp now) {
  const auto zone = zone_of(flags.zone, default_zone());
  return {.from = time_of("from", flags.range_from, now, zone),
          .to = time_of("to", flags.range_to, now, zone)};
}

/// The fields that an edit's flags name, as a merge patch over the event as it is read.
JsonObject edit_patch(const Options& options, const ScheduledEvent& current, Timestamp now) {
  const ScheduleFlags& flags = options.schedule;
  core::JsonWriter out;
  ScheduledEvent rules;
  read_rules(flags, rules);
  if (flags.at || flags.in) {
    const auto zone = zone_of(flags.zone, current.zone);
    out.string("trigger_at", trigger_text(flags, now, zone));
    if (current.status != EventStatus::pending) out.string("status", "pending");
  }
  if (flags.zone) out.string("zone", zone_of(flags.zone, "").name());
  if (flags.no_repeat && flags.repeat) {
    throw InvalidArgument("repeat", *flags.repeat, "not be given with --no-repeat");
  }
  if (flags.repeat) out.string("repeat", *rules.repeat);
  if (flags.no_repeat) out.null("repeat");
  if (flags.catch_up) out.string("catch_up", to_string(rules.catch_up));
  if (flags.grace) out.integer("grace", rules.grace.count());
  if (flags.max_attempts) out.unsigned_integer("max_attempts", rules.max_attempts);
  if (flags.properties) out.raw("properties", rules.properties.text());
  if (flags.new_text) {
    out.raw("payload", core::JsonWriter().string("text", *flags.new_text).finish());
  }
  return JsonObject::trusted(out.finish());
}

/// An edit's documents, which are read once, however often the event is.
struct Edit {
  std::optional<JsonObject> patch{};
  std::optional<JsonObject> payload{};
  std::optional<Revision> revision{};

  explicit Edit(const Options& options) {
    if (options.patch) patch = read_argument("patch", *options.patch);
    if (options.schedule.payload) payload = read_argument("payload", *options.schedule.payload);
    if (options.revision) revision = parse_revision(*options.revision);
  }

  void apply(const Options& options, Timestamp now, ScheduledEvent& event) const {
    const JsonObject named = edit_patch(options, event, now);
    if (!patch && !payload && named.text() == "{}") {
      throw InvalidArgument("patch", "{}", "name something to change");
    }
    if (payload) event.payload = *payload;
    schedule::EventStore::apply(patch ? merge_patch("patch", *patch, named) : named,
                                core::Fields::patch, event);
    if (options.schedule.at) require_future(options.schedule, event, now);
  }
};

}  // namespace

void remind(Session& session, const Options& options) {
  ScheduledEvent event;
  core::JsonWriter payload;
  payload.string("text", options.schedule.text);
  if (options.schedule.about) payload.string("about", *options.schedule.about);
  event.payload = JsonObject::parse("payload", payload.finish());
  add_new(session, options, std::move(event));
}

void add_event(Session& session, const Options& options) {
  const ScheduleFlags& flags = options.schedule;
  if (flags.action.has_value() == flags.plan.has_value()) {
    throw InvalidArgument("action", flags.action.value_or(""), "be given, or `plan` instead of it");
  }
  ScheduledEvent event;
  event.kind = EventKind::action;
  core::JsonWriter payload;
  if (flags.action) payload.string("action", *flags.action);
  if (flags.plan) payload.raw("plan", read_plan_document(*flags.plan).text());
  if (flags.input) payload.raw("input", read_argument("input", *flags.input).text());
  event.payload = JsonObject::parse("payload", payload.finish());
  add_new(session, options, std::move(event));
}

void list_events(Session& session, const Options& options) {
  const ScheduleFlags& flags = options.schedule;
  const Space space = session.reading_space();
  EventFilter filter;
  if (flags.status) filter.status = parse_event_status("status", *flags.status);
  if (flags.kind) filter.kind = parse_event_kind("kind", *flags.kind);
  filter.trigger = range_of(flags, now_of(space));
  if (options.filter.include_expired) filter.deleted = Deleted::include;
  const auto page = space.events().list(filter, page_request(options));
  if (session.json()) {
    return session.print(
        page_json(page, [](const auto& event) { return ScheduledKind::Rows::to_json(event); }));
  }
  session.print(table(page.items) + page_footer(page, "event", "events"));
}

void show_scheduled(Session& session, const Options& options) {
  const Space space = session.reading_space();
  const ScheduledEvent event = space.events().get(event_id(options));
  const auto snapshot = space.access().database.snapshot();
  const auto attempts = schedule::attempts_of(snapshot->transaction(), space.name(), event.id,
                                              {.limit = kAttemptsShown});
  if (session.json()) {
    core::JsonWriter out;
    out.raw("event", ScheduledKind::Rows::to_json(event));
    out.raw("attempts", page_json(attempts, &schedule::to_json));
    return session.print(out.finish());
  }
  std::string more;
  if (attempts.next) {
    more = "earlier ones: `holdfast schedule attempts " + to_string(event.id) + "`\n";
  }
  session.print(describe(event) + table(attempts.items) + more);
}

void list_attempts(Session& session, const Options& options) {
  const Space space = session.reading_space();
  const ScheduledEvent event = space.events().get(event_id(options));
  const auto snapshot = space.access().database.snapshot();
  const auto page = schedule::attempts_of(snapshot->transaction(), space.name(), event.id,
                                          page_request(options));
  if (session.json()) {
    return session.print(page_json(page, &schedule::to_json));
  }
  session.print(table(page.items) + page_footer(page, "attempt", "attempts"));
}

void edit_event(Session& session, const Options& options) {
  const Space space = session.space();
  const Edit edit(options);
  const Timestamp now = now_of(space);
  // Whether a new time has to arm the event again hangs on the status that is replaced: a scheduler
  // may end it at any moment.
  auto before = EventStatus::pending;
  bool is_stale = false;
  auto result = space.events().update(
      event_id(options),
      [&](ScheduledEvent& event) {
        before = event.status;
        is_stale = edit.revision && event.revision != *edit.revision;
        if (!is_stale) edit.apply(options, now, event);
      },
      {.request_id = write_options(options).request_id});
  if (is_stale && result.outcome == Outcome::unchanged) result.outcome = Outcome::revision_moved;
  const bool arms_again = result.applied() && before != EventStatus::pending &&
                          result.current->status == EventStatus::pending;
  confirm(session, {.done = "changed", .already = "is as asked already"}, result, options.id,
          arms_again ? "  it had ended (" + std::string(to_string(before)) +
                           ") and is armed again\n"
                     : "");
}

void cancel_event(Session& session, const Options& options) {
  confirm(session, {.done = "cancelled", .already = "is cancelled already"},
          set_status(session.space(), options, EventStatus::cancelled), options.id);
}

void retry_event(Session& session, const Options& options) {
  confirm(session, {.done = "armed", .already = "is pending already"},
          set_status(session.space(), options, EventStatus::pending), options.id);
}

void show_agenda(Session& session, const Options& options) {
  const Space space = session.reading_space();
  PageRequest request = page_request(options);
  if (!options.limit) request.limit = 20;
  const auto page = agenda(space, range_of(options.schedule, now_of(space)), request);
  if (session.json()) {
    return session.print(page_json(page, [](const AgendaItem& item) {
      return core::JsonWriter()
          .integer("at", to_us(item.at))
          .raw("event", ScheduledKind::Rows::to_json(item.event))
          .finish();
    }));
  }
  Table out({{"AT"}, {"REPEATS"}, {"KIND"}, {"WHAT"}, {"ID"}});
  for (const AgendaItem& item : page.items) {
    out.add({when(item.event, item.at), repeats(item.event),
             std::string(to_string(item.event.kind)), shortened(subject(item.event), 40),
             to_string(item.event.id)});
  }
  session.print((page.items.empty() ? "" : out.text()) + page_footer(page, "time", "times"));
}

}  // namespace holdfast::cli
