#include "decision.h"

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/schedule/recurrence.h>
#include <holdfast/schedule/trigger.h>
#include <holdfast/schedule/zone.h>

namespace holdfast::scheduler {
namespace {

/// A pause that doubles with each try, between half of it and all, so that retries spread.
std::chrono::microseconds pause(unsigned tries, const Backoff& backoff, core::Random& random) {
  auto longest = backoff.least;
  for (unsigned i = 1; i < tries && longest < backoff.most; ++i) longest *= 2;
  longest = std::min(longest, backoff.most);
  const auto half = longest.count() / 2;
  return std::chrono::microseconds(
      half + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(half) + 1)));
}

void become(Decision& decision, ScheduledEvent next, EventStatus status, std::string_view op) {
  next.status = status;
  decision.next = std::move(next);
  decision.op = op;
}

void fail(Decision& decision, const ScheduledEvent& read, const std::string& why) {
  if (decision.end.error.empty()) decision.end.error = why;
  decision.counts.failed = 1;
  become(decision, read, EventStatus::failed, "fail");
}

void end_for_good(Decision& decision, const ScheduledEvent& read) {
  switch (decision.end.state) {
    case AttemptState::succeeded: become(decision, read, EventStatus::fired, "fire"); break;
    case AttemptState::missed: become(decision, read, EventStatus::missed, "miss"); break;
    default: become(decision, read, EventStatus::failed, "fail");
  }
}

void arm_next(Decision& decision, const ScheduledEvent& read, const Attempt& attempt,
              const schedule::Zone& zone, Timestamp now) {
  const auto repeat = schedule::Recurrence::parse("repeat", *read.repeat);
  const auto anchor =
      schedule::parse_trigger("anchor", read.anchor.value_or(read.trigger_text), zone);
  const Timestamp after =
      read.catch_up == CatchUp::all ? attempt.trigger_at : std::max(attempt.trigger_at, now);
  const schedule::Occurrence next = repeat.next(zone, anchor, after);
  ScheduledEvent armed = read;
  // In the form that its writer gave: one that a change of the clocks forced need not stay.
  armed.trigger_text =
      schedule::write_trigger(next, zone, read.anchor.value_or(read.trigger_text));
  armed.trigger_at = next.at;
  if (!armed.anchor) armed.anchor = read.trigger_text;
  decision.counts.re_armed = 1;
  become(decision, std::move(armed), EventStatus::pending, "rearm");
}

void count_end(Decision& decision) {
  DrainReport& counts = decision.counts;
  counts.finalized = 1;
  switch (decision.end.state) {
    case AttemptState::succeeded: counts.fired = 1; break;
    case AttemptState::missed: counts.missed = 1; break;
    case AttemptState::indeterminate: counts.indeterminate = 1; break;
    default: counts.failed = 1;
  }
}

/// The times are read before anything is decided by them: a trigger that cannot be read has no
/// successor, and what was seen earlier does not stand in for it.
std::optional<schedule::Zone> read_times(Decision& decision, const ScheduledEvent& read) {
  try {
    auto zone = schedule::Zone::parse("zone", read.zone);
    (void)schedule::parse_trigger("trigger_at", read.trigger_text, zone);
    return zone;
  } catch (const InvalidArgument& error) {
    if (decision.end.state == AttemptState::succeeded) {
      decision.end = {.state = AttemptState::failed, .effect = Effect::committed, .error = {}};
    }
    fail(decision, read, error.what());
    return std::nullopt;
  }
}

}  // namespace

bool is_still_armed(const ScheduledEvent& read, const Attempt& attempt) {
  return !read.deleted_at && read.status == EventStatus::pending &&
         read.trigger_at == attempt.armed_at;
}

Decision decide(const ScheduledEvent& read, const Attempt& attempt, const Ending& ending,
                Timestamp now, const Backoff& backoff, core::Random& random) {
  Decision decision;
  decision.end = ending.end;
  const bool is_armed = is_still_armed(read, attempt);
  if (ending.again == Ending::Again::now) {
    decision.counts.finalized = decision.counts.handed_back = 1;
    if (is_armed) decision.retry_at = now;
    return decision;
  }
  if (is_armed && ending.again == Ending::Again::later && attempt.tries < read.max_attempts) {
    decision.counts.finalized = decision.counts.retry = 1;
    decision.retry_at = now + pause(attempt.tries, backoff, random);
    return decision;
  }
  count_end(decision);
  if (!is_armed) return decision;
  const auto zone = read_times(decision, read);
  if (!zone) return decision;
  if (!read.repeat) {
    end_for_good(decision, read);
    return decision;
  }
  try {
    arm_next(decision, read, attempt, *zone, now);
  } catch (const InvalidArgument& error) {
    fail(decision, read, error.what());
  }
  return decision;
}

}  // namespace holdfast::scheduler
