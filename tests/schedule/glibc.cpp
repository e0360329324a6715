#include "schedule/glibc.h"

#include <cstdlib>
#include <ctime>

namespace holdfast::test {
namespace {

std::tm fields_at(std::chrono::sys_seconds at) {
  const std::time_t seconds = at.time_since_epoch().count();
  std::tm fields{};
  localtime_r(&seconds, &fields);
  return fields;
}

}  // namespace

ProcessZone::ProcessZone(const std::string& name) {
  if (const char* before = std::getenv("TZ")) before_ = before;
  setenv("TZ", name.c_str(), 1);
  tzset();
}

ProcessZone::~ProcessZone() {
  if (before_) {
    setenv("TZ", before_->c_str(), 1);
  } else {
    unsetenv("TZ");
  }
  tzset();
}

std::chrono::seconds ProcessZone::offset_at(std::chrono::sys_seconds at) const {
  return std::chrono::seconds(fields_at(at).tm_gmtoff);
}

std::string ProcessZone::shown(std::chrono::sys_seconds at) const {
  const std::tm fields = fields_at(at);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &fields)};
}

std::optional<std::chrono::sys_seconds> ProcessZone::instant_of(
    std::chrono::local_seconds wall) const {
  const auto day = std::chrono::floor<std::chrono::days>(wall);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(wall - day);
  std::tm fields{};
  fields.tm_year = int(date.year()) - 1900;
  fields.tm_mon = static_cast<int>(unsigned(date.month())) - 1;
  fields.tm_mday = static_cast<int>(unsigned(date.day()));
  fields.tm_hour = static_cast<int>(clock.hours().count());
  fields.tm_min = static_cast<int>(clock.minutes().count());
  fields.tm_sec = static_cast<int>(clock.seconds().count());
  fields.tm_isdst = -1;
  const std::chrono::sys_seconds at{std::chrono::seconds(std::mktime(&fields))};
  if (at.time_since_epoch() + offset_at(at) != wall.time_since_epoch()) return std::nullopt;
  return at;
}

std::vector<Transition> transitions(const ProcessZone& zone, std::chrono::sys_seconds from,
                                    std::chrono::sys_seconds to) {
  using namespace std::chrono;
  constexpr hours kStep{3};  // no place changes its clocks twice in it
  std::vector<Transition> found;
  auto before = zone.offset_at(from);
  for (sys_seconds at = from; at < to; at += kStep) {
    const auto after = zone.offset_at(at + kStep);
    if (after == before) continue;
    sys_seconds low = at;
    sys_seconds high = at + kStep;
    while (high - low > seconds(1)) {
      const sys_seconds middle = low + (high - low) / 2;
      (zone.offset_at(middle) == before ? low : high) = middle;
    }
    found.push_back({.at = high, .before = before, .after = after});
    before = after;
  }
  return found;
}

}  // namespace holdfast::test
