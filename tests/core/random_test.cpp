#include <holdfast/core/digest.h>
#include <holdfast/core/random.h>

#include "support/catch.h"

#include <array>
#include <string>

using namespace holdfast;
using core::Random;

TEST_CASE("a seed gives the same numbers on every platform", "[core]") {
  Random random(5489);
  std::uint64_t last = 0;
  for (int i = 0; i < 10'000; ++i) last = random.next();
  CHECK(last == 9981545732273789042U);  // the value the C++ standard names for this generator
}

TEST_CASE("bounded numbers are the same for a seed", "[core]") {
  Random one(7);
  Random two(7);
  for (int i = 0; i < 1000; ++i) REQUIRE(one.below(1000) == two.below(1000));
}

TEST_CASE("bounded numbers stay below their bound and reach all of it", "[core]") {
  Random random(1);
  std::array<int, 5> seen{};
  for (int i = 0; i < 1000; ++i) {
    const auto drawn = random.below(seen.size());
    REQUIRE(drawn < seen.size());
    ++seen[drawn];
  }
  for (const int count : seen) CHECK(count > 100);
}

TEST_CASE("a bound of one leaves only zero", "[core]") { CHECK(Random(3).below(1) == 0); }

TEST_CASE("a bound beyond half the range is met", "[core]") {
  Random random(11);
  constexpr std::uint64_t kBound = (std::uint64_t{1} << 63U) + 1;
  for (int i = 0; i < 100; ++i) REQUIRE(random.below(kBound) < kBound);
}

TEST_CASE("fresh seeds differ", "[core]") { CHECK(Random::fresh_seed() != Random::fresh_seed()); }

TEST_CASE("SHA-256 gives the published digests", "[core]") {
  const auto hex = [](std::string_view text) {
    const auto digest = core::sha256(text);
    return core::to_hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
  };
  CHECK(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("hexadecimal text is two lower-case digits a byte", "[core]") {
  CHECK(core::to_hex(std::string_view("\x00\x0f\xa0\xff", 4)) == "000fa0ff");
}
