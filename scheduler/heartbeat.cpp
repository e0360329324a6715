#include <holdfast/scheduler/heartbeat.h>

#include <algorithm>
#include <limits>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/core/mask.h>

namespace holdfast {
namespace {

constexpr std::string_view kKind = "heartbeat";
constexpr std::string_view kPrefix = "heartbeat:";
constexpr std::size_t kChannelBytesMax = 256;
constexpr int kIntervalsUntilStalled = 3;
/// Clocks of processes that share a store may differ by this much.
constexpr std::chrono::microseconds kClockErrorMax = std::chrono::minutes(1);
constexpr std::uint64_t kCountMax = std::numeric_limits<std::int64_t>::max();  // JSON's integers

std::string key_of(std::string_view channel) {
  const std::string name = core::check_name("channel", channel);
  if (name.size() > kChannelBytesMax) {
    throw InvalidArgument("channel", name, "be up to 256 bytes");
  }
  return std::string(kPrefix) + name;
}

void check_interval(const std::optional<std::chrono::microseconds>& interval) {
  using namespace std::chrono;
  if (!interval || (*interval >= milliseconds(1) && *interval <= days(366))) return;
  throw InvalidArgument("interval", std::to_string(interval->count()),
                        "be 1 ms to 366 days, in microseconds");
}

std::uint64_t count_field(const JsonMember& member) {
  const std::int64_t count = core::integer_field(member);
  if (count < 0) throw InvalidArgument(member.key, std::to_string(count), "not be negative");
  return static_cast<std::uint64_t>(count);
}

std::optional<std::chrono::microseconds> interval_field(const JsonMember& member) {
  if (member.value == "null") return std::nullopt;
  const std::chrono::microseconds interval(core::integer_field(member));
  check_interval(interval);
  return interval;
}

/// Other members are somebody else's.
void read_member(const JsonMember& m, ChannelHealth& health) {
  if (m.key == "interval") health.interval = interval_field(m);
  if (m.key == "last_attempt_at") health.last_attempt_at = core::optional_time_field(m);
  if (m.key == "last_success_at") health.last_success_at = core::optional_time_field(m);
  if (m.key == "last_failure_at") health.last_failure_at = core::optional_time_field(m);
  if (m.key == "last_error") health.last_error = core::string_field(m);
  if (m.key == "attempts") health.attempts = count_field(m);
  if (m.key == "consecutive_failures") health.consecutive_failures = count_field(m);
  if (m.key == "details") {
    health.details = core::object_field(m, core::Fields::set, health.details);
  }
}

ChannelHealth named(const Note& note) {
  ChannelHealth health;
  health.note = note.id;
  health.channel = note.key.value_or(std::string(kPrefix)).substr(kPrefix.size());
  health.revision = note.revision;
  return health;
}

/// Throws InvalidArgument naming the field that cannot be read.
ChannelHealth read_strictly(const Note& note) {
  ChannelHealth health = named(note);
  if (note.kind != kKind) throw InvalidArgument("kind", note.kind, "be heartbeat in this note");
  for (const JsonMember& member : note.properties.members()) read_member(member, health);
  return health;
}

/// Whether `time` is after `start` by more than that. Without overflow, whatever was stored.
bool is_after_by(Timestamp time, Timestamp start, std::chrono::microseconds by) {
  if (time <= start) return false;
  const auto between = static_cast<std::uint64_t>(to_us(time)) -
                       static_cast<std::uint64_t>(to_us(start));
  return between > static_cast<std::uint64_t>(by.count());
}

/// Stamped by a clock that was far ahead: it tells nothing of when that was.
bool is_from_future(const ChannelHealth& health, Timestamp time, Timestamp now) {
  return is_after_by(time, now, std::max(health.interval.value_or(kClockErrorMax), kClockErrorMax));
}

ChannelHealth judged(const Note& note, Timestamp now) {
  ChannelHealth health;
  try {
    health = read_strictly(note);
  } catch (const InvalidArgument& error) {
    health = named(note);
    health.malformed = error.what();
    return health;
  }
  if (health.interval && health.last_attempt_at) {
    const bool is_silent =
        is_after_by(now, *health.last_attempt_at, kIntervalsUntilStalled * *health.interval) ||
        is_from_future(health, *health.last_attempt_at, now);
    if (is_silent || !health.is_failing()) health.is_stalled = is_silent;
  }
  return health;
}

void count_one(std::uint64_t& count) { count += count < kCountMax ? 1 : 0; }

void take_in(ChannelHealth& health, const HeartbeatReport& report, Timestamp at) {
  const auto keep_later = [&](std::optional<Timestamp>& time) {
    if (!time || *time < at || is_from_future(health, *time, at)) time = at;
  };
  if (report.interval) health.interval = report.interval;
  count_one(health.attempts);
  keep_later(health.last_attempt_at);
  if (report.error) {
    count_one(health.consecutive_failures);
    keep_later(health.last_failure_at);
    health.last_error = core::mask_credentials(*report.error);
  } else {
    health.consecutive_failures = 0;
    keep_later(health.last_success_at);
  }
  health.details = merge_patch("details", health.details, core::mask_credentials(report.details));
}

void write_time(core::JsonWriter& out, std::string_view name,
                const std::optional<Timestamp>& time) {
  if (time) {
    out.integer(name, to_us(*time));
  } else {
    out.null(name);
  }
}

void write_fields(core::JsonWriter& out, const ChannelHealth& health) {
  if (health.interval) {
    out.integer("interval", health.interval->count());
  } else {
    out.null("interval");
  }
  write_time(out, "last_attempt_at", health.last_attempt_at);
  write_time(out, "last_success_at", health.last_success_at);
  write_time(out, "last_failure_at", health.last_failure_at);
  out.string("last_error", health.last_error)
      .unsigned_integer("attempts", health.attempts)
      .unsigned_integer("consecutive_failures", health.consecutive_failures)
      .raw("details", health.details.text());
}

/// The note's properties with the channel's fields; other members stay byte for byte.
JsonObject stored_form(const JsonObject& properties, const ChannelHealth& health) {
  core::JsonWriter out;
  write_fields(out, health);
  const JsonObject fields = JsonObject::trusted(out.finish());
  // As a patch a null, and details that lack a member, would mean something else.
  const JsonObject no_details = JsonObject::trusted(R"({"details":null})");
  const JsonObject bare = merge_patch("properties", properties, no_details);
  return merge_patch("properties", bare, fields);
}

}  // namespace

std::string to_json(const ChannelHealth& health) {
  core::JsonWriter out;
  out.string("channel", health.channel);
  write_fields(out, health);
  out.string("note", to_string(health.note)).integer("revision", health.revision.us);
  if (health.is_stalled) {
    out.boolean("is_stalled", *health.is_stalled);
  } else {
    out.null("is_stalled");
  }
  out.boolean("is_failing", health.is_failing());
  if (!health.malformed.empty()) out.string("malformed", health.malformed);
  return out.finish();
}

ChannelHealth Heartbeats::report(const HeartbeatReport& report) const {
  const std::string key = key_of(report.channel);
  check_interval(report.interval);
  if (report.error && report.error->empty()) {
    throw InvalidArgument("error", "", "say why the attempt failed, or be absent");
  }
  core::Clock& clock = space_.access().environment.clock;
  constexpr int kTriesMax = 100;
  for (int i = 0; i < kTriesMax; ++i) {
    if (const auto note = report_once(key, report)) return judged(*note, clock.now());
    // Somebody else was first, or has taken it away: what is there now is read.
  }
  throw Conflict("the note of channel " + report.channel + " was changed each time it was read");
}

std::optional<Note> Heartbeats::report_once(const std::string& key,
                                            const HeartbeatReport& report) const {
  const core::Environment& environment = space_.access().environment;
  const Timestamp at = environment.clock.now();
  const auto note = space_.find_note(key);
  environment.faults.at("heartbeat.read");
  if (!note) {
    ChannelHealth health;
    take_in(health, report, at);
    Note first;
    first.kind = std::string(kKind);
    first.key = key;
    first.properties = stored_form({}, health);
    auto written = space_.notes().insert_if_absent(first);
    return written.applied() ? std::move(written.current) : std::nullopt;
  }
  bool has_moved = false;
  auto written = space_.notes().update(note->id, [&](Note& row) {
    has_moved = row.key != key;  // since it was found: the report is not for whoever has it now
    if (has_moved) return;
    ChannelHealth health = read_strictly(row);
    take_in(health, report, at);
    row.properties = stored_form(row.properties, health);
  });
  // Unchanged: the counters are full, and the clock has not moved.
  const bool is_kept = written.applied() || written.outcome == Outcome::unchanged;
  return is_kept && !has_moved ? std::move(written.current) : std::nullopt;
}

ChannelHealth Heartbeats::get(std::string_view channel) const {
  const auto note = space_.find_note(key_of(channel));
  if (!note) throw NotFound("channel", std::string(channel));
  return judged(*note, space_.access().environment.clock.now());
}

Page<ChannelHealth> Heartbeats::list(const PageRequest& request) const {
  NoteFilter filter;
  filter.key_prefix = std::string(kPrefix);
  filter.include_expired = true;  // an expired note keeps its key, and is reported to
  const auto notes = space_.notes().list(filter, request);
  const Timestamp now = space_.access().environment.clock.now();
  Page<ChannelHealth> page;
  page.next = notes.next;
  page.left_out = notes.left_out;
  page.left_out_is_minimum = notes.left_out_is_minimum;
  for (const Note& note : notes.items) page.items.push_back(judged(note, now));
  return page;
}

Page<ChannelHealth> Heartbeats::troubled(const PageRequest& request) const {
  auto page = list(request);
  const auto is_well = [](const ChannelHealth& health) { return !health.is_troubled(); };
  std::erase_if(page.items, is_well);
  if (!page.next) return page;
  auto rest = list({.limit = storage::kLeftOutCountMax, .cursor = *page.next});
  std::erase_if(rest.items, is_well);
  page.left_out = rest.items.size();
  page.left_out_is_minimum = rest.next.has_value();
  if (rest.items.empty() && !rest.next) page.next.reset();
  return page;
}

}  // namespace holdfast
