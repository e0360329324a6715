#include "wall_series.h"

#include <algorithm>

namespace holdfast::schedule {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::local_days;

local_days day_of(const Zone& zone, Timestamp at) {
  return floor<days>(zone.to_local(at));
}

/// What holds throughout a day: both ends have it. No place changes its clocks twice in one.
std::optional<std::chrono::microseconds> steady_offset(const Zone& zone, local_days day) {
  const auto offset = [&](LocalTime time) {
    return time.time_since_epoch() - zone.to_instant(time).time_since_epoch();
  };
  const auto first = offset(day);
  return first == offset(day + days(1)) ? std::optional(first) : std::nullopt;
}

/// A cycle of the calendar and some days: without a match in it there is none.
constexpr days kCycle{146'097 + 2};

}  // namespace

/// In the order of the instants: a gap may move a time behind a later one, or onto it.
std::vector<Occurrence> WallSeries::on(local_days day, const Zone& zone, const Trigger& anchor,
                                       const std::vector<std::chrono::microseconds>& times) const {
  std::vector<Occurrence> found;
  if (!matches(day, anchor)) return found;
  const auto offset = steady_offset(zone, day);
  for (const auto time : times) {
    const LocalTime nominal = day + time;
    const Timestamp at =
        offset ? Timestamp((nominal - *offset).time_since_epoch()) : zone.to_instant(nominal);
    if (at >= anchor.at && at <= kLastInstant) found.push_back({.at = at, .nominal = nominal});
  }
  if (!offset) {
    std::stable_sort(found.begin(), found.end(),
                     [](const Occurrence& a, const Occurrence& b) { return a.at < b.at; });
  }
  return found;
}

std::optional<Occurrence> WallSeries::next(const Zone& zone, const Trigger& anchor,
                                           Timestamp after) const {
  const auto clock = times(anchor);
  const local_days start = day_of(zone, std::max(after, anchor.at)) - days(1);
  local_days end =
      std::min(start + kCycle, floor<days>(LocalTime(kLastInstant.time_since_epoch())) + days(1));
  std::optional<Occurrence> first;
  for (local_days day = start; day <= end; day += days(1)) {
    for (const Occurrence& found : on(day, zone, anchor, clock)) {
      if (found.at <= after || (first && found.at >= first->at)) continue;
      // A time of the day after may be earlier than one that a gap has moved.
      if (!first) end = day + days(1);
      first = found;
    }
  }
  return first;
}

std::optional<Occurrence> WallSeries::last(const Zone& zone, const Trigger& anchor, Timestamp from,
                                           Timestamp until) const {
  const auto clock = times(anchor);
  const local_days start = day_of(zone, until) + days(1);
  local_days end = std::max(day_of(zone, std::max(from, anchor.at)) - days(1), start - kCycle);
  std::optional<Occurrence> last;
  for (local_days day = start; day >= end; day -= days(1)) {
    for (const Occurrence& found : on(day, zone, anchor, clock)) {
      if (found.at < from || found.at > until) continue;
      // Of those on one instant the first counts, as in next().
      const bool is_first = last && found.at == last->at && found.nominal < last->nominal;
      if (last && found.at <= last->at && !is_first) continue;
      if (!last) end = std::max(end, day - days(1));
      last = found;
    }
  }
  return last;
}

std::uint64_t WallSeries::count(const Zone& zone, const Trigger& anchor, Timestamp from,
                                Timestamp before, std::uint64_t limit) const {
  const auto clock = times(anchor);
  const local_days end = day_of(zone, before) + days(1);
  std::uint64_t number = 0;
  Timestamp counted = from - std::chrono::microseconds(1);
  // Days without a match are cheap, and a calendar has not many.
  for (local_days day = day_of(zone, std::max(from, anchor.at)) - days(1);
       day <= end && number < limit; day += days(1)) {
    for (const Occurrence& found : on(day, zone, anchor, clock)) {
      if (found.at <= counted || found.at >= before || number == limit) continue;
      counted = found.at;
      ++number;
    }
  }
  return number;
}

}  // namespace holdfast::schedule
