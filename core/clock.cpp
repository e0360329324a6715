#include <holdfast/core/clock.h>

#include <holdfast/core/error.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <thread>

namespace holdfast {

namespace {

using std::chrono::days;
using std::chrono::microseconds;
using std::chrono::sys_days;

constexpr Timestamp kYear0 = sys_days(std::chrono::year(0) / 1 / 1);
constexpr Timestamp kYear10000 = sys_days(std::chrono::year(10000) / 1 / 1);
constexpr std::string_view kMicrosecondsSuffix = "us";

/// Reads an RFC 3339 text from left to right; once something does not fit, `failed` stays set.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }

  /// Exactly `count` digits, with a value from `min` to `max`.
  int number(std::size_t count, int min, int max) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value * 10 + digit();
    if (value < min || value > max) failed_ = true;
    return value;
  }
  /// One character out of `allowed`.
  char one_of(std::string_view allowed) {
    if (rest_.empty() || allowed.find(rest_.front()) == std::string_view::npos) {
      failed_ = true;
      return '\0';
    }
    const char got = rest_.front();
    rest_.remove_prefix(1);
    return got;
  }
  /// An optional `.` and 1 to 9 digits; those after the sixth are dropped.
  microseconds fraction() {
    if (!next_is('.')) return microseconds(0);
    one_of(".");
    int value = 0;
    std::size_t count = 0;
    for (; count < 9 && next_is_digit(); ++count) {
      const int read = digit();
      if (count < 6) value = value * 10 + read;
    }
    if (count == 0) failed_ = true;
    for (; count < 6; ++count) value *= 10;
    return microseconds(value);
  }
  /// `Z`, or hours and minutes east of UTC.
  std::chrono::minutes offset() {
    const char sign = one_of("Zz+-");
    if (sign != '+' && sign != '-') return std::chrono::minutes(0);
    const int hours = number(2, 0, 23);
    one_of(":");
    const int minutes = number(2, 0, 59);
    const std::chrono::minutes east(hours * 60 + minutes);
    return sign == '-' ? -east : east;
  }

 private:
  bool next_is(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool next_is_digit() const {
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }
  int digit() {
    if (!next_is_digit()) {
      failed_ = true;
      return 0;
    }
    const int value = rest_.front() - '0';
    rest_.remove_prefix(1);
    return value;
  }

  std::string_view rest_;
  bool failed_ = false;
};

std::optional<Timestamp> read_rfc3339(std::string_view text) {
  Reader reader(text);
  const std::chrono::year year(reader.number(4, 0, 9999));
  reader.one_of("-");
  const std::chrono::month month(static_cast<unsigned>(reader.number(2, 1, 12)));
  reader.one_of("-");
  const std::chrono::day day(static_cast<unsigned>(reader.number(2, 1, 31)));
  reader.one_of("Tt ");
  const std::chrono::hours hours(reader.number(2, 0, 23));
  reader.one_of(":");
  const std::chrono::minutes minutes(reader.number(2, 0, 59));
  reader.one_of(":");
  const std::chrono::seconds seconds(reader.number(2, 0, 59));
  const microseconds fraction = reader.fraction();
  const std::chrono::minutes offset = reader.offset();
  const std::chrono::year_month_day date(year, month, day);
  if (reader.failed() || !reader.at_end() || !date.ok()) return std::nullopt;
  return sys_days(date) + hours + minutes + seconds + fraction - offset;
}

std::optional<Timestamp> read_microseconds(std::string_view text) {
  if (text.ends_with(kMicrosecondsSuffix)) text.remove_suffix(kMicrosecondsSuffix.size());
  std::int64_t us = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), us);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return from_us(us);
}

}  // namespace

std::string to_rfc3339(Timestamp at) {
  if (at < kYear0 || at >= kYear10000) {
    return std::to_string(to_us(at)).append(kMicrosecondsSuffix);
  }
  const sys_days day = std::chrono::floor<days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(at - day);
  std::array<char, 80> text{};  // 27 are used; the compiler reckons with eleven digits a number
  const int size = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
      static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
      static_cast<int>(time.subseconds().count()));
  return std::string(text.data(), static_cast<std::size_t>(size));
}

Timestamp parse_timestamp(std::string_view field, std::string_view text) {
  if (const auto at = read_microseconds(text)) return *at;
  if (const auto at = read_rfc3339(text)) return *at;
  throw InvalidArgument(std::string(field), std::string(text.substr(0, 256)),
                        "be an RFC 3339 time with an offset, such as 2024-02-29T12:00:00Z, or a "
                        "whole number of microseconds since 1970");
}

namespace core {

Timestamp SystemClock::now() {
  return std::chrono::floor<microseconds>(std::chrono::system_clock::now());
}

microseconds SystemClock::elapsed() {
  return std::chrono::floor<microseconds>(std::chrono::steady_clock::now().time_since_epoch());
}

void SystemClock::sleep_for(microseconds duration) { std::this_thread::sleep_for(duration); }

}  // namespace core
}  // namespace holdfast
