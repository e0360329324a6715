#include "wall_series.h"

namespace holdfast::schedule {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::minutes;

/// A pattern of wall times.
class FixedCron final : public WallSeries {
 public:
  explicit FixedCron(const CronPattern& pattern) : pattern_(pattern) {
    for (int hour = 0; hour < 24; ++hour) {
      for (int minute = 0; minute < 60; ++minute) {
        if (!pattern.hours[static_cast<std::size_t>(hour)]) continue;
        if (!pattern.minutes[static_cast<std::size_t>(minute)]) continue;
        times_.push_back(hours(hour) + minutes(minute));
      }
    }
  }

 protected:
  bool matches(local_days day, const Trigger&) const override { return pattern_.matches(day); }
  std::vector<std::chrono::microseconds> times(const Trigger&) const override { return times_; }

 private:
  CronPattern pattern_;
  std::vector<std::chrono::microseconds> times_;
};

/// A pattern that each real minute is held against, by what the wall shows then.
class ElapsedCron final : public Recurrence::Series {
 public:
  explicit ElapsedCron(const CronPattern& pattern) : pattern_(pattern) {}

  std::optional<Occurrence> next(const Zone& zone, const Trigger& anchor,
                                 Timestamp after) const override {
    const Timestamp begin =
        std::max(after + minutes(1), anchor.at + minutes(1) - std::chrono::microseconds(1));
    return first_from(zone, floor<minutes>(begin), kLastInstant);
  }

  std::optional<Occurrence> last(const Zone& zone, const Trigger& anchor, Timestamp from,
                                 Timestamp until) const override {
    const Timestamp end = std::max(from, anchor.at);
    for (Timestamp at = floor<minutes>(until); at >= end;) {
      const LocalTime wall = zone.to_local(at);
      const minutes skip = mismatch(wall, -1);
      if (skip == minutes(0)) return Occurrence{.at = at, .nominal = wall};
      at -= steady(zone, at, skip, -1);
    }
    return std::nullopt;
  }

  std::uint64_t count(const Zone& zone, const Trigger& anchor, Timestamp from, Timestamp before,
                      std::uint64_t limit) const override {
    std::uint64_t number = 0;
    Timestamp at = std::chrono::ceil<minutes>(std::max(from, anchor.at));
    while (number < limit) {
      const auto found = first_from(zone, at, before);
      if (!found || found->at >= before) break;
      ++number;
      at = found->at + minutes(1);
    }
    return number;
  }

 private:
  /// From a whole minute on, up to `end`; what cannot match is jumped over.
  std::optional<Occurrence> first_from(const Zone& zone, Timestamp at, Timestamp end) const {
    while (at <= end) {
      const LocalTime wall = zone.to_local(at);
      const minutes skip = mismatch(wall, 1);
      if (skip == minutes(0)) return Occurrence{.at = at, .nominal = wall};
      at += steady(zone, at, skip, 1);
    }
    return std::nullopt;
  }

  /// How far the wall has to go, forwards or back, until it may match; 0 when it matches.
  minutes mismatch(LocalTime wall, int direction) const {
    const auto day = floor<days>(wall);
    const minutes of_day = floor<minutes>(wall - day);
    const minutes of_hour = of_day % hours(1);
    if (!pattern_.matches(day)) return direction > 0 ? days(1) - of_day : of_day + minutes(1);
    if (!pattern_.hours[static_cast<std::size_t>(of_day / hours(1))]) {
      return direction > 0 ? hours(1) - of_hour : of_hour + minutes(1);
    }
    return minutes(pattern_.minutes[static_cast<std::size_t>(of_hour.count())] ? 0 : 1);
  }

  /// Where the clocks change on the way, the wall goes there by other steps: shorter ones then.
  static minutes steady(const Zone& zone, Timestamp at, minutes skip, int direction) {
    const auto offset = zone.offset_at(at);
    while (skip > minutes(1) && zone.offset_at(at + direction * skip) != offset) {
      skip = skip > hours(1) ? minutes(hours(1)) : minutes(1);
    }
    return skip;
  }

  CronPattern pattern_;
};

}  // namespace

SeriesPointer make_cron(const CronPattern& pattern) {
  if (pattern.runs_by_elapsed_time) return std::make_shared<ElapsedCron>(pattern);
  return std::make_shared<FixedCron>(pattern);
}

}  // namespace holdfast::schedule
