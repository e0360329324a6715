#include <holdfast/core/error.h>
#include <holdfast/core/input.h>

#include "support/catch.h"

#include <string>

using namespace holdfast;

namespace {

const std::string kTwoBytes = "\xC3\xA9";    // e with acute
const std::string kThreeBytes = "\xE2\x82\xAC";  // euro sign

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string shown(const std::string& value) {
  return InvalidArgument("name", value, "be short").value();
}

}  // namespace

TEST_CASE("a refusal names the field, the value and the rule", "[core]") {
  const InvalidArgument error("name", "abc", "be 1 to 2 bytes");
  CHECK(std::string(error.what()) == "name: 'abc' must be 1 to 2 bytes");
  CHECK(error.field() == "name");
  CHECK(error.value() == "abc");
  CHECK(error.rule() == "be 1 to 2 bytes");
  CHECK(std::string(error.code()) == "invalid_argument");
}

TEST_CASE("a refused value of 80 bytes is shown whole, a longer one is cut to 80", "[core]") {
  CHECK(shown(std::string(80, 'x')) == std::string(80, 'x'));
  CHECK(shown(std::string(81, 'x')) == std::string(77, 'x') + "...");
}

TEST_CASE("a refused value is cut between characters", "[core]") {
  CHECK(shown(repeated(kTwoBytes, 41)) == repeated(kTwoBytes, 38) + "...");
  CHECK(shown(repeated(kThreeBytes, 27)) == repeated(kThreeBytes, 25) + "...");
  CHECK(shown(repeated(kThreeBytes, 26)) == repeated(kThreeBytes, 26));
}

TEST_CASE("control characters and malformed bytes are shown as question marks", "[core]") {
  CHECK(shown(std::string("a\n\x1b\x7f\0b", 6)) == "a????b");
  CHECK(shown("\xC2\x85" "a\xE2\x80\xA8") == "?a?");
  CHECK(shown("a\xFF\xC3") == "a??");
  CHECK(shown("\xED\xA0\x80") == "???");
}

TEST_CASE("the message is text whatever the value holds", "[core]") {
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  for (std::size_t from = 0; from < every_byte.size(); from += 16) {
    const InvalidArgument error("name", every_byte.substr(from), "be text");
    REQUIRE(core::is_text(error.what()));
    REQUIRE(error.value().size() <= 80);
  }
}

TEST_CASE("a missing thing names its kind and id", "[core]") {
  const NotFound error("entity", "42");
  CHECK(std::string(error.what()) == "entity '42' does not exist");
  CHECK(error.kind() == "entity");
  CHECK(error.id() == "42");
}

TEST_CASE("an unknown outcome carries its request", "[core]") {
  const OutcomeUnknown error("the commit failed", "r1");
  CHECK(error.request_id() == "r1");
  CHECK(std::string(error.code()) == "outcome_unknown");
}
