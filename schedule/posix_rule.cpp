#include "posix_rule.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace holdfast::schedule {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

/// Takes the parts of a rule from its text; once a part is not there, nothing is.
class PosixRule::Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool is_at_end() const { return rest_.empty(); }
  bool failed() const { return failed_; }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(bool there) { failed_ = failed_ || !there; }

  /// "CET" or "<+0330>"; what a zone is called is of no interest.
  void name() {
    const bool is_quoted = take('<');
    std::size_t length = 0;
    for (; length < rest_.size(); ++length) {
      const char c = rest_[length];
      const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
      if (!is_letter && (!is_quoted || c == '>')) break;
    }
    need(length >= 3);
    rest_.remove_prefix(length);
    need(!is_quoted || take('>'));
  }

  unsigned number(unsigned least, unsigned most) {
    std::size_t digits = 0;
    unsigned value = 0;
    while (digits < rest_.size() && digits < 3 && rest_[digits] >= '0' && rest_[digits] <= '9') {
      value = value * 10 + static_cast<unsigned>(rest_[digits++] - '0');
    }
    rest_.remove_prefix(digits);
    need(digits > 0 && value >= least && value <= most);
    return value;
  }

  /// "-9:30" and the like.
  seconds clock(unsigned hours_max) {
    const bool is_negative = take('-');
    if (!is_negative) take('+');
    seconds value = hours(number(0, hours_max));
    if (take(':')) value += minutes(number(0, 59));
    if (take(':')) value += seconds(number(0, 59));
    return is_negative ? -value : value;
  }

  Change change() {
    Change change;
    if (take('M')) {
      change.month = number(1, 12);
      need(take('.'));
      change.week = number(1, 5);
      need(take('.'));
      change.day = number(0, 6);
    } else if (take('J')) {
      change.kind = Change::Kind::without_leap;
      change.day = number(1, 365);
    } else {
      change.kind = Change::Kind::day_of_year;
      change.day = number(0, 365);
    }
    if (take('/')) change.time = clock(167);
    return change;
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

std::optional<PosixRule> PosixRule::parse(std::string_view text) {
  Reader reader(text);
  PosixRule rule;
  reader.name();
  rule.standard_ = -reader.clock(24);  // POSIX counts westwards
  if (!reader.is_at_end()) {
    rule.has_daylight_ = true;
    reader.name();
    rule.daylight_ = rule.standard_ + hours(1);
    if (!reader.take(',')) {
      rule.daylight_ = -reader.clock(24);
      reader.need(reader.take(','));
    }
    rule.to_daylight_ = reader.change();
    reader.need(reader.take(','));
    rule.to_standard_ = reader.change();
  }
  if (reader.failed() || !reader.is_at_end()) return std::nullopt;
  return rule;
}

sys_seconds PosixRule::Change::wall_in(std::chrono::year year) const {
  if (kind == Kind::nth_weekday) {
    const std::chrono::weekday weekday(day);
    const auto in_month = year / std::chrono::month(month);
    const sys_days date = week == 5 ? sys_days(in_month / weekday[std::chrono::last])
                                    : sys_days(in_month / weekday[week]);
    return date + time;
  }
  const sys_days first = year / std::chrono::January / 1;
  if (kind == Kind::day_of_year) return first + days(day) + time;
  const bool is_behind_leap_day = year.is_leap() && day >= 60;
  return first + days(day - 1 + (is_behind_leap_day ? 1 : 0)) + time;
}

OffsetSpan PosixRule::at(sys_seconds instant) const {
  OffsetSpan span{.offset = standard_};
  if (!has_daylight_) return span;
  const std::chrono::year year =
      std::chrono::year_month_day(std::chrono::floor<days>(instant)).year();
  struct Event {
    sys_seconds at;
    bool is_daylight;
  };
  std::array<Event, 6> events;
  std::size_t count = 0;
  for (int i = -1; i <= 1; ++i) {
    const std::chrono::year near = year + std::chrono::years(i);
    events[count++] = {to_daylight_.wall_in(near) - standard_, true};
    events[count++] = {to_standard_.wall_in(near) - daylight_, false};
  }
  // Daylight saving for the whole year ends when it begins anew: of the two the beginning counts.
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.at < b.at || (a.at == b.at && a.is_daylight < b.is_daylight);
  });
  for (const Event& event : events) {
    if (event.at > instant) {
      span.end = event.at;
      break;
    }
    span.begin = event.at;
    span.offset = event.is_daylight ? daylight_ : standard_;
  }
  return span;
}

}  // namespace holdfast::schedule
