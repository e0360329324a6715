#include <holdfast/schedule/recurrence.h>

#include <charconv>

#include <holdfast/core/error.h>

#include "series.h"

namespace holdfast::schedule {
namespace {

constexpr std::string_view kEvery = "every:";
constexpr std::uint64_t kCountMax = 10'000;

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::chrono::microseconds read_interval(std::string_view field, std::string_view text) {
  constexpr std::int64_t kSecondsMax = 36'525LL * 86'400;
  const std::string_view rest = text.substr(kEvery.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const std::string_view unit =
      rest.substr(static_cast<std::size_t>(end - rest.data()));
  const std::int64_t seconds = unit == "s"   ? 1
                               : unit == "m" ? 60
                               : unit == "h" ? 3600
                               : unit == "d" ? 86'400
                                             : 0;
  if (error != std::errc() || seconds == 0 || number < 1 || number > kSecondsMax / seconds) {
    throw InvalidArgument(std::string(field), std::string(text),
                          "be every:<n><s|m|h|d>, of 1 s to 36,525 d");
  }
  return std::chrono::seconds(number * seconds);
}

SeriesPointer make_series(std::string_view field, std::string_view text) {
  if (text == "daily") return make_calendar(Calendar::daily);
  if (text == "weekly") return make_calendar(Calendar::weekly);
  if (text == "monthly") return make_calendar(Calendar::monthly);
  if (text.starts_with(kEvery)) return make_interval(read_interval(field, text));
  return make_cron(CronPattern::parse(field, text));
}

}  // namespace

Recurrence Recurrence::parse(std::string_view field, std::string_view text) {
  const std::string_view rule = trimmed(text);
  return {std::string(rule), make_series(field, rule)};
}

Occurrence Recurrence::next(const Zone& zone, const Trigger& anchor, Timestamp after) const {
  const auto found = series_->next(zone, anchor, after);
  if (!found || found->at > kLastInstant) {
    throw InvalidArgument("repeat", text_, "have an occurrence after " + to_rfc3339(after));
  }
  return *found;
}

auto Recurrence::latest(const Zone& zone, const Trigger& anchor, Timestamp from,
                        Timestamp until) const -> std::optional<Latest> {
  const auto found = series_->last(zone, anchor, from, until);
  if (!found) return std::nullopt;
  return Latest{.occurrence = *found,
                .passed_over = series_->count(zone, anchor, from, found->at, kCountMax)};
}

}  // namespace holdfast::schedule
