#include <holdfast/schedule/trigger.h>

#include <algorithm>
#include <charconv>

#include <holdfast/core/error.h>

#include "offset.h"

namespace holdfast::schedule {
namespace {

using std::chrono::microseconds;

constexpr std::int64_t kLastUs = 253'402'300'799'999'999;  // the end of the year 9999

/// What a text says, before a zone is asked.
struct Parts {
  LocalTime wall{};
  std::optional<std::chrono::seconds> offset{};
  char separator = 'T';
  bool is_zulu = false;
  bool has_colon = true;  ///< in the offset
};

[[noreturn]] void refuse(std::string_view field, std::string_view text) {
  throw InvalidArgument(std::string(field), std::string(text),
                        "be a time like 2026-12-01T09:00:00+01:00, a wall time like"
                        " 2026-12-01 09:00, or an integer of microseconds, in the years 1970 to"
                        " 9999");
}

std::optional<std::int64_t> read_integer(std::string_view text) {
  if (text.ends_with("us")) text.remove_suffix(2);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Takes two digits behind a separator.
std::optional<int> take(std::string_view text, std::size_t& at, char before) {
  if (at >= text.size() || text[at] != before) return std::nullopt;
  const auto value = two_digits(text, at + 1);
  if (value) at += 3;
  return value;
}

std::optional<LocalTime> read_date(std::string_view text, std::size_t& at) {
  const auto century = two_digits(text, 0);
  const auto rest = two_digits(text, 2);
  at = 4;
  const auto month = take(text, at, '-');
  const auto day = take(text, at, '-');
  if (!century || !rest || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*century * 100 + *rest),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return LocalTime(std::chrono::local_days(date));
}

std::optional<microseconds> read_fraction(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != '.') return microseconds(0);
  const std::size_t begin = ++at;
  std::int64_t value = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    if (at - begin < 6) value = value * 10 + (text[at] - '0');
  }
  const std::size_t digits = at - begin;
  if (digits == 0 || digits > 9) return std::nullopt;
  for (std::size_t i = digits; i < 6; ++i) value *= 10;
  return microseconds(value);
}

std::optional<microseconds> read_clock(std::string_view text, std::size_t& at) {
  const auto hour = take(text, at, text.size() > at ? text[at] : 'T');
  const auto minute = take(text, at, ':');
  if (!hour || !minute || *hour > 23 || *minute > 59) return std::nullopt;
  microseconds clock = std::chrono::hours(*hour) + std::chrono::minutes(*minute);
  if (at < text.size() && text[at] == ':') {
    const auto second = take(text, at, ':');
    if (!second || *second > 59) return std::nullopt;
    const auto fraction = read_fraction(text, at);
    if (!fraction) return std::nullopt;
    clock += std::chrono::seconds(*second) + *fraction;
  }
  return clock;
}

std::optional<Parts> read_parts(std::string_view text) {
  Parts parts;
  std::size_t at = 0;
  const auto day = read_date(text, at);
  if (!day || at >= text.size()) return std::nullopt;
  parts.separator = text[at];
  if (parts.separator != 'T' && parts.separator != 't' && parts.separator != ' ') {
    return std::nullopt;
  }
  const auto clock = read_clock(text, at);
  if (!clock) return std::nullopt;
  parts.wall = *day + *clock;
  std::string_view rest = text.substr(at);
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.empty()) return rest.size() == text.size() - at ? std::optional(parts) : std::nullopt;
  if (rest == "Z" || rest == "z") {
    parts.offset = std::chrono::seconds(0);
    parts.is_zulu = true;
    return parts;
  }
  parts.offset = read_offset(rest);
  parts.has_colon = rest.find(':') != std::string_view::npos;
  return parts.offset ? std::optional(parts) : std::nullopt;
}

}  // namespace

Trigger parse_trigger(std::string_view field, std::string_view text, const Zone& zone) {
  if (const auto us = read_integer(text)) {
    if (*us < 0 || *us > kLastUs) refuse(field, text);
    return {.at = from_us(*us), .local = zone.to_local(from_us(*us)), .has_offset = true};
  }
  const auto parts = read_parts(text);
  if (!parts) refuse(field, text);
  Trigger trigger;
  trigger.has_offset = parts->offset.has_value();
  if (trigger.has_offset) {
    trigger.at = Timestamp(parts->wall.time_since_epoch() - *parts->offset);
    trigger.local = zone.to_local(trigger.at);
  } else {
    trigger.at = zone.to_instant(parts->wall);
    trigger.local = parts->wall;
  }
  if (to_us(trigger.at) < 0 || to_us(trigger.at) > kLastUs) refuse(field, text);
  return trigger;
}

std::optional<std::string> offset_of(std::string_view text) {
  const auto parts = read_parts(text);
  if (!parts || !parts->offset) return std::nullopt;
  return parts->is_zulu ? "UTC" : write_offset(*parts->offset);
}

std::string write_trigger(const Occurrence& next, const Zone& zone, std::string_view like) {
  if (read_integer(like)) {
    return std::to_string(to_us(next.at)) + (like.ends_with("us") ? "us" : "");
  }
  const auto form = read_parts(like).value_or(Parts{});
  const auto with_separator = [&form](std::string text) {
    text[10] = form.separator;
    return text;
  };
  if (!form.offset && zone.to_instant(next.nominal) == next.at) {
    return with_separator(write_wall_time(next.nominal));
  }
  const auto offset = zone.offset_at(next.at);
  const LocalTime local = zone.to_local(next.at);
  // An offset has no seconds, and a year no fifth digit.
  const bool is_writable = offset % std::chrono::minutes(1) == std::chrono::seconds(0) &&
                           local < LocalTime(std::chrono::microseconds(kLastUs + 1));
  if (!is_writable || (form.is_zulu && offset.count() == 0)) {
    return with_separator(write_wall_time(LocalTime(next.at.time_since_epoch()))) + "Z";
  }
  return with_separator(write_wall_time(local)) + write_offset(offset, form.has_colon);
}

}  // namespace holdfast::schedule
