#include <holdfast/core/clock.h>
#include <holdfast/core/error.h>

#include "support/catch.h"

#include <limits>

using namespace holdfast;
using namespace std::chrono_literals;

namespace {

std::int64_t parsed(std::string_view text) { return to_us(parse_timestamp("at", text)); }
std::string written(std::int64_t us) { return to_rfc3339(from_us(us)); }

}  // namespace

TEST_CASE("times are written as RFC 3339 with microseconds", "[core]") {
  CHECK(written(0) == "1970-01-01T00:00:00.000000Z");
  CHECK(written(1'709'208'000'000'001) == "2024-02-29T12:00:00.000001Z");
}

TEST_CASE("times before 1970 are written with the earlier second", "[core]") {
  CHECK(written(-1) == "1969-12-31T23:59:59.999999Z");
  CHECK(written(-86'400'000'001) == "1969-12-30T23:59:59.999999Z");
}

TEST_CASE("the years 0000 and 9999 are the outermost written as dates", "[core]") {
  const std::int64_t first = -62'167'219'200'000'000;
  const std::int64_t end = 253'402'300'800'000'000;
  CHECK(written(first) == "0000-01-01T00:00:00.000000Z");
  CHECK(written(end - 1) == "9999-12-31T23:59:59.999999Z");
  CHECK(written(first - 1) == "-62167219200000001us");
  CHECK(written(end) == "253402300800000000us");
  CHECK(written(std::numeric_limits<std::int64_t>::max()) == "9223372036854775807us");
  CHECK(written(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808us");
}

TEST_CASE("whatever is written reads back equal", "[core]") {
  const auto us = GENERATE(std::int64_t{0}, -1, 1'709'208'000'123'456, -86'400'000'001,
                           253'402'300'799'999'999, 253'402'300'800'000'000,
                           std::numeric_limits<std::int64_t>::min());
  CHECK(parsed(written(us)) == us);
}

TEST_CASE("an integer is taken as microseconds", "[core]") {
  CHECK(parsed("0") == 0);
  CHECK(parsed("-12") == -12);
  CHECK(parsed("1709208000000001") == 1'709'208'000'000'001);
}

TEST_CASE("a time is read with T, t or a space, and with any offset", "[core]") {
  const std::int64_t noon = 1'709'208'000'000'000;
  CHECK(parsed("2024-02-29T12:00:00Z") == noon);
  CHECK(parsed("2024-02-29t12:00:00z") == noon);
  CHECK(parsed("2024-02-29 12:00:00+00:00") == noon);
  CHECK(parsed("2024-02-29T17:30:00+05:30") == noon);
  CHECK(parsed("2024-02-28T23:59:00-12:01") == noon);
}

TEST_CASE("a fraction has 1 to 9 digits, of which six count", "[core]") {
  CHECK(parsed("1970-01-01T00:00:00.5Z") == 500'000);
  CHECK(parsed("1970-01-01T00:00:00.000001Z") == 1);
  CHECK(parsed("1970-01-01T00:00:00.999999999Z") == 999'999);
  CHECK(parsed("1969-12-31T23:59:59.9999999Z") == -1);
}

TEST_CASE("what is no time is refused", "[core]") {
  const auto text = GENERATE(
      as<std::string>{}, "", "x", "1.5", "+5", " 5", "5 ", "us", "9223372036854775808",
      "2024-02-29", "2024-02-29T12:00:00", "2024-02-29T12:00Z", "2024-02-29T12:00:00.Z",
      "2024-02-29T12:00:00.1234567890Z", "2024-02-29T12:00:00Zx", "2024-2-29T12:00:00Z",
      "2024-02-29T12:00:00+0530", "2024-02-29T12:00:00+24:00", "2024-02-29T12:00:00+05:60",
      "-024-02-29T12:00:00Z", "2024-02-29_12:00:00Z");
  CAPTURE(text);
  CHECK_THROWS_AS(parse_timestamp("at", text), InvalidArgument);
}

TEST_CASE("a date or time of day that does not exist is refused", "[core]") {
  const auto text = GENERATE(
      as<std::string>{}, "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2024-00-01T00:00:00Z",
      "2024-13-01T00:00:00Z", "2024-04-31T00:00:00Z", "2024-01-00T00:00:00Z",
      "2024-01-32T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z",
      "2016-12-31T23:59:60Z");
  CAPTURE(text);
  CHECK_THROWS_AS(parse_timestamp("at", text), InvalidArgument);
}

TEST_CASE("leap days exist in leap years", "[core]") {
  CHECK_NOTHROW(parsed("2024-02-29T00:00:00Z"));
  CHECK_NOTHROW(parsed("2000-02-29T00:00:00Z"));
}

TEST_CASE("a refused time names its field", "[core]") {
  try {
    (void)parse_timestamp("valid_from", "soon");
    FAIL("accepted");
  } catch (const InvalidArgument& error) {
    CHECK(error.field() == "valid_from");
    CHECK(error.value() == "soon");
  }
}

TEST_CASE("a manual clock moves only when told to or slept on", "[core]") {
  core::ManualClock clock(from_us(1000));
  CHECK(clock.now() == from_us(1000));
  clock.advance(5us);
  clock.sleep_for(10us);
  CHECK(clock.now() == from_us(1015));
  CHECK(clock.elapsed() == 15us);
}

TEST_CASE("a manual wall clock may step back while elapsed time does not", "[core]") {
  core::ManualClock clock(from_us(1000));
  clock.advance(5us);
  clock.set(from_us(10));
  CHECK(clock.now() == from_us(10));
  CHECK(clock.elapsed() == 5us);
}

TEST_CASE("the system clock sleeps at least as long as asked", "[core]") {
  core::SystemClock clock;
  const auto start = clock.elapsed();
  clock.sleep_for(2ms);
  CHECK(clock.elapsed() - start >= 2ms);
  CHECK(clock.now() > from_us(1'600'000'000'000'000));
}
