#include "posix_rule.h"
#include "schedule/support.h"

using namespace holdfast;
using namespace holdfast::schedule;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

std::chrono::sys_seconds second(std::string_view text) {
  return std::chrono::floor<std::chrono::seconds>(instant(text));
}

std::chrono::seconds offset(const std::string& rule, std::string_view at) {
  const auto parsed = PosixRule::parse(rule);
  REQUIRE(parsed);
  const auto span = parsed->at(second(at));
  CHECK(span.begin <= second(at));
  CHECK(span.end > second(at));
  return span.offset;
}

}  // namespace

TEST_CASE("a rule without daylight saving holds for ever", "[zone]") {
  CHECK(offset("JST-9", "2026-01-01T00:00:00Z") == 9h);
  CHECK(offset("<-0930>9:30", "2026-01-01T00:00:00Z") == -(9h + 30min));
  CHECK(offset("XXX0:44:30", "2026-01-01T00:00:00Z") == -(44min + 30s));
  CHECK(PosixRule::parse("JST-9")->at(second("2026-01-01T00:00:00Z")).end ==
        std::chrono::sys_seconds::max());
}

TEST_CASE("a rule changes the clocks at the second that it names, at two when it names none",
          "[zone]") {
  const std::string york = "EST5EDT,M3.2.0,M11.1.0";
  CHECK(offset(york, "2050-03-13T06:59:59Z") == -5h);
  CHECK(offset(york, "2050-03-13T07:00:00Z") == -4h);
  CHECK(offset(york, "2050-11-06T05:59:59Z") == -4h);
  CHECK(offset(york, "2050-11-06T06:00:00Z") == -5h);
  const auto span = PosixRule::parse(york)->at(second("2050-07-01T00:00:00Z"));
  CHECK(span.begin == second("2050-03-13T07:00:00Z"));
  CHECK(span.end == second("2050-11-06T06:00:00Z"));
}

TEST_CASE("the fifth week is the month's last", "[zone]") {
  const std::string zurich = "CET-1CEST,M3.5.0,M10.5.0/3";
  CHECK(offset(zurich, "2026-03-29T00:59:59Z") == 1h);
  CHECK(offset(zurich, "2026-03-29T01:00:00Z") == 2h);
  CHECK(offset(zurich, "2026-10-25T00:59:59Z") == 2h);
  CHECK(offset(zurich, "2026-10-25T01:00:00Z") == 1h);
}

TEST_CASE("a time may lie on another day than the one that is named", "[zone]") {
  CHECK(offset("EET-2EEST,M3.4.4/50,M10.4.4/50", "2060-03-26T23:59:59Z") == 2h);
  CHECK(offset("EET-2EEST,M3.4.4/50,M10.4.4/50", "2060-03-27T00:00:00Z") == 3h);
  CHECK(offset("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2060-03-28T00:59:59Z") == -2h);
  CHECK(offset("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2060-03-28T01:00:00Z") == -1h);
}

TEST_CASE("winter time may be the exception, and daylight saving half an hour", "[zone]") {
  CHECK(offset("IST-1GMT0,M10.5.0,M3.5.0/1", "2050-07-01T00:00:00Z") == 1h);
  CHECK(offset("IST-1GMT0,M10.5.0,M3.5.0/1", "2050-01-01T00:00:00Z") == 0h);
  CHECK(offset("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2050-01-01T00:00:00Z") == 11h);
  CHECK(offset("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2050-07-01T00:00:00Z") == 10h + 30min);
}

TEST_CASE("days of the year are counted with 29 February or without", "[zone]") {
  CHECK(offset("AAA0BBB,J60/0,J300", "2024-02-29T23:59:59Z") == 0h);
  CHECK(offset("AAA0BBB,J60/0,J300", "2024-03-01T00:00:00Z") == 1h);
  CHECK(offset("AAA0BBB,59/0,J300", "2024-02-28T23:59:59Z") == 0h);
  CHECK(offset("AAA0BBB,59/0,J300", "2024-02-29T00:00:00Z") == 1h);
  CHECK(offset("AAA0BBB,59/0,J300", "2023-03-01T00:00:00Z") == 1h);
}

TEST_CASE("daylight saving may last the whole year", "[zone]") {
  for (const auto* at : {"2049-12-31T23:59:59Z", "2050-01-01T02:59:59Z", "2050-01-01T03:00:00Z",
                         "2050-07-01T00:00:00Z", "2050-12-31T23:00:00Z"}) {
    CHECK(offset("XXX3EDT4,0/0,J365/23", at) == -4h);
  }
}

TEST_CASE("a text that is no rule is none", "[zone]") {
  for (const auto* text : {"",
                           "E",
                           "ES5",
                           "EST",
                           "EST25",
                           "EST5EDT",
                           "EST5EDT,",
                           "EST5EDT,M3.2.0",
                           "EST5EDT,M3.2.0,",
                           "EST5EDT,M13.2.0,M11.1.0",
                           "EST5EDT,M3.6.0,M11.1.0",
                           "EST5EDT,M3.2.7,M11.1.0",
                           "EST5EDT,M3.2.0/168,M11.1.0",
                           "EST5EDT,J0,J365",
                           "EST5EDT,366,J365",
                           "EST5:60",
                           "<+05-5",
                           "EST5EDT,M3.2.0,M11.1.0 ",
                           "EST5EDT,M3.2.0,M11.1.0,M1.1.1",
                           "EST5EDT4M3.2.0"}) {
    INFO(text);
    CHECK_FALSE(PosixRule::parse(text));
  }
}
