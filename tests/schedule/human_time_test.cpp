#include <holdfast/core/error.h>
#include <holdfast/schedule/human_time.h>
#include <holdfast/schedule/trigger.h>

#include "support/catch.h"

using namespace holdfast;
using namespace holdfast::schedule;

namespace {

const Zone& zurich() {
  static const Zone zone = Zone::parse("zone", "Europe/Zurich");
  return zone;
}

/// Said on Monday, 2026-11-30, at 10:00 in Zurich.
std::string said(const std::string& text) {
  return parse_human_time("at", text, parse_timestamp("now", "2026-11-30T09:00:00Z"), zurich());
}

}  // namespace

TEST_CASE("times are understood as people type them", "[human]") {
  CHECK(said("now") == "2026-11-30T10:00:00+01:00");
  CHECK(said("in 2h30m") == "2026-11-30T12:30:00+01:00");
  CHECK(said("In 90 minutes") == "2026-11-30T11:30:00+01:00");
  CHECK(said("tomorrow at 9am") == "2026-12-01T09:00:00");
  CHECK(said("tomorrow 9:00") == "2026-12-01T09:00:00");
  CHECK(said("today 17:30") == "2026-11-30T17:30:00");
  CHECK(said("Monday 14:00") == "2026-12-07T14:00:00");
  CHECK(said("next friday at noon") == "2026-12-04T12:00:00");
  CHECK(said("tue 9pm") == "2026-12-01T21:00:00");
  CHECK(said("noon") == "2026-11-30T12:00:00");
  CHECK(said("midnight") == "2026-12-01T00:00:00");
  CHECK(said("12am") == "2026-12-01T00:00:00");
  CHECK(said("9:00") == "2026-12-01T09:00:00");
  CHECK(said("10:01") == "2026-11-30T10:01:00");
  CHECK(said("2026-12-24 18:00") == "2026-12-24 18:00");
  CHECK(said("2026-12-24T18:00:00Z") == "2026-12-24T18:00:00Z");
}

TEST_CASE("times that are not understood are refused, a day without a time too", "[human]") {
  for (const char* text : {"", " ", "soon", "tomorrow", "friday", "in", "in 5", "in -5m", "25:00",
                           "13pm", "0am", "9:60", "in 999999999d", "2026-12-24", "at", "9"}) {
    INFO(text);
    CHECK_THROWS_AS(said(text), InvalidArgument);
  }
}

TEST_CASE("an elapsed time runs through a change of the clocks", "[human]") {
  const Timestamp before = parse_timestamp("now", "2026-03-29T00:30:00Z");
  CHECK(parse_human_time("at", "in 1h", before, zurich()) == "2026-03-29T03:30:00+02:00");
}

TEST_CASE("durations and repeats are understood in words", "[human]") {
  using namespace std::chrono_literals;
  CHECK(parse_duration("d", "2h30m") == 150min);
  CHECK(parse_duration("d", "90 minutes") == 90min);
  CHECK(parse_duration("d", "1w") == 168h);
  CHECK_THROWS_AS(parse_duration("d", "0s"), InvalidArgument);
  CHECK_THROWS_AS(parse_duration("d", "5"), InvalidArgument);
  CHECK(parse_human_repeat("r", "every 2 hours") == "every:2h");
  CHECK(parse_human_repeat("r", "every hour") == "every:1h");
  CHECK(parse_human_repeat("r", "every day") == "daily");
  CHECK(parse_human_repeat("r", "hourly") == "every:1h");
  CHECK(parse_human_repeat("r", "0 9 * * MON") == "0 9 * * MON");
  CHECK_THROWS_AS(parse_human_repeat("r", "now and then"), InvalidArgument);
}

TEST_CASE("a time is shown in its zone, absolute", "[human]") {
  const Timestamp at = parse_timestamp("t", "2026-11-30T08:00:00Z");
  CHECK(format_human(at, zurich()) == "Mon 2026-11-30 09:00:00 +01:00 (Europe/Zurich)");
  CHECK(format_human(at, Zone::parse("zone", "-05:00")) == "Mon 2026-11-30 03:00:00 -05:00");
}
