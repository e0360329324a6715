#include <holdfast/schedule/zone.h>

#include <optional>

#include <holdfast/core/error.h>

#include "offset.h"
#include "zone_rules.h"

namespace holdfast::schedule {
namespace {

using std::chrono::floor;
using std::chrono::minutes;
using std::chrono::seconds;

std::string padded(long long value, std::size_t width) {
  std::string text = std::to_string(value);
  return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

std::shared_ptr<const ZoneRules> find_rules(std::string_view field, std::string_view text) {
  if (auto rules = ZoneRules::find(text)) return rules;
  throw InvalidArgument(std::string(field), std::string(text),
                        R"(be "UTC", an offset like "+02:00", or a name of the time-zone)"
                        R"( database like "Europe/Zurich")");
}

/// More than any offset.
constexpr std::chrono::hours kFarther{27};

}  // namespace

std::optional<int> two_digits(std::string_view text, std::size_t at) {
  if (at + 2 > text.size()) return std::nullopt;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!is_digit(text[at]) || !is_digit(text[at + 1])) return std::nullopt;
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

std::optional<seconds> read_offset(std::string_view text) {
  if (text.size() < 3 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const auto hours = two_digits(text, 1);
  std::size_t at = 3;
  std::optional<int> rest = 0;
  if (at < text.size()) {
    if (text[at] == ':') ++at;
    rest = two_digits(text, at);
    at += 2;
  }
  if (!hours || !rest || at != std::max<std::size_t>(text.size(), 3) || *rest > 59) {
    return std::nullopt;
  }
  const seconds offset = std::chrono::hours(*hours) + minutes(*rest);
  if (offset > std::chrono::hours(18)) return std::nullopt;
  return text[0] == '-' ? -offset : offset;
}

std::string write_offset(seconds offset, bool with_colon) {
  const auto total = std::chrono::duration_cast<minutes>(std::chrono::abs(offset)).count();
  return (offset.count() < 0 ? "-" : "+") + padded(total / 60, 2) + (with_colon ? ":" : "") +
         padded(total % 60, 2);
}

std::string write_wall_time(LocalTime time) {
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::string text = padded(int(date.year()), 4) + "-" + padded(unsigned(date.month()), 2) + "-" +
                     padded(unsigned(date.day()), 2) + "T" + padded(clock.hours().count(), 2) +
                     ":" + padded(clock.minutes().count(), 2) + ":" +
                     padded(clock.seconds().count(), 2);
  if (clock.subseconds().count() != 0) {
    text += "." + padded(clock.subseconds().count(), 6);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

Zone Zone::parse(std::string_view field, std::string_view text) {
  if (text == "UTC" || text == "Z") return {"UTC", nullptr, seconds(0)};
  if (const auto offset = read_offset(text)) return {write_offset(*offset), nullptr, *offset};
  return {std::string(text), find_rules(field, text), seconds(0)};
}

Timestamp Zone::to_instant(LocalTime time) const {
  if (rules_ == nullptr) return Timestamp(time.time_since_epoch() - offset_);
  const std::chrono::sys_seconds wall(floor<seconds>(time.time_since_epoch()));
  OffsetSpan span = rules_->at(wall - kFarther);
  seconds before = span.offset;
  // The first whose end the wall has not come to: it is in there, or skipped where it begins.
  while (span.end != std::chrono::sys_seconds::max() && wall >= span.end + span.offset) {
    before = span.offset;
    span = rules_->at(span.end);
  }
  const bool is_skipped =
      span.begin != std::chrono::sys_seconds::min() && wall < span.begin + span.offset;
  return Timestamp(time.time_since_epoch() - (is_skipped ? before : span.offset));
}

seconds Zone::offset_at(Timestamp at) const {
  return rules_ == nullptr ? offset_ : rules_->at(floor<seconds>(at)).offset;
}

LocalTime Zone::to_local(Timestamp at) const {
  return LocalTime(at.time_since_epoch() + offset_at(at));
}

}  // namespace holdfast::schedule
