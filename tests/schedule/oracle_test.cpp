#include "schedule/glibc.h"
#include "schedule/support.h"

#include <map>

using namespace holdfast;
using namespace holdfast::schedule;
using namespace holdfast::test;
using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

namespace {

constexpr sys_seconds kFrom{sys_days(std::chrono::year(2020) / 1 / 1)};
constexpr sys_seconds kTo{sys_days(std::chrono::year(2041) / 1 / 1)};

/// Half hours, 45 minutes, 30 minutes of daylight saving, the south, two hours of it, a winter
/// time that is the exception, rules that were changed, changes at midnight, and none at all.
const std::vector<std::string> kZones = {"UTC",
                                         "Africa/Cairo",
                                         "Africa/Casablanca",
                                         "Africa/Johannesburg",
                                         "America/Asuncion",
                                         "America/Chihuahua",
                                         "America/Havana",
                                         "America/Los_Angeles",
                                         "America/Mexico_City",
                                         "America/New_York",
                                         "America/Nuuk",
                                         "America/Sao_Paulo",
                                         "America/Santiago",
                                         "America/St_Johns",
                                         "Antarctica/Casey",
                                         "Antarctica/Troll",
                                         "Asia/Almaty",
                                         "Asia/Amman",
                                         "Asia/Beirut",
                                         "Asia/Gaza",
                                         "Asia/Jerusalem",
                                         "Asia/Kathmandu",
                                         "Asia/Kolkata",
                                         "Asia/Tehran",
                                         "Asia/Tokyo",
                                         "Atlantic/Azores",
                                         "Australia/Adelaide",
                                         "Australia/Eucla",
                                         "Australia/Lord_Howe",
                                         "Australia/Sydney",
                                         "Europe/Dublin",
                                         "Europe/Kyiv",
                                         "Europe/London",
                                         "Europe/Volgograd",
                                         "Europe/Zurich",
                                         "Pacific/Apia",
                                         "Pacific/Auckland",
                                         "Pacific/Chatham",
                                         "Pacific/Fiji",
                                         "Pacific/Kiritimati",
                                         "Pacific/Marquesas",
                                         "Pacific/Norfolk"};

std::string described(const std::string& name, seconds at) {
  return name + " at " + std::to_string(at.count());
}

/// What is not as expected, none of which there should be.
using Differences = std::vector<std::string>;

void compare_instant(const std::string& name, const Zone& zone, const ProcessZone& glibc,
                     sys_seconds at, Differences& wrong) {
  if (zone.offset_at(at) != glibc.offset_at(at) ||
      write_wall_time(zone.to_local(at)) != glibc.shown(at)) {
    wrong.push_back(described(name, at.time_since_epoch()));
  }
}

void compare_wall(const std::string& name, const Zone& zone, seconds wall, sys_seconds expected,
                  Differences& wrong) {
  if (zone.to_instant(LocalTime(wall)) != expected) wrong.push_back(described(name, wall));
}

/// A second before it and from it on, and the wall times that it skips or repeats.
void compare_around(const std::string& name, const Zone& zone, const ProcessZone& glibc,
                    const Transition& change, Differences& wrong) {
  for (const seconds near : {-3600s, -1s, 0s, 1s, 3600s}) {
    compare_instant(name, zone, glibc, change.at + near, wrong);
  }
  const auto at = change.at.time_since_epoch();
  const seconds first = at + std::min(change.before, change.after);
  const seconds last = at + std::max(change.before, change.after) - 1s;
  // Skipped: read by the offset before. Twice: the first pass, which is by that offset too.
  for (const seconds wall : {first, first + 1s, (first + last) / 2, last - 1s, last}) {
    compare_wall(name, zone, wall, sys_seconds(wall - change.before), wrong);
  }
  compare_wall(name, zone, first - 1s, sys_seconds(first - 1s - change.before), wrong);
  compare_wall(name, zone, last + 1s, sys_seconds(last + 1s - change.after), wrong);
}

}  // namespace

TEST_CASE("around every change of the clocks from 2020 to 2040 zones agree with glibc", "[zone]") {
  std::size_t changes = 0;
  Differences wrong;
  for (const std::string& name : kZones) {
    const ProcessZone glibc(":" + name);
    const Zone zone = zone_named(name);
    for (const Transition& change : transitions(glibc, kFrom, kTo)) {
      compare_around(name, zone, glibc, change, wrong);
      ++changes;
    }
  }
  CHECK(wrong == Differences());
  CHECK(changes > 800);
}

TEST_CASE("each day's wall times from 2020 to 2040 are the instants that mktime finds", "[zone]") {
  Differences wrong;
  std::map<std::string, int> skipped;
  for (const std::string& name : kZones) {
    const ProcessZone glibc(":" + name);
    const Zone zone = zone_named(name);
    for (sys_seconds day = kFrom; day < kTo; day += days(1)) {
      for (const seconds time : {0s, 1800s, 9000s, 43'200s}) {
        const seconds wall = day.time_since_epoch() + time;
        const auto found = glibc.instant_of(std::chrono::local_seconds(wall));
        const Timestamp ours = zone.to_instant(LocalTime(wall));
        if (!found) {
          // The wall never shows it: it is moved by as much as the clock was.
          ++skipped[name];
          if (glibc.offset_at(std::chrono::floor<seconds>(ours)) <=
              wall - std::chrono::floor<seconds>(ours).time_since_epoch()) {
            wrong.push_back(described(name, wall));
          }
        } else if (ours > *found || zone.to_local(ours) != LocalTime(wall)) {
          wrong.push_back(described(name, wall));
        }
      }
    }
  }
  CHECK(wrong == Differences());
  CHECK(skipped["America/New_York"] == 21);
  CHECK(skipped["UTC"] == 0);
}

TEST_CASE("a day that a place left out is read by the offset before", "[zone]") {
  const ProcessZone glibc(":Pacific/Apia");
  const Zone apia = zone_named("Pacific/Apia");
  const auto changes = transitions(glibc, sys_days(std::chrono::year(2011) / 12 / 1),
                                   sys_days(std::chrono::year(2012) / 2 / 1));
  REQUIRE(changes.size() == 1);
  CHECK(changes.front().after - changes.front().before == 24h);
  CHECK(apia.to_instant(wall("2011-12-30T09:00:00")) == instant("2011-12-30T19:00:00Z"));
  CHECK(apia.to_instant(wall("2011-12-31T09:00:00")) == instant("2011-12-30T19:00:00Z"));
  Differences wrong;
  compare_around("Pacific/Apia", apia, glibc, changes.front(), wrong);
  CHECK(wrong == Differences());
}

TEST_CASE("zones agree with glibc from 1970 to 2400", "[zone]") {
  Differences wrong;
  for (const std::string& name : kZones) {
    const ProcessZone glibc(":" + name);
    const Zone zone = zone_named(name);
    for (sys_seconds at{0s}; at < sys_days(std::chrono::year(2400) / 1 / 1); at += 555'555s) {
      compare_instant(name, zone, glibc, at, wrong);
    }
  }
  CHECK(wrong == Differences());
}
