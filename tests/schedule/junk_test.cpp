#include "schedule/support.h"

#include <holdfast/core/random.h>

#include <functional>

using namespace holdfast;
using namespace holdfast::schedule;
using namespace holdfast::test;

namespace {

/// What each parser knows, to be changed here and there, and the bytes that mean something to it.
struct Grammar {
  std::vector<std::string> seeds;
  std::string alphabet;
};

const Grammar kZoneTexts = {{"UTC", "Z", "+05:30", "-0800", "Europe/Zurich", "Etc/GMT+5"},
                            std::string("+-:/.0123456789UTCZ \0\xFF", 22)};
const Grammar kTriggerTexts = {{"2026-12-01T09:00:00+01:00", "2026-12-01 09:00",
                                "1767225600000000us", "9999-12-31T23:59:59.999999999Z"},
                               std::string("0123456789-+:.TZtz us\0\xFF", 23)};
const Grammar kRepeatTexts = {
    {"daily", "weekly", "monthly", "every:5m", "*/5 1-3,7 * jan-mar mon", "0 0 29 2 *"},
    std::string("0123456789*/,- everysmhdjanmon\0\xFF", 32)};

std::string mutated(const Grammar& grammar, core::Random& random) {
  std::string text = grammar.seeds[random.below(grammar.seeds.size())];
  const std::uint64_t changes = 1 + random.below(5);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const std::size_t at = random.below(text.size() + 1);
    const char c = random.below(8) == 0 ? static_cast<char>(random.below(256))
                                        : grammar.alphabet[random.below(grammar.alphabet.size())];
    switch (random.below(4)) {
      case 0:
        text.insert(at, 1, c);
        break;
      case 1:
        text = text.substr(0, at);
        break;
      case 2:
        text.insert(at, text.substr(random.below(text.size() + 1)));
        break;
      default:
        if (at < text.size()) text[at] = c;
    }
  }
  return text;
}

/// Either it is taken, or refused with the field's name; anything else fails the test.
int taken(const Grammar& grammar, std::uint64_t seed,
          const std::function<void(const std::string&)>& parse) {
  core::Random random(seed);
  int count = 0;
  for (int round = 0; round < 30'000; ++round) {
    const std::string text = mutated(grammar, random);
    try {
      parse(text);
      ++count;
    } catch (const InvalidArgument& error) {
      if (error.field() != "field") FAIL("refused for " << error.field() << ": " << text);
    }
  }
  return count;
}

}  // namespace

TEST_CASE("any text is a zone or refused", "[zone]") {
  CHECK(taken(kZoneTexts, 1, [](const std::string& text) {
          const Zone zone = Zone::parse("field", text);
          (void)zone.to_local(zone.to_instant(wall("2026-03-29T02:30:00")));
        }) > 100);
}

TEST_CASE("any text is a trigger or refused, and one that is taken can be written", "[trigger]") {
  const Zone york = zone_named("America/New_York");
  CHECK(taken(kTriggerTexts, 2, [&](const std::string& text) {
          const Trigger trigger = parse_trigger("field", text, york);
          const std::string again =
              write_trigger({.at = trigger.at, .nominal = trigger.local}, york, text);
          if (parse_trigger("again", again, york).at != trigger.at) FAIL(text << " -> " << again);
          (void)offset_of(text);
        }) > 1'000);
}

TEST_CASE("any text is a repeat or refused, and one that is taken has an occurrence",
          "[recurrence]") {
  const Zone york = zone_named("America/New_York");
  const Trigger anchor = trigger_at("2026-01-31 02:30", "America/New_York");
  CHECK(taken(kRepeatTexts, 3, [&](const std::string& text) {
          const Recurrence repeat = Recurrence::parse("field", text);
          if (repeat.next(york, anchor, anchor.at).at <= anchor.at) FAIL(text);
        }) > 500);
}

TEST_CASE("texts of a megabyte are refused as fast as they are read", "[trigger]") {
  for (const std::string part : {"9", "* ", "1,", "*/", "+", "2026-", "every:", "-", " "}) {
    std::string text;
    while (text.size() < 1'000'000) text += part;
    CHECK_THROWS_AS(repeating(text), InvalidArgument);
    CHECK_THROWS_AS(trigger_at(text), InvalidArgument);
    CHECK_THROWS_AS(zone_named(text), InvalidArgument);
  }
  std::string list = "0";
  while (list.size() < 1'000'000) list += ",0-59";
  CHECK_NOTHROW(repeating(list + " 0 * * *"));
}
