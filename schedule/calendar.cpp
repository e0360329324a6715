#include "wall_series.h"

namespace holdfast::schedule {
namespace {

using std::chrono::local_days;

/// At the anchor's time of day: each day, on its weekday, or on its day of the month.
class CalendarSeries final : public WallSeries {
 public:
  explicit CalendarSeries(Calendar calendar) : calendar_(calendar) {}

 protected:
  bool matches(local_days day, const Trigger& anchor) const override {
    const auto first = std::chrono::floor<std::chrono::days>(anchor.local);
    if (calendar_ == Calendar::daily) return true;
    if (calendar_ == Calendar::weekly) {
      return std::chrono::weekday(day) == std::chrono::weekday(first);
    }
    const std::chrono::year_month_day date(day);
    const std::chrono::year_month_day_last last(date.year(), date.month() / std::chrono::last);
    return date.day() == std::min(std::chrono::year_month_day(first).day(), last.day());
  }

  std::vector<std::chrono::microseconds> times(const Trigger& anchor) const override {
    return {anchor.local - std::chrono::floor<std::chrono::days>(anchor.local)};
  }

 private:
  Calendar calendar_;
};

}  // namespace

SeriesPointer make_calendar(Calendar calendar) {
  return std::make_shared<CalendarSeries>(calendar);
}

}  // namespace holdfast::schedule
