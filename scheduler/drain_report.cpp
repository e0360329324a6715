#include <holdfast/scheduler/drain_report.h>

#include <array>
#include <string_view>
#include <utility>

#include <holdfast/core/json_text.h>

namespace holdfast {
namespace {

using Counter = std::uint64_t DrainReport::*;

constexpr std::array<std::pair<std::string_view, Counter>, 15> kCounters = {{
    {"scanned", &DrainReport::scanned},
    {"claimed", &DrainReport::claimed},
    {"fired", &DrainReport::fired},
    {"re_armed", &DrainReport::re_armed},
    {"missed", &DrainReport::missed},
    {"failed", &DrainReport::failed},
    {"retry", &DrainReport::retry},
    {"indeterminate", &DrainReport::indeterminate},
    {"handed_back", &DrainReport::handed_back},
    {"skipped_race", &DrainReport::skipped_race},
    {"unhandled", &DrainReport::unhandled},
    {"reclaimed", &DrainReport::reclaimed},
    {"finalized", &DrainReport::finalized},
    {"conflicts", &DrainReport::conflicts},
    {"fenced", &DrainReport::fenced},
}};

}  // namespace

DrainReport& DrainReport::operator+=(const DrainReport& more) {
  for (const auto& [name, counter] : kCounters) this->*counter += more.*counter;
  return *this;
}

std::string to_json(const DrainReport& report) {
  core::JsonWriter out;
  for (const auto& [name, counter] : kCounters) out.unsigned_integer(name, report.*counter);
  return out.finish();
}

}  // namespace holdfast
