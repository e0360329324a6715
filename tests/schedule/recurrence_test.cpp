#include "schedule/support.h"

using namespace holdfast;
using namespace holdfast::schedule;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

using Times = std::vector<std::string>;

/// The day of each of the first occurrences.
Times first_days(std::string_view rule, std::string_view anchor, int count) {
  Times days = first_shown(rule, anchor, "Europe/Zurich", count);
  for (std::string& day : days) day.resize(10);
  return days;
}

}  // namespace

TEST_CASE("a repeat of another form is refused with its field and value", "[recurrence]") {
  for (const std::string rule : {"",
                                 "hourly",
                                 "Daily",
                                 "yearly",
                                 "every:",
                                 "every:5",
                                 "every:s",
                                 "every:0s",
                                 "every:-1s",
                                 "every:+1s",
                                 "every: 5s",
                                 "every:5 s",
                                 "every:5ms",
                                 "every:5S",
                                 "every:1.5h",
                                 "every:5w",
                                 "every:3155760001s",
                                 "every:36526d",
                                 "every:876601h",
                                 "every:99999999999999999999s"}) {
    CHECK(refused([&] { (void)repeating(rule); }) == "repeat: '" + rule + "'");
  }
  CHECK_NOTHROW(repeating("every:36525d"));
  CHECK_NOTHROW(repeating("every:3155760000s"));
  CHECK_NOTHROW(repeating("  daily "));
}

TEST_CASE("every runs by elapsed time, phase-locked to the anchor", "[recurrence]") {
  const auto every = repeating("every:90m");
  const Zone york = zone_named("America/New_York");
  const Trigger anchor = trigger_at("2025-11-02T00:00:00.000001", "America/New_York");
  CHECK(every.next(york, anchor, anchor.at - 1us).at == anchor.at);
  CHECK(every.next(york, anchor, anchor.at).at == anchor.at + 90min);
  CHECK(every.next(york, anchor, anchor.at + 90min - 1us).at == anchor.at + 90min);
  CHECK(every.next(york, anchor, anchor.at + 90min).at == anchor.at + 180min);
  // Through the doubled hour: 01:30 is 90 minutes after midnight, and 02:00 180.
  CHECK(first_shown("every:90m", "2025-11-02T00:00:00", "America/New_York", 4) ==
        Times{"2025-11-02T00:00:00", "2025-11-02T01:30:00", "2025-11-02T02:00:00",
              "2025-11-02T03:30:00"});
}

TEST_CASE("the units of every are seconds, minutes, hours and days of 24 hours", "[recurrence]") {
  const Trigger anchor = trigger_at("2025-03-08 12:00", "America/New_York");
  const Zone york = zone_named("America/New_York");
  CHECK(repeating("every:7s").next(york, anchor, anchor.at).at == anchor.at + 7s);
  CHECK(repeating("every:7m").next(york, anchor, anchor.at).at == anchor.at + 7min);
  CHECK(repeating("every:7h").next(york, anchor, anchor.at).at == anchor.at + 7h);
  CHECK(repeating("every:1d").next(york, anchor, anchor.at).at == anchor.at + 24h);
}

TEST_CASE("daily keeps the wall time while the clocks change", "[recurrence]") {
  CHECK(first_shown("daily", "2025-03-08 09:00", "America/New_York", 3) ==
        Times{"2025-03-08T09:00:00", "2025-03-09T09:00:00", "2025-03-10T09:00:00"});
  CHECK(first_shown("daily", "2025-11-01T09:00:00.25", "America/New_York", 3) ==
        Times{"2025-11-01T09:00:00.25", "2025-11-02T09:00:00.25", "2025-11-03T09:00:00.25"});
}

TEST_CASE("N8: daily at 02:30 happens once on each day, skipped hours and doubled ones included",
          "[recurrence][N8]") {
  CHECK(first_shown("daily", "2025-03-08 02:30", "America/New_York", 3) ==
        Times{"2025-03-08T02:30:00", "2025-03-09T03:30:00", "2025-03-10T02:30:00"});
  CHECK(first_shown("daily", "2022-03-26 02:30", "Europe/Zurich", 3) ==
        Times{"2022-03-26T02:30:00", "2022-03-27T03:30:00", "2022-03-28T02:30:00"});
  // 02:30 comes once that day in New York, 01:30 twice.
  CHECK(first_shown("daily", "2025-11-01 02:30", "America/New_York", 3) ==
        Times{"2025-11-01T02:30:00", "2025-11-02T02:30:00", "2025-11-03T02:30:00"});
  CHECK(first_shown("daily", "2025-11-01 01:30", "America/New_York", 3) ==
        Times{"2025-11-01T01:30:00", "2025-11-02T01:30:00", "2025-11-03T01:30:00"});
  const Trigger anchor = trigger_at("2025-11-01 01:30", "America/New_York");
  CHECK(repeating("daily").next(zone_named("America/New_York"), anchor, anchor.at).at ==
        instant("2025-11-02T05:30:00Z"));
}

TEST_CASE("an anchor that is skipped keeps its wall time on the other days", "[recurrence]") {
  CHECK(first_shown("daily", "2025-03-09 02:30", "America/New_York", 3) ==
        Times{"2025-03-09T03:30:00", "2025-03-10T02:30:00", "2025-03-11T02:30:00"});
}

TEST_CASE("an anchor with an offset is repeated at the wall time of its zone", "[recurrence]") {
  CHECK(first_shown("daily", "2025-03-08T13:00:00Z", "America/New_York", 2) ==
        Times{"2025-03-08T08:00:00", "2025-03-09T08:00:00"});
  CHECK(first_shown("daily", "1741438800000000", "America/New_York", 2) ==
        Times{"2025-03-08T08:00:00", "2025-03-09T08:00:00"});
}

TEST_CASE("weekly keeps the anchor's weekday in its zone", "[recurrence]") {
  CHECK(first_days("weekly", "2026-03-25 02:30", 3) ==
        Times{"2026-03-25", "2026-04-01", "2026-04-08"});
  // A Sunday in UTC, a Monday in Auckland.
  CHECK(first_shown("weekly", "2026-01-04T20:00:00Z", "Pacific/Auckland", 2) ==
        Times{"2026-01-05T09:00:00", "2026-01-12T09:00:00"});
}

TEST_CASE("a month that is too short takes its last day, the next one the anchor's day again",
          "[recurrence]") {
  CHECK(first_days("monthly", "2026-01-31 09:00", 5) ==
        Times{"2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"});
  CHECK(first_days("monthly", "2028-01-30 09:00", 3) ==
        Times{"2028-01-30", "2028-02-29", "2028-03-30"});
  CHECK(first_days("monthly", "2024-02-29 09:00", 13).back() == "2025-02-28");
  CHECK(first_days("monthly", "2024-02-29 09:00", 49).back() == "2028-02-29");
}

TEST_CASE("nothing is before the anchor", "[recurrence]") {
  const Zone zurich = zone_named("Europe/Zurich");
  const Trigger anchor = trigger_at("2026-06-15 09:30:30", "Europe/Zurich");
  for (const auto* rule : {"every:1h", "daily", "weekly", "monthly"}) {
    INFO(rule);
    CHECK(repeating(rule).next(zurich, anchor, from_us(0)).at == anchor.at);
    CHECK_FALSE(repeating(rule).latest(zurich, anchor, from_us(0), anchor.at - 1us));
    CHECK(repeating(rule).latest(zurich, anchor, from_us(0), anchor.at)->occurrence.at ==
          anchor.at);
  }
  // A cron pattern need not hold at its anchor.
  for (const auto* rule : {"* * * * *", "31 9 * * *"}) {
    CHECK(repeating(rule).next(zurich, anchor, from_us(0)).at == anchor.at + 30s);
    CHECK_FALSE(repeating(rule).latest(zurich, anchor, from_us(0), anchor.at + 29s));
  }
}

TEST_CASE("two wall times that fall on one instant happen once", "[recurrence]") {
  // Apia left out 30 December 2011, so its 09:00 is that of the 31st.
  CHECK(first_shown("daily", "2011-12-29 09:00", "Pacific/Apia", 3) ==
        Times{"2011-12-29T09:00:00", "2011-12-31T09:00:00", "2012-01-01T09:00:00"});
  const Trigger anchor = trigger_at("2011-12-29 09:00", "Pacific/Apia");
  const auto latest = repeating("daily").latest(zone_named("Pacific/Apia"), anchor, anchor.at,
                                                instant("2012-01-01T00:00:00Z"));
  REQUIRE(latest);
  CHECK(latest->passed_over == 2);
}

TEST_CASE("a series ends with the year 9999", "[recurrence]") {
  const Zone utc = zone_named("UTC");
  const Trigger anchor = trigger_at("2026-06-15 09:30");
  for (const std::string rule : {"every:36525d", "daily", "weekly", "monthly", "* * * * *",
                                 "0 0 29 2 *", "0-59 0-23 * * *"}) {
    const Timestamp end = instant("9999-12-31T23:59:59.999999Z");
    CHECK(refused([&] { (void)repeating(rule).next(utc, anchor, end); }) ==
          "repeat: '" + rule + "'");
  }
  CHECK(repeating("daily").next(utc, anchor, instant("9999-12-30T10:00:00Z")).at ==
        instant("9999-12-31T09:30:00Z"));
}
