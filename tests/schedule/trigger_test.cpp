#include "schedule/support.h"

#include <holdfast/core/random.h>

#include <map>

using namespace holdfast;
using namespace holdfast::schedule;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

const Timestamp kNine = instant("2026-12-01T09:00:00Z");

/// What the next trigger is written as, when the one before was `like`.
std::string written_as(std::string_view like, Timestamp at, const Zone& zone) {
  return write_trigger({.at = at, .nominal = zone.to_local(at)}, zone, like);
}

const std::vector<std::string> kForms = {"2026-12-01T09:00:00+01:00", "2026-12-01 09:00",
                                         "2026-12-01T09:00:00Z",      "2026-12-01 09:00-0500",
                                         "1767225600000000",          "5us"};

}  // namespace

TEST_CASE("a trigger is an instant with an offset, in each of its forms", "[trigger]") {
  for (const auto* text :
       {"2026-12-01T09:00:00Z", "2026-12-01t09:00:00z", "2026-12-01 09:00:00Z", "2026-12-01T09:00Z",
        "2026-12-01T09:00:00.000Z", "2026-12-01T10:00:00+01:00", "2026-12-01T10:00:00+0100",
        "2026-12-01T10:00:00+01", "2026-12-01 10:00 +01:00", "2026-12-01T03:30-05:30",
        "2026-12-02T03:00:00+18:00", "1796115600000000", "1796115600000000us"}) {
    INFO(text);
    const Trigger trigger = trigger_at(text, "America/New_York");
    CHECK(trigger.at == kNine);
    CHECK(trigger.has_offset);
    CHECK(trigger.local == wall("2026-12-01T04:00:00"));
  }
}

TEST_CASE("without an offset a trigger is a wall time in its zone", "[trigger]") {
  for (const auto* text : {"2026-12-01T10:00:00", "2026-12-01 10:00", "2026-12-01T10:00:00.0"}) {
    const Trigger trigger = trigger_at(text, "Europe/Zurich");
    CHECK(trigger.at == kNine);
    CHECK_FALSE(trigger.has_offset);
    CHECK(trigger.local == wall("2026-12-01T10:00:00"));
  }
  CHECK(trigger_at("2026-12-01T10:00:00", "+01:00").at == kNine);
}

TEST_CASE("a skipped wall time stays as it was given and happens when the clock has moved on",
          "[trigger]") {
  const Trigger trigger = trigger_at("2025-03-09 02:30", "America/New_York");
  CHECK(trigger.at == instant("2025-03-09T07:30:00Z"));
  CHECK(trigger.local == wall("2025-03-09T02:30:00"));
}

TEST_CASE("of the digits of a second those after the sixth are dropped, and ten are refused",
          "[trigger]") {
  CHECK(to_us(trigger_at("1970-01-01T00:00:00.123456789Z").at) == 123'456);
  CHECK(to_us(trigger_at("1970-01-01T00:00:00.9999999Z").at) == 999'999);
  CHECK(to_us(trigger_at("1970-01-01T00:00:00.5Z").at) == 500'000);
  CHECK_THROWS_AS(trigger_at("1970-01-01T00:00:00.1234567890Z"), InvalidArgument);
  CHECK_THROWS_AS(trigger_at("1970-01-01T00:00:00.Z"), InvalidArgument);
}

TEST_CASE("triggers are from 1970 to the end of 9999, in UTC", "[trigger]") {
  CHECK(to_us(trigger_at("0").at) == 0);
  CHECK(trigger_at("253402300799999999us").at == instant("9999-12-31T23:59:59.999999Z"));
  CHECK(to_us(trigger_at("1970-01-01T01:00:00+01:00").at) == 0);
  CHECK(to_us(trigger_at("1969-12-31T19:00", "-05:00").at) == 0);
  for (const auto* text :
       {"-1", "253402300800000000", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:59:59+01:00",
        "9999-12-31T23:00:00-01:00", "9223372036854775807", "9223372036854775808", "-0us1"}) {
    CHECK(refused([&] { (void)trigger_at(text); }) == "trigger_at: '" + std::string(text) + "'");
  }
  CHECK_THROWS_AS(trigger_at("9999-12-31T23:30:00", "-01:00"), InvalidArgument);
}

TEST_CASE("a text that is no trigger is refused with its field and value", "[trigger]") {
  for (const std::string text : {"",
                                 "us",
                                 " ",
                                 "soon",
                                 "2026-12-01",
                                 "2026-12-01T",
                                 "2026-12-01T09",
                                 "2026-12-01T0900Z",
                                 "2026-12-01T9:00Z",
                                 "2026-12-1T09:00Z",
                                 "26-12-01T09:00Z",
                                 "2026-13-01T09:00Z",
                                 "2026-00-01T09:00Z",
                                 "2026-02-29T09:00Z",
                                 "2026-04-31T09:00Z",
                                 "2026-12-01T24:00Z",
                                 "2026-12-01T23:60Z",
                                 "2026-12-01T23:59:60Z",
                                 "2026-12-01T09:00:00+19:00",
                                 "2026-12-01T09:00:00+01:60",
                                 "2026-12-01T09:00:00+1",
                                 "2026-12-01T09:00:00 ",
                                 "2026-12-01T09:00:00  Z",
                                 "2026-12-01T09:00:00ZZ",
                                 "2026-12-01x09:00Z",
                                 "2026-12-01T09:00:00,5Z",
                                 "2026/12/01T09:00Z",
                                 "+5",
                                 "5 us",
                                 "5ms",
                                 "0x5",
                                 "1e3",
                                 "1.5"}) {
    const auto parse = [&] { (void)parse_trigger("when", text, zone_named("UTC")); };
    CHECK(refused(parse) == "when: '" + text + "'");
  }
}

TEST_CASE("an offset in a trigger implies a zone, a wall time does not", "[trigger]") {
  CHECK(offset_of("2026-12-01T09:00:00+0530") == "+05:30");
  CHECK(offset_of("2026-12-01T09:00-08") == "-08:00");
  CHECK(offset_of("2026-12-01T09:00z") == "UTC");
  CHECK_FALSE(offset_of("2026-12-01T09:00"));
  CHECK_FALSE(offset_of("1767225600000000"));
  CHECK_FALSE(offset_of("soon"));
}

TEST_CASE("the next trigger has the form of the one before", "[trigger]") {
  const Zone zurich = zone_named("Europe/Zurich");
  const std::map<std::string, std::string> forms = {
      {"2026-07-01T09:00:00+02:00", "2026-12-01T10:00:00+01:00"},
      {"2026-07-01 09:00+0200", "2026-12-01 10:00:00+0100"},
      {"2026-07-01T09:00:00Z", "2026-12-01T10:00:00+01:00"},
      {"2026-07-01 09:00", "2026-12-01 10:00:00"},
      {"2026-07-01t09:00:00.5", "2026-12-01t10:00:00"},
      {"1767225600000000", "1796115600000000"},
      {"1767225600000000us", "1796115600000000us"}};
  for (const auto& [like, expected] : forms) CHECK(written_as(like, kNine, zurich) == expected);
  CHECK(written_as("2026-07-01T09:00:00Z", kNine, zone_named("UTC")) == "2026-12-01T09:00:00Z");
  CHECK(written_as("2026-07-01T09:00Z", kNine + 1us, zone_named("UTC")) ==
        "2026-12-01T09:00:00.000001Z");
}

TEST_CASE("a wall time that would be read as another instant is written with its offset",
          "[trigger]") {
  const Zone york = zone_named("America/New_York");
  const Timestamp second_pass = instant("2025-11-02T06:30:00Z");
  CHECK(written_as("2025-11-01 01:30", second_pass, york) == "2025-11-02 01:30:00-05:00");
  CHECK(written_as("2025-11-01 01:30", second_pass - 1h, york) == "2025-11-02 01:30:00");
}

TEST_CASE("a skipped wall time is written as the wall time that was meant", "[trigger]") {
  const Zone york = zone_named("America/New_York");
  const Occurrence next = {.at = instant("2025-03-09T07:30:00Z"),
                           .nominal = wall("2025-03-09T02:30:00")};
  CHECK(write_trigger(next, york, "2025-03-08 02:30") == "2025-03-09 02:30:00");
  CHECK(write_trigger(next, york, "2025-03-08 02:30-05:00") == "2025-03-09 03:30:00-04:00");
}

TEST_CASE("an offset that is not whole minutes, and a fifth digit of the year, are written in UTC",
          "[trigger]") {
  CHECK(written_as("1970-01-01T00:00:00-00:44", instant("1970-06-01T00:44:30Z"),
                   zone_named("Africa/Monrovia")) == "1970-06-01T00:44:30Z");
  CHECK(written_as("2026-01-01T00:00:00+14:00", instant("9999-12-31T12:00:00Z"),
                   zone_named("+14:00")) == "9999-12-31T12:00:00Z");
}

TEST_CASE("what is written is read as the same instant, in its form and at its wall time",
          "[trigger]") {
  core::Random random(3);
  const std::vector<std::string> zones = {"UTC",          "Europe/Zurich",       "America/New_York",
                                          "+05:45",       "Australia/Lord_Howe", "Pacific/Apia",
                                          "Asia/Kolkata", "Africa/Monrovia",     "-12:00"};
  for (int round = 0; round < 20'000; ++round) {
    const Zone zone = zone_named(zones[random.below(zones.size())]);
    const std::string& like = kForms[random.below(kForms.size())];
    // Half of them whole minutes near a change of the clocks.
    const Timestamp at =
        random.below(2) == 0
            ? from_us(static_cast<std::int64_t>(random.below(253'402'300'800'000'000)))
            : instant("2025-11-02T04:00:00Z") +
                  static_cast<std::int64_t>(random.below(6'000)) * 1min;
    const std::string text = written_as(like, at, zone);
    INFO(zone.name() << " " << to_us(at) << " like " << like << ": " << text);
    const Trigger read = parse_trigger("trigger_at", text, zone);
    REQUIRE(read.at == at);
    REQUIRE(read.local == zone.to_local(at));
    REQUIRE((read.has_offset || trigger_at(like).has_offset == false));
  }
}
