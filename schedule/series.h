#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <memory>
#include <string_view>

#include <holdfast/schedule/recurrence.h>

/// The ways to repeat, one class each.
namespace holdfast::schedule {

using SeriesPointer = std::shared_ptr<const Recurrence::Series>;

/// The end of the year 9999.
inline constexpr Timestamp kLastInstant{std::chrono::microseconds(253'402'300'799'999'999)};

SeriesPointer make_interval(std::chrono::microseconds period);

enum class Calendar { daily, weekly, monthly };
SeriesPointer make_calendar(Calendar calendar);

/// Five fields, each a set of the values that match.
struct CronPattern {
  std::bitset<60> minutes;
  std::bitset<24> hours;
  std::bitset<32> days;
  std::bitset<13> months;
  std::bitset<7> weekdays;  ///< 0 is Sunday
  bool any_day = false;      ///< the field begins with `*`
  bool any_weekday = false;
  bool runs_by_elapsed_time = false;

  /// Throws InvalidArgument naming `field` and the part that is wrong.
  static CronPattern parse(std::string_view field, std::string_view text);
  bool matches(std::chrono::local_days day) const;
};
SeriesPointer make_cron(const CronPattern& pattern);

}  // namespace holdfast::schedule
