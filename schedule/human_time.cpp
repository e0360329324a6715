#include <holdfast/schedule/human_time.h>

#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <vector>

#include <holdfast/core/error.h>
#include <holdfast/schedule/recurrence.h>
#include <holdfast/schedule/trigger.h>

#include "offset.h"

namespace holdfast::schedule {
namespace {

using std::chrono::days;
using std::chrono::microseconds;

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 7> kWeekdays = {
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
constexpr std::array<std::string_view, 7> kShort = {"Sun", "Mon", "Tue", "Wed",
                                                    "Thu", "Fri", "Sat"};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

Words words_of(std::string_view text) {
  Words words;
  std::string word;
  for (const char c : lower(text) + " ") {
    if (c != ' ' && c != '\t') {
      word += c;
      continue;
    }
    if (!word.empty()) words.push_back(word);
    word.clear();
  }
  return words;
}

struct Unit {
  std::string_view names;  ///< each between blanks
  std::int64_t seconds;
};
constexpr std::array<Unit, 5> kUnits = {{
    {" s sec secs second seconds ", 1},
    {" m min mins minute minutes ", 60},
    {" h hr hrs hour hours ", 3600},
    {" d day days ", 86'400},
    {" w week weeks ", 604'800},
}};

std::optional<std::int64_t> unit_seconds(std::string_view name) {
  if (name.empty() || name.find(' ') != std::string_view::npos) return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (unit.names.find(" " + std::string(name) + " ") != std::string_view::npos) {
      return unit.seconds;
    }
  }
  return std::nullopt;
}

/// Numbers with their units, in one word or several.
std::optional<microseconds> read_duration(std::string_view text) {
  constexpr std::int64_t kSecondsMax = 36'525LL * 86'400;
  std::int64_t total = 0;
  std::size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < text.size() && text[at] == ' ') ++at;
  };
  for (skip_blanks(); at < text.size(); skip_blanks()) {
    std::int64_t number = 0;
    const char* const begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
    if (error != std::errc() || number < 0) return std::nullopt;
    at += static_cast<std::size_t>(end - begin);
    skip_blanks();
    const std::size_t from = at;
    while (at < text.size() && text[at] >= 'a' && text[at] <= 'z') ++at;
    const auto unit = unit_seconds(text.substr(from, at - from));
    if (!unit || number > (kSecondsMax - total) / *unit) return std::nullopt;
    total += number * *unit;
  }
  if (total == 0) return std::nullopt;
  return std::chrono::seconds(total);
}

std::string in_largest_unit(std::chrono::seconds time) {
  constexpr std::array<std::pair<char, std::int64_t>, 3> kLarge = {
      {{'d', 86'400}, {'h', 3600}, {'m', 60}}};
  for (const auto& [name, seconds] : kLarge) {
    if (time.count() % seconds == 0) return std::to_string(time.count() / seconds) + name;
  }
  return std::to_string(time.count()) + "s";
}

/// "9:00", "17:30:15", "9pm", "9:30 am", "noon", "midnight", with "at" before it or without.
std::optional<microseconds> read_clock(std::span<const std::string> words) {
  if (!words.empty() && words[0] == "at") words = words.subspan(1);
  const bool has_half_apart = words.size() == 2 && (words[1] == "am" || words[1] == "pm");
  if (words.size() != 1 && !has_half_apart) return std::nullopt;
  std::string text = words[0] + (has_half_apart ? words[1] : "");
  if (text == "noon") return std::chrono::hours(12);
  if (text == "midnight") return microseconds(0);
  std::optional<int> half;
  if (text.size() > 2 && (text.ends_with("am") || text.ends_with("pm"))) {
    half = text[text.size() - 2] == 'p' ? 12 : 0;
    text.resize(text.size() - 2);
  }
  const auto colon = text.find(':');
  if (colon == std::string::npos && !half) return std::nullopt;
  if (colon == std::string::npos) text += ":00";
  if (text.size() > 1 && text[1] == ':') text.insert(0, 1, '0');
  const auto hour = two_digits(text, 0);
  const auto minute = two_digits(text, 3);
  if (!hour || !minute || text[2] != ':' || *minute > 59) return std::nullopt;
  std::optional<int> second = 0;
  if (text.size() > 5) {
    second = text.size() == 8 && text[5] == ':' ? two_digits(text, 6) : std::nullopt;
  }
  if (!second || *second > 59 || *hour > (half ? 12 : 23) || (half && *hour == 0)) {
    return std::nullopt;
  }
  const int hours = half ? *hour % 12 + *half : *hour;
  return std::chrono::hours(hours) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
}

/// How many days after today.
std::optional<days> read_day(const std::string& word, LocalTime now, bool is_weekday) {
  if (word == "today" && !is_weekday) return days(0);
  if (word == "tomorrow" && !is_weekday) return days(1);
  const std::chrono::weekday today(std::chrono::floor<days>(now));
  for (unsigned i = 0; i < kWeekdays.size(); ++i) {
    if (word.size() < 3 || kWeekdays[i].substr(0, word.size()) != word) continue;
    const auto ahead = std::chrono::weekday(i) - today;
    return ahead.count() == 0 ? days(7) : ahead;
  }
  return std::nullopt;
}

/// How many days after today, of "today", "tomorrow", "friday", "on friday", "next friday"; takes
/// the words.
std::optional<days> take_day(std::span<const std::string>& words, LocalTime now) {
  const bool has_lead = words.size() > 1 && (words[0] == "on" || words[0] == "next");
  const auto ahead = read_day(words[has_lead ? 1 : 0], now, has_lead);
  if (ahead) words = words.subspan(has_lead ? 2 : 1);
  return ahead;
}

[[noreturn]] void refuse(std::string_view field, std::string_view text, const char* more = "") {
  throw InvalidArgument(std::string(field), std::string(text),
                        std::string("be a time like 2026-12-01 09:00, 2026-12-01T09:00:00+01:00,"
                                    " in 2h30m, 9:00, tomorrow 9am or friday at noon") +
                            more);
}

/// A bare number is an hour or a slip sooner than an instant of 1970.
bool is_short_number(std::string_view text) {
  constexpr std::size_t kDigitsMax = 12;
  return text.size() <= kDigitsMax &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<std::string> read_trigger(std::string_view text, const Zone& zone) {
  if (is_short_number(text)) return std::nullopt;
  try {
    (void)parse_trigger("time", text, zone);
    return std::string(text);
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

}  // namespace

std::string parse_human_time(std::string_view field, std::string_view text, Timestamp now,
                             const Zone& zone) {
  if (auto trigger = read_trigger(text, zone)) return std::move(*trigger);
  const Words all = words_of(text);
  std::span<const std::string> words(all);
  if (words.empty()) refuse(field, text);
  const auto instant = [&](Timestamp at) {
    return write_trigger({.at = at, .nominal = zone.to_local(at)}, zone,
                         "2026-01-01T00:00:00+00:00");
  };
  if (words.size() == 1 && words[0] == "now") return instant(now);
  if (words[0] == "in") {
    std::string rest;
    for (std::size_t i = 1; i < words.size(); ++i) rest += words[i] + " ";
    const auto duration = read_duration(rest);
    if (!duration) refuse(field, text);
    return instant(now + *duration);
  }
  const LocalTime local = zone.to_local(now);
  const auto today = std::chrono::floor<days>(local);
  const auto day = take_day(words, local);
  if (day && words.empty()) refuse(field, text, "; a day needs a time too");
  const auto clock = read_clock(words);
  if (!clock) refuse(field, text);
  LocalTime wall = today + day.value_or(days(0)) + *clock;
  if (!day && zone.to_instant(wall) <= now) wall += days(1);
  const std::string trigger = write_wall_time(wall);
  if (!read_trigger(trigger, zone)) refuse(field, text);
  return trigger;
}

microseconds parse_duration(std::string_view field, std::string_view text) {
  if (const auto duration = read_duration(lower(text))) return *duration;
  throw InvalidArgument(std::string(field), std::string(text),
                        "be a positive duration like 90s, 2h30m, 3d or 90 minutes, of up to"
                        " 36,525 days");
}

std::string parse_human_repeat(std::string_view field, std::string_view text) {
  const Words words = words_of(text);
  std::string rule(text);
  if (words == Words{"hourly"}) rule = "every:1h";
  if (words == Words{"every", "day"}) rule = "daily";
  if (words == Words{"every", "week"}) rule = "weekly";
  if (words == Words{"every", "month"}) rule = "monthly";
  if (words.size() >= 2 && words[0] == "every" && rule == text) {
    std::string rest;
    for (std::size_t i = 1; i < words.size(); ++i) rest += words[i] + " ";
    if (unit_seconds(words[1])) rest = "1 " + rest;
    if (const auto duration = read_duration(rest)) {
      rule = "every:" + in_largest_unit(std::chrono::floor<std::chrono::seconds>(*duration));
    }
  }
  (void)Recurrence::parse(field, rule);
  return rule;
}

std::string format_human(Timestamp at, const Zone& zone) {
  const LocalTime local = zone.to_local(at);
  const std::chrono::weekday day(std::chrono::floor<days>(local));
  std::string wall = write_wall_time(local);
  wall[wall.find('T')] = ' ';
  std::string text = std::string(kShort[day.c_encoding()]) + " " + wall + " " +
                     write_offset(zone.offset_at(at));
  if (read_offset(zone.name())) return text;
  return text + " (" + zone.name() + ")";
}

}  // namespace holdfast::schedule
