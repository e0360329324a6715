#include "schedule/glibc.h"
#include "schedule/support.h"

#include <map>

using namespace holdfast;
using namespace holdfast::schedule;
using namespace holdfast::test;
using namespace std::chrono_literals;

TEST_CASE("a zone is UTC, an offset in any of its forms, or a name of the database", "[zone]") {
  const std::map<std::string, std::string> names = {
      {"UTC", "UTC"},
      {"Z", "UTC"},
      {"+05:30", "+05:30"},
      {"-0800", "-08:00"},
      {"+02", "+02:00"},
      {"-00:00", "+00:00"},
      {"+18:00", "+18:00"},
      {"-18:00", "-18:00"},
      {"Europe/Zurich", "Europe/Zurich"},
      {"US/Eastern", "US/Eastern"},
      {"Etc/GMT+5", "Etc/GMT+5"},
      {"America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"}};
  for (const auto& [text, name] : names) CHECK(zone_named(text).name() == name);
}

TEST_CASE("a text that is no zone is refused with its field and value", "[zone]") {
  for (const std::string text : {"",
                                 " ",
                                 "utc ",
                                 "z",
                                 "Zurich",
                                 "Europe",
                                 "Europe/",
                                 "/Europe/Zurich",
                                 "Europe//Zurich",
                                 "+",
                                 "+5",
                                 "+5:30",
                                 "+05:3",
                                 "+05:60",
                                 "+18:01",
                                 "-19",
                                 "05:30",
                                 "+05:30:00",
                                 "+05-30",
                                 "Europe/Zurich ",
                                 "../zoneinfo/UTC",
                                 "Europe/../UTC",
                                 "/etc/localtime",
                                 "zone.tab",
                                 "tzdata.zi",
                                 "leapseconds",
                                 "CET-1CEST,M3.5.0,M10.5.0/3",
                                 ":Europe/Zurich"}) {
    CHECK(refused([&] { (void)Zone::parse("zone", text); }) == "zone: '" + text + "'");
  }
}

TEST_CASE("what this machine is set to, and copies with leap seconds, are no zones", "[zone]") {
  for (const std::string text :
       {"localtime", "posixrules", "Factory", "posix/Europe/Zurich", "right/Europe/Zurich"}) {
    CHECK(refused([&] { (void)Zone::parse("tz", text); }) == "tz: '" + text + "'");
  }
}

TEST_CASE("a text with a NUL or of any length is refused and not cut", "[zone]") {
  CHECK_THROWS_AS(zone_named(std::string("UTC\0", 4)), InvalidArgument);
  CHECK_THROWS_AS(zone_named(std::string("Europe/Zurich\0x", 15)), InvalidArgument);
  CHECK_THROWS_AS(zone_named(std::string(100'000, 'A')), InvalidArgument);
  CHECK_THROWS_AS(zone_named("Europe/" + std::string(300, 'A')), InvalidArgument);
}

TEST_CASE("a fixed offset holds always", "[zone]") {
  const Zone nepal = zone_named("+05:45");
  CHECK(nepal.to_instant(wall("2026-01-01T00:00:00")) == instant("2025-12-31T18:15:00Z"));
  CHECK(shown("+05:45", instant("2025-12-31T18:15:00Z")) == "2026-01-01T00:00:00");
  CHECK(nepal.offset_at(instant("9999-12-31T00:00:00Z")) == 345min);
  CHECK(shown("-03:30", instant("2026-01-01T00:00:00Z")) == "2025-12-31T20:30:00");
}

TEST_CASE("microseconds pass through a zone unchanged", "[zone]") {
  const Zone zurich = zone_named("Europe/Zurich");
  const Timestamp at = instant("2026-07-01T12:00:00.000001Z");
  CHECK(shown("Europe/Zurich", at) == "2026-07-01T14:00:00.000001");
  CHECK(zurich.to_instant(zurich.to_local(at)) == at);
  CHECK(write_wall_time(wall("2026-07-01T12:00:00.5")) == "2026-07-01T12:00:00.5");
}

TEST_CASE("a skipped wall time becomes the instant that is shown when the clock has moved on",
          "[zone]") {
  const Zone york = zone_named("America/New_York");
  const Timestamp skipped = york.to_instant(wall("2025-03-09T02:30:00"));
  CHECK(skipped == instant("2025-03-09T07:30:00Z"));
  CHECK(shown("America/New_York", skipped) == "2025-03-09T03:30:00");
  CHECK(york.to_instant(wall("2025-03-09T02:00:00")) == instant("2025-03-09T07:00:00Z"));
  CHECK(york.to_instant(wall("2025-03-09T03:00:00")) == instant("2025-03-09T07:00:00Z"));
  CHECK(york.to_instant(wall("2025-03-09T01:59:59.999999")) ==
        instant("2025-03-09T06:59:59.999999Z"));
}

TEST_CASE("of a wall time that comes twice the first is meant", "[zone]") {
  const Zone york = zone_named("America/New_York");
  CHECK(york.to_instant(wall("2025-11-02T01:30:00")) == instant("2025-11-02T05:30:00Z"));
  CHECK(york.to_instant(wall("2025-11-02T01:59:59.999999")) ==
        instant("2025-11-02T05:59:59.999999Z"));
  CHECK(york.to_instant(wall("2025-11-02T02:00:00")) == instant("2025-11-02T07:00:00Z"));
}

TEST_CASE("a zone goes on by its last rule beyond the years that its file lists", "[zone]") {
  CHECK(shown("America/New_York", instant("2039-07-01T12:00:00Z")) == "2039-07-01T08:00:00");
  CHECK(shown("Europe/Zurich", instant("9999-07-01T12:00:00Z")) == "9999-07-01T14:00:00");
  CHECK(shown("Australia/Sydney", instant("2500-01-01T00:00:00Z")) == "2500-01-01T11:00:00");
  CHECK(zone_named("Europe/Zurich").to_instant(wall("2060-03-28T02:30:00")) ==
        instant("2060-03-28T01:30:00Z"));
}

TEST_CASE("offsets of more than minutes, as they once were, are told as they are", "[zone]") {
  const Zone monrovia = zone_named("Africa/Monrovia");
  CHECK(monrovia.offset_at(instant("1970-06-01T00:00:00Z")) == -(44min + 30s));
  CHECK(shown("Africa/Monrovia", instant("1970-06-01T00:44:30Z")) == "1970-06-01T00:00:00");
}

TEST_CASE("J2: the zone of the process changes nothing", "[zone][J2]") {
  const auto all_answers = [] {
    std::string answers;
    for (const std::string zone : {"UTC", "Europe/Zurich", "America/New_York", "+05:30"}) {
      for (const std::string text : {"2025-03-09 02:30", "2025-11-02T01:30:00", "1767225600000000",
                                     "2026-07-01T12:00:00+09:00", "2039-07-01 12:00"}) {
        const Trigger trigger = trigger_at(text, zone);
        const auto next = repeating("daily").next(zone_named(zone), trigger, trigger.at);
        const auto cron = repeating("30 2 * * *").next(zone_named(zone), trigger, trigger.at);
        answers += std::to_string(to_us(trigger.at)) + " " + shown(zone, trigger.at) + " " +
                   write_trigger(next, zone_named(zone), text) + " " +
                   std::to_string(to_us(cron.at)) + "\n";
      }
    }
    return answers;
  };
  const std::string expected = all_answers();
  for (const std::string name : {":America/Los_Angeles", ":Asia/Kathmandu", "XYZ+3", ""}) {
    const ProcessZone process(name);
    INFO("TZ=" << name);
    CHECK(all_answers() == expected);
  }
}
