#include "schedule/support.h"

#include <holdfast/core/random.h>

using namespace holdfast;
using namespace holdfast::schedule;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

const std::vector<std::string> kRules = {
    "every:1s",      "every:7m",       "every:36h",   "daily",          "weekly",
    "monthly",       "* * * * *",      "*/5 * * * *", "*/7 1-3 * * *",  "30 */2 * * *",
    "30 2 * * *",    "0,30 1-3 * * *", "15 0 31 * *", "5 2 * 3,11 sun", "*/15 3 29 2 *",
    "0 12 13 * fri", "59 23 * * *",    "0 0 1 1 *",   "*/10 * * 3 sun", "0-59 0-23 * * *",
    "0 0-23 * * *",  "*/30 23 * * sat"};
const std::vector<std::string> kZones = {"UTC",
                                         "America/New_York",
                                         "Europe/Zurich",
                                         "Australia/Lord_Howe",
                                         "Pacific/Chatham",
                                         "+05:45",
                                         "America/Santiago",
                                         "America/St_Johns",
                                         "Asia/Gaza",
                                         "America/Havana",
                                         "Europe/Dublin",
                                         "Pacific/Apia",
                                         "Antarctica/Troll",
                                         "Africa/Casablanca"};

struct Case {
  std::string rule;
  std::string zone_name;
  Zone zone;
  Trigger anchor;
  Timestamp from;
};

/// Most of them within days of a change of the clocks.
Case random_case(core::Random& random) {
  static const std::vector<std::string> near = {"2025-03-09", "2025-11-02", "2022-03-27",
                                                "2026-04-04", "2026-09-26", "2010-11-06",
                                                "2011-12-29", "2026-02-13", "2024-02-28"};
  Case made{.rule = kRules[random.below(kRules.size())],
            .zone_name = kZones[random.below(kZones.size())],
            .zone = zone_named("UTC"),
            .anchor = {},
            .from = {}};
  made.zone = zone_named(made.zone_name);
  Timestamp at = instant(near[random.below(near.size())] + "T00:00:00Z");
  at += static_cast<std::int64_t>(random.below(2 * 1440)) * 1min;
  if (random.below(3) == 0) at += static_cast<std::int64_t>(random.below(60'000'000)) * 1us;
  const std::string text =
      random.below(2) == 0 ? std::to_string(to_us(at)) : write_wall_time(made.zone.to_local(at));
  made.anchor = parse_trigger("anchor", text, made.zone);
  made.from = made.anchor.at + (static_cast<std::int64_t>(random.below(2 * 1440)) - 1440) * 1min;
  return made;
}

std::string described(const Case& c) {
  return c.rule + " in " + c.zone_name + " from " + to_rfc3339(c.anchor.at);
}

}  // namespace

TEST_CASE("the next occurrence is strictly later, and nothing lies between", "[recurrence]") {
  core::Random random(5);
  for (int round = 0; round < 1'500; ++round) {
    const Case c = random_case(random);
    const auto series = repeating(c.rule);
    Timestamp at = c.from;
    for (int i = 0; i < 8; ++i) {
      const Occurrence next = series.next(c.zone, c.anchor, at);
      INFO(described(c) << " after " << to_rfc3339(at));
      REQUIRE(next.at > at);
      REQUIRE(next.at >= c.anchor.at);
      REQUIRE(series.next(c.zone, c.anchor, next.at - 1us).at == next.at);
      REQUIRE(series.next(c.zone, c.anchor, at + (next.at - at) / 2).at == next.at);
      at = next.at;
    }
  }
}

TEST_CASE("the latest occurrence is where walking from one to the next arrives", "[recurrence]") {
  core::Random random(6);
  for (int round = 0; round < 2'000; ++round) {
    const Case c = random_case(random);
    const auto series = repeating(c.rule);
    const Timestamp until = c.from + static_cast<std::int64_t>(random.below(4 * 1440)) * 1min;
    INFO(described(c) << ", " << to_rfc3339(c.from) << " to " << to_rfc3339(until));
    std::optional<Recurrence::Latest> walked;
    for (Timestamp at = c.from - 1us;;) {
      const Occurrence next = series.next(c.zone, c.anchor, at);
      // Beyond a million steps a second is no better than a minute.
      if (next.at > until || (walked && walked->passed_over > 3'000)) break;
      walked = {.occurrence = next, .passed_over = walked ? walked->passed_over + 1 : 0};
      at = next.at;
    }
    const Timestamp end = walked && walked->passed_over > 3'000 ? walked->occurrence.at : until;
    const auto latest = series.latest(c.zone, c.anchor, c.from, end);
    REQUIRE(latest.has_value() == walked.has_value());
    if (!latest) continue;
    REQUIRE(latest->occurrence.at == walked->occurrence.at);
    REQUIRE(latest->occurrence.nominal == walked->occurrence.nominal);
    REQUIRE(latest->passed_over == walked->passed_over);
  }
}

TEST_CASE("a pattern of elapsed time holds at exactly the minutes whose wall time it names",
          "[cron]") {
  core::Random random(7);
  for (int round = 0; round < 1'500; ++round) {
    Case c = random_case(random);
    if (c.rule.find('*') > 4 || c.rule.starts_with("0")) continue;
    const auto series = repeating(c.rule);
    const Timestamp begin = std::chrono::ceil<std::chrono::minutes>(c.anchor.at);
    Timestamp expected = series.next(c.zone, c.anchor, begin - 1us).at;
    // The same pattern anchored at a minute holds there exactly when that minute matches.
    for (Timestamp at = begin; at < begin + 2 * 24h; at += 1min) {
      const Trigger here = parse_trigger("anchor", std::to_string(to_us(at)), c.zone);
      const bool matches = series.latest(c.zone, here, at, at).has_value();
      INFO(described(c) << " at " << to_rfc3339(at));
      REQUIRE(matches == (at == expected));
      if (matches) expected = series.next(c.zone, c.anchor, at).at;
    }
  }
}

TEST_CASE("what was passed over is counted up to 10,000", "[recurrence]") {
  const Zone utc = zone_named("UTC");
  const Trigger anchor = trigger_at("2026-01-01 00:00");
  const auto passed = [&](const std::string& rule, std::chrono::microseconds time) {
    return repeating(rule).latest(utc, anchor, anchor.at, anchor.at + time)->passed_over;
  };
  CHECK(passed("every:1s", 9'999s) == 9'999);
  CHECK(passed("every:1s", 10'000s) == 10'000);
  CHECK(passed("every:1s", 30 * 24h) == 10'000);
  CHECK(passed("* * * * *", 9'999min) == 9'999);
  CHECK(passed("* * * * *", 20'000min) == 10'000);
  CHECK(passed("0-59 0-23 * * *", 9'999min) == 9'999);
  CHECK(passed("0-59 0-23 * * *", 20'000min) == 10'000);
  CHECK(passed("daily", 9'999 * 24h) == 9'999);
  CHECK(passed("daily", 20'000 * 24h) == 10'000);
}

TEST_CASE("the latest occurrence costs no more for a long absence", "[recurrence]") {
  // Walking it would take hours: a thousand times 20 years of minutes, and 30 days of seconds.
  const Zone zurich = zone_named("Europe/Zurich");
  const Trigger anchor = trigger_at("2006-01-01 00:00", "Europe/Zurich");
  const Timestamp end = instant("2026-01-01T00:00:00Z");
  for (int i = 0; i < 20; ++i) {
    const auto minute = repeating("* * * * *").latest(zurich, anchor, anchor.at, end + i * 1min);
    REQUIRE(minute);
    CHECK(minute->occurrence.at == end + i * 1min);
    CHECK(minute->passed_over == 10'000);
  }
  const auto second = repeating("every:1s");
  for (int i = 0; i < 1'000; ++i) {
    CHECK(second.latest(zurich, anchor, anchor.at, anchor.at + 30 * 24h)->passed_over == 10'000);
  }
  for (const auto* rule : {"*/5 3 29 2 *", "0 3 29 2 *", "monthly", "0 0 1 1 *"}) {
    CHECK(repeating(rule).latest(zurich, anchor, anchor.at, instant("9999-12-01T00:00:00Z")));
  }
}
