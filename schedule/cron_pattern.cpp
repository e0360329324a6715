#include <charconv>
#include <string>
#include <vector>

#include <holdfast/core/error.h>

#include "series.h"

namespace holdfast::schedule {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                      "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> kWeekdays = {"SUN", "MON", "TUE", "WED",
                                                       "THU", "FRI", "SAT"};

/// What one field may hold.
struct FieldRule {
  std::string_view name;
  unsigned least;
  unsigned most;
  const std::string_view* names = nullptr;  ///< of the values from `names_from` on
  std::size_t name_count = 0;
  unsigned names_from = 0;
};

constexpr std::array<FieldRule, 5> kFields = {{
    {"minute", 0, 59},
    {"hour", 0, 23},
    {"day", 1, 31},
    {"month", 1, 12, kMonths.data(), kMonths.size(), 1},
    {"weekday", 0, 7, kWeekdays.data(), kWeekdays.size(), 0},
}};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) found.push_back(word);
  }
  return found;
}

/// Reads one field of a pattern.
class FieldReader {
 public:
  FieldReader(std::string_view field, const FieldRule& rule, std::string_view text)
      : field_(field), rule_(rule), text_(text) {}

  template <std::size_t Size>
  std::bitset<Size> read() const {
    std::bitset<Size> set;
    for (const std::string_view part : split(text_, ',')) {
      for (const unsigned value : values(part)) set.set(value % Size);
    }
    return set;
  }

 private:
  std::vector<unsigned> values(std::string_view part) const {
    const auto by_step = split(part, '/');
    if (by_step.size() > 2) refuse();
    unsigned step = 1;
    if (by_step.size() == 2) {
      step = number(by_step[1]);
      if (step == 0) refuse();
    }
    unsigned from = rule_.least;
    unsigned to = rule_.most;
    if (by_step[0] != "*") {
      const auto range = split(by_step[0], '-');
      if (range.size() > 2) refuse();
      from = value(range[0]);
      if (range.size() == 2) {
        to = value(range[1]);
      } else if (by_step.size() == 1) {
        to = from;
      }
      if (from > to) refuse();
    }
    std::vector<unsigned> all;
    for (unsigned at = from; at <= to; at += step) all.push_back(at);
    return all;
  }

  unsigned value(std::string_view text) const {
    for (std::size_t i = 0; i < rule_.name_count; ++i) {
      if (equals(text, rule_.names[i])) return rule_.names_from + static_cast<unsigned>(i);
    }
    const unsigned found = number(text);
    if (found < rule_.least || found > rule_.most) refuse();
    return found;
  }

  unsigned number(std::string_view text) const {
    unsigned found = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found);
    if (error != std::errc() || end != text.data() + text.size() || found > 1000) refuse();
    return found;
  }

  static bool equals(std::string_view text, std::string_view name) {
    if (text.size() != name.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i] >= 'a' && text[i] <= 'z' ? static_cast<char>(text[i] - 32) : text[i];
      if (c != name[i]) return false;
    }
    return true;
  }

  [[noreturn]] void refuse() const {
    std::string rule = "have a " + std::string(rule_.name) + " of " + std::to_string(rule_.least) +
                       " to " + std::to_string(rule_.most);
    if (rule_.name_count > 0) rule += " or a name like " + std::string(rule_.names[0]);
    throw InvalidArgument(std::string(field_), std::string(text_),
                          rule + ", as lists, ranges, `*`, and steps like */15");
  }

  std::string_view field_;
  const FieldRule& rule_;
  std::string_view text_;
};

bool has_a_day(const CronPattern& pattern) {
  const std::chrono::local_days first{std::chrono::year(2000) / 1 / 1};
  for (int i = 0; i < 146'097; ++i) {
    if (pattern.matches(first + std::chrono::days(i))) return true;
  }
  return false;
}

}  // namespace

CronPattern CronPattern::parse(std::string_view field, std::string_view text) {
  const auto parts = words(text);
  if (parts.size() != kFields.size()) {
    throw InvalidArgument(std::string(field), std::string(text),
                          "be daily, weekly, monthly, every:<n><s|m|h|d>, or a cron pattern of"
                          " five fields: minute hour day month weekday");
  }
  const auto read = [&](std::size_t i) { return FieldReader(field, kFields[i], parts[i]); };
  CronPattern pattern;
  pattern.minutes = read(0).read<60>();
  pattern.hours = read(1).read<24>();
  pattern.days = read(2).read<32>();
  pattern.months = read(3).read<13>();
  pattern.weekdays = read(4).read<7>();  // 7 is Sunday too
  pattern.any_day = parts[2].starts_with('*');
  pattern.any_weekday = parts[4].starts_with('*');
  pattern.runs_by_elapsed_time = parts[0].starts_with('*') || parts[1].starts_with('*');
  if (!has_a_day(pattern)) {
    throw InvalidArgument(std::string(field), std::string(text),
                          "name a day that comes at least once in 400 years");
  }
  return pattern;
}

bool CronPattern::matches(std::chrono::local_days day) const {
  const std::chrono::year_month_day date(day);
  if (!months[unsigned(date.month())]) return false;
  const bool by_day = days[unsigned(date.day())];
  const bool by_weekday = weekdays[std::chrono::weekday(day).c_encoding()];
  // Either will do when both are restricted.
  return any_day || any_weekday ? by_day && by_weekday : by_day || by_weekday;
}

}  // namespace holdfast::schedule
