#include "schedule/support.h"

using namespace holdfast;
using namespace holdfast::schedule;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

using Times = std::vector<std::string>;

/// The wall times that a pattern has on one day in New York.
Times on_day(std::string_view rule, const std::string& day) {
  Times times;
  const Zone zone = zone_named("America/New_York");
  const Trigger anchor = trigger_at(day + " 00:00", "America/New_York");
  Timestamp after = anchor.at - 1us;
  for (;;) {
    after = repeating(rule).next(zone, anchor, after).at;
    const std::string time = shown("America/New_York", after);
    if (time.substr(0, 10) != day) return times;
    times.push_back(time.substr(11, 5));
  }
}

/// The days on which a pattern holds within four weeks from Thursday, 1 January 2026, on.
std::vector<int> days_of(const std::string& fields) {
  std::vector<int> days;
  const Zone utc = zone_named("UTC");
  const Trigger anchor = trigger_at("2026-01-01 00:00");
  Timestamp after = anchor.at - 1us;
  for (;;) {
    after = repeating("0 0 " + fields).next(utc, anchor, after).at;
    if (after >= anchor.at + 28 * 24h) return days;
    days.push_back(static_cast<int>((after - anchor.at) / 24h) + 1);
  }
}

}  // namespace

TEST_CASE("a field is a value, a range, a list of them, all, or every so manieth", "[cron]") {
  CHECK(on_day("0,30 5-6 * * *", "2026-01-05") == Times{"05:00", "05:30", "06:00", "06:30"});
  CHECK(on_day("15 1-10/4,23 * * *", "2026-01-05") == Times{"01:15", "05:15", "09:15", "23:15"});
  CHECK(on_day("*/20 7 * * *", "2026-01-05") == Times{"07:00", "07:20", "07:40"});
  CHECK(on_day("50/5 7 * * *", "2026-01-05") == Times{"07:50", "07:55"});
  CHECK(on_day("*/60 7 * * *", "2026-01-05") == Times{"07:00"});
  CHECK(on_day("  5   7  * * *  ", "2026-01-05") == Times{"07:05"});
}

TEST_CASE("months and weekdays have names, and Sunday two numbers", "[cron]") {
  const Times once = {"00:00"};
  CHECK(on_day("0 0 * JAN mon", "2026-01-05") == once);
  CHECK(on_day("0 0 * Jan-feb Mon-Wed", "2026-01-05") == once);
  CHECK(days_of("* * sun") == std::vector<int>{4, 11, 18, 25});
  CHECK(days_of("* * 0") == days_of("* * 7"));
  CHECK(days_of("* * 5-7") == std::vector<int>{2, 3, 4, 9, 10, 11, 16, 17, 18, 23, 24, 25});
  CHECK(days_of("* * 0-7").size() == 28);
}

TEST_CASE("when both days are restricted either will do, else both hold", "[cron]") {
  CHECK(days_of("13 * fri") == std::vector<int>{2, 9, 13, 16, 23});
  CHECK(days_of("13 * *") == std::vector<int>{13});
  CHECK(days_of("* * fri") == std::vector<int>{2, 9, 16, 23});
  // A star with a step is a star, as in Vixie cron: both have to hold.
  CHECK(days_of("*/2 * fri") == std::vector<int>{9, 23});
  CHECK(days_of("1-31/2 * fri").size() == 16);
}

TEST_CASE("a pattern's mistake is refused with the field and the part that is wrong", "[cron]") {
  const auto wrong = [](const std::string& rule) {
    return refused([&] { (void)Recurrence::parse("repeat", rule); });
  };
  for (const std::string rule : {"* * * *", "* * * * * *", "@daily", "*", "0 0 * * *\n"}) {
    INFO(rule);
    CHECK(wrong(rule).substr(0, 9) == "repeat: '");
  }
  for (const std::string minute :
       {"60",    "-1", "5-", "-",   "5-4",  "*/0",         "*/", "/5",  "1,,2", ",", "5,", "1-2-3",
        "1/2/3", "x",  "**", "*-5", "1001", "99999999999", "+5", "0x5", "5.5",  "?", "L"}) {
    CHECK(wrong(minute + " 0 * * *") == "repeat: '" + minute + "'");
  }
  CHECK(wrong("0 24 * * *") == "repeat: '24'");
  CHECK(wrong("0 0 0 * *") == "repeat: '0'");
  CHECK(wrong("0 0 32 * *") == "repeat: '32'");
  CHECK(wrong("0 0 * 13 *") == "repeat: '13'");
  CHECK(wrong("0 0 * mon *") == "repeat: 'mon'");
  CHECK(wrong("0 0 * * 8") == "repeat: '8'");
  CHECK(wrong("0 0 * * sunday") == "repeat: 'sunday'");
}

TEST_CASE("a pattern without any day in 400 years is refused, 29 February is not", "[cron]") {
  CHECK(refused([] { (void)repeating("0 0 31 2 *"); }) == "repeat: '0 0 31 2 *'");
  CHECK(refused([] { (void)repeating("0 0 30-31 feb *"); }) == "repeat: '0 0 30-31 feb *'");
  CHECK(refused([] { (void)repeating("0 0 31 4,6,9,11 *"); }) == "repeat: '0 0 31 4,6,9,11 *'");
  CHECK_NOTHROW(repeating("0 0 31 2 sun"));
  CHECK(first_shown("0 0 29 2 *", "2096-03-01 00:00", "UTC", 2) ==
        Times{"2104-02-29T00:00:00", "2108-02-29T00:00:00"});
}

TEST_CASE("a pattern of wall times happens once when the clock skips them or repeats them",
          "[cron][N8]") {
  CHECK(on_day("30 2 * * *", "2025-03-09") == Times{"03:30"});
  CHECK(on_day("30 1 * * *", "2025-11-02") == Times{"01:30"});
  // 02:30 has moved onto 03:30, which happens once.
  CHECK(on_day("30 1,2,3 * * *", "2025-03-09") == Times{"01:30", "03:30"});
  CHECK(on_day("15,45 1,2 * * *", "2025-11-02") == Times{"01:15", "01:45", "02:15", "02:45"});
  // What the gap has moved comes behind what it has passed.
  CHECK(on_day("0,30 2-3 * * *", "2025-03-09") == Times{"03:00", "03:30"});
  CHECK(on_day("45 2 * * *", "2025-03-09") == Times{"03:45"});
}

TEST_CASE("a pattern whose minute or hour begins with a star runs by elapsed time", "[cron]") {
  // The gap: nothing has moved out of it.
  CHECK(on_day("*/30 1-3 * * *", "2025-03-09") == Times{"01:00", "01:30", "03:00", "03:30"});
  CHECK(on_day("15 */2 * * *", "2025-03-09").at(1) == "04:15");
  CHECK(on_day("*/30 2 * * *", "2025-03-09").empty());
  // The doubled hour: both passes.
  CHECK(on_day("*/30 1-2 * * *", "2025-11-02") ==
        Times{"01:00", "01:30", "01:00", "01:30", "02:00", "02:30"});
  CHECK(on_day("30 * * * *", "2025-11-02").size() == 25);
  CHECK(on_day("30 * * * *", "2025-03-09").size() == 23);
}

TEST_CASE("a change in the midst of an hour hides nothing from a pattern of elapsed time",
          "[cron]") {
  // Chatham's clocks go from 02:45 to 03:45.
  CHECK(first_shown("*/5 3 * * *", "2026-09-27 00:00", "Pacific/Chatham", 4) ==
        Times{"2026-09-27T03:45:00", "2026-09-27T03:50:00", "2026-09-27T03:55:00",
              "2026-09-28T03:00:00"});
  // Lord Howe's from 02:00 back to 01:30.
  CHECK(first_shown("*/15 1 * * *", "2026-04-05 01:00", "Australia/Lord_Howe", 7) ==
        Times{"2026-04-05T01:00:00", "2026-04-05T01:15:00", "2026-04-05T01:30:00",
              "2026-04-05T01:45:00", "2026-04-05T01:30:00", "2026-04-05T01:45:00",
              "2026-04-06T01:00:00"});
  // St John's went from 00:01 back to 23:01 of the day before: Saturday's last hour comes twice.
  const Trigger anchor = trigger_at("2010-11-06 12:00", "America/St_Johns");
  const auto last = repeating("*/30 23 * * sat")
                        .latest(zone_named("America/St_Johns"), anchor, anchor.at,
                                instant("2010-11-08T00:00:00Z"));
  REQUIRE(last);
  CHECK(last->occurrence.at == instant("2010-11-07T03:00:00Z"));
  CHECK(last->passed_over == 2);
}
