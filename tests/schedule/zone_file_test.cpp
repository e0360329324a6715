#include "schedule/support.h"
#include "zone_rules.h"

#include <holdfast/core/random.h>

#include <fstream>
#include <iterator>

using namespace holdfast;
using namespace holdfast::schedule;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::sys_seconds kSummer{std::chrono::sys_days(std::chrono::year(2026) / 7 / 1)};

std::string big_endian(std::int64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) {
    text += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFFU);
  }
  return text;
}

struct Block {
  std::vector<std::int64_t> times{};
  std::vector<char> types{};
  std::vector<std::int32_t> offsets = {0};
  std::int64_t leap_seconds = 0;
};

std::string block(const Block& content, char version, int time_bytes) {
  std::string text = std::string("TZif") + version + std::string(15, '\0');
  for (const std::int64_t count :
       {std::int64_t{0}, std::int64_t{0}, content.leap_seconds, std::int64_t(content.times.size()),
        std::int64_t(content.offsets.size()), std::int64_t{4}}) {
    text += big_endian(count, 4);
  }
  for (const std::int64_t time : content.times) text += big_endian(time, time_bytes);
  text += std::string(content.types.begin(), content.types.end());
  for (const std::int32_t offset : content.offsets) {
    text += big_endian(offset, 4) + std::string(2, '\0');
  }
  return text + std::string("ABC\0", 4) +
         std::string(static_cast<std::size_t>(content.leap_seconds * (time_bytes + 4)), '\0');
}

/// As the current tools write them: an empty first block.
std::string file(const Block& content, const std::string& footer) {
  return block({}, '2', 4) + block(content, '2', 8) + "\n" + footer + "\n";
}

const Block kTwo{.times = {1'000, 2'000}, .types = {1, 0}, .offsets = {3600, 7200}};

std::chrono::seconds offset_of(const std::string& bytes, std::int64_t at) {
  const auto rules = ZoneRules::read(bytes);
  REQUIRE(rules);
  return rules->at(std::chrono::sys_seconds(std::chrono::seconds(at))).offset;
}

std::string real_file() {
  std::ifstream in("/usr/share/zoneinfo/Europe/Zurich", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("before the first change the first type holds, then each until the next", "[zone]") {
  for (const std::string& bytes : {file(kTwo, ""), block(kTwo, '\0', 4)}) {
    CHECK(offset_of(bytes, -5) == 1h);
    CHECK(offset_of(bytes, 999) == 1h);
    CHECK(offset_of(bytes, 1'000) == 2h);
    CHECK(offset_of(bytes, 1'999) == 2h);
    CHECK(offset_of(bytes, 2'000) == 1h);
    CHECK(offset_of(bytes, 9'999'999'999) == 1h);
  }
}

TEST_CASE("a file that lists no change for its rule is followed by the rule", "[zone]") {
  const std::string bytes = file({.offsets = {3600}}, "CET-1CEST,M3.5.0,M10.5.0/3");
  CHECK(offset_of(bytes, kSummer.time_since_epoch().count()) == 2h);
}

TEST_CASE("the rule holds from the last change on and not before it", "[zone]") {
  const std::int64_t last = kSummer.time_since_epoch().count();
  const std::string bytes =
      file({.times = {last}, .types = {1}, .offsets = {0, 7200}}, "CET-1CEST,M3.5.0,M10.5.0/3");
  CHECK(offset_of(bytes, last - 1) == 0h);
  CHECK(offset_of(bytes, last) == 2h);
  const auto span = ZoneRules::read(bytes)->at(kSummer + 1s);
  CHECK(span.begin == kSummer);
  CHECK(span.end == std::chrono::sys_days(std::chrono::year(2026) / 10 / 25) + 1h);
}

TEST_CASE("a file that is not sound is no zone", "[zone]") {
  Block wrong = kTwo;
  wrong.types = {1, 2};  // there are two types
  CHECK_FALSE(ZoneRules::read(file(wrong, "")));
  wrong = kTwo;
  wrong.times = {2'000, 2'000};
  CHECK_FALSE(ZoneRules::read(file(wrong, "")));
  wrong = kTwo;
  wrong.offsets = {3600, 30 * 3600};
  CHECK_FALSE(ZoneRules::read(file(wrong, "")));
  wrong = kTwo;
  wrong.leap_seconds = 1;
  CHECK_FALSE(ZoneRules::read(file(wrong, "")));
  CHECK_FALSE(ZoneRules::read(file({.offsets = {}}, "")));
  CHECK_FALSE(ZoneRules::read(file(kTwo, "EST5EDT")));
  CHECK_FALSE(ZoneRules::read("TZif"));
  CHECK_FALSE(ZoneRules::read(""));
}

TEST_CASE("a file that was cut anywhere is no zone, or one that answers", "[zone]") {
  const std::string whole = real_file();
  REQUIRE(ZoneRules::read(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK_FALSE(ZoneRules::read(whole.substr(0, size)));
  }
}

TEST_CASE("a file with any bytes changed is read within its bounds", "[zone]") {
  const std::string whole = real_file();
  core::Random random(11);
  for (int round = 0; round < 3'000; ++round) {
    std::string bytes = whole;
    for (std::uint64_t i = 0; i <= random.below(4); ++i) {
      // Half of the changes to the counts and what lies near them.
      const std::size_t reach = random.below(2) == 0 ? 64 : bytes.size();
      bytes[random.below(reach)] = static_cast<char>(random.below(256));
    }
    const auto rules = ZoneRules::read(bytes);
    if (!rules) continue;
    for (std::int64_t at = -4'000'000'000; at < 8'000'000'000; at += 100'000'000) {
      const std::chrono::sys_seconds instant{std::chrono::seconds(at)};
      const auto span = rules->at(instant);
      CHECK(span.begin <= instant);
      CHECK(span.end > instant);
    }
  }
}
