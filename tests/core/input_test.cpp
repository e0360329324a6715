#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/limits.h>

#include "support/catch.h"

#include <limits>
#include <string>

using namespace holdfast;
using namespace holdfast::core;

namespace {

const std::string kComposed = "caf\xC3\xA9";
const std::string kDecomposed = "cafe\xCC\x81";
const std::string kGrowing = "\xE0\xA5\x98";  // U+0958: three bytes, six in NFC
const std::string kNul("a\0b", 3);

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("a name has 1 to 1,024 bytes", "[core]") {
  CHECK(check_name("name", "a") == "a");
  CHECK(check_name("name", std::string(1024, 'x')).size() == 1024);
  CHECK_THROWS_AS(check_name("name", ""), InvalidArgument);
  CHECK_THROWS_AS(check_name("name", std::string(1025, 'x')), InvalidArgument);
}

TEST_CASE("a refused name says which limit it broke", "[core]") {
  try {
    (void)check_name("kind", "");
    FAIL("accepted");
  } catch (const InvalidArgument& error) {
    CHECK(std::string(error.what()) == "kind: '' must be 1 to 1,024 bytes");
  }
}

TEST_CASE("a decomposed name equals its composed form", "[core]") {
  CHECK(check_name("name", kDecomposed) == kComposed);
  CHECK(check_name("name", kComposed) == kComposed);
}

TEST_CASE("a name's limit holds before normalisation", "[core]") {
  CHECK(check_name("name", repeated("e\xCC\x81", 341)).size() == 682);
  CHECK_THROWS_AS(check_name("name", repeated("e\xCC\x81", 342)), InvalidArgument);
}

TEST_CASE("a name's limit holds after normalisation", "[core]") {
  CHECK(check_name("name", repeated(kGrowing, 170)).size() == 1020);
  CHECK_THROWS_AS(check_name("name", repeated(kGrowing, 171)), InvalidArgument);
}

TEST_CASE("a name is UTF-8 without NUL", "[core]") {
  CHECK_THROWS_AS(check_name("name", kNul), InvalidArgument);
  CHECK_THROWS_AS(check_name("name", "a\xFF"), InvalidArgument);
  CHECK(check_name("name", "a\tb") == "a\tb");
}

TEST_CASE("content has up to 1 MiB and may be empty", "[core]") {
  CHECK_NOTHROW(check_content("content", ""));
  CHECK_NOTHROW(check_content("content", std::string(kContentBytesMax, 'x')));
  CHECK_THROWS_AS(check_content("content", std::string(kContentBytesMax + 1, 'x')),
                  InvalidArgument);
}

TEST_CASE("content is UTF-8 without NUL", "[core]") {
  CHECK_NOTHROW(check_content("content", kDecomposed + "\r\n\x01"));
  CHECK_THROWS_AS(check_content("content", kNul), InvalidArgument);
  CHECK_THROWS_AS(check_content("content", "\xC3"), InvalidArgument);
}

TEST_CASE("well-formed UTF-8 is text", "[core]") {
  CHECK(is_text(""));
  CHECK(is_text("plain ascii that is longer than one word"));
  CHECK(is_text("\xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xEF\xBF\xBF"));
  CHECK(is_text("12345678\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF"));
}

TEST_CASE("malformed UTF-8 is not text", "[core]") {
  const auto bytes = GENERATE(
      as<std::string>{}, "\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x9F\xBF",
      "\xE2\x82", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF0\x90\x80",
      "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xFF");
  CHECK_FALSE(is_text(bytes));
  CHECK_FALSE(is_text("0123456789" + bytes + "0123456789"));
}

TEST_CASE("NUL is not text wherever it stands", "[core]") {
  for (std::size_t at = 0; at < 20; ++at) {
    std::string text(20, 'x');
    text[at] = '\0';
    REQUIRE_FALSE(is_text(text));
  }
}

TEST_CASE("a space name has 1 to 64 bytes, as NFC", "[core]") {
  CHECK(check_space_name(std::string(64, 's')).size() == 64);
  CHECK(check_space_name(kDecomposed) == kComposed);
  CHECK_THROWS_AS(check_space_name(""), InvalidArgument);
  CHECK_THROWS_AS(check_space_name(std::string(65, 's')), InvalidArgument);
}

TEST_CASE("an actor has 1 to 256 bytes, as NFC", "[core]") {
  CHECK(check_actor(std::string(256, 'a')).size() == 256);
  CHECK(check_actor(kDecomposed) == kComposed);
  CHECK_THROWS_AS(check_actor(""), InvalidArgument);
  CHECK_THROWS_AS(check_actor(std::string(257, 'a')), InvalidArgument);
}

TEST_CASE("spaces and actors hold no control characters", "[core]") {
  const auto text = GENERATE(as<std::string>{}, "a\nb", "\t", "a\x7f", "a\xC2\x85", "a\x1f");
  CHECK_THROWS_AS(check_space_name(text), InvalidArgument);
  CHECK_THROWS_AS(check_actor(text), InvalidArgument);
}

TEST_CASE("tags keep their order and lose their repeats", "[core]") {
  const std::vector<std::string> kept = check_tags("tags", {"b", kDecomposed, "a", "b", kComposed});
  CHECK(kept == std::vector<std::string>{"b", kComposed, "a"});
}

TEST_CASE("there are up to 256 tags", "[core]") {
  std::vector<std::string> tags;
  for (std::size_t i = 0; i < kTagsMax; ++i) tags.push_back(std::to_string(i));
  CHECK(check_tags("tags", tags).size() == kTagsMax);
  tags.emplace_back("one more");
  CHECK_THROWS_AS(check_tags("tags", tags), InvalidArgument);
}

TEST_CASE("a refused tag is named by its position", "[core]") {
  try {
    (void)check_tags("tags", {"a", ""});
    FAIL("accepted");
  } catch (const InvalidArgument& error) {
    CHECK(error.field() == "tags[1]");
  }
}

TEST_CASE("tags read back from what is stored", "[core]") {
  const std::vector<std::string> tags{"a", "q\"\\\n", kComposed};
  CHECK(tags_to_json(tags) == "[\"a\",\"q\\\"\\\\\\n\",\"" + kComposed + "\"]");
  CHECK(tags_from_json(tags_to_json(tags)) == tags);
  CHECK(tags_from_json(tags_to_json({})).empty());
}

TEST_CASE("stored tags that are anything else are corrupt", "[core]") {
  const auto json = GENERATE(as<std::string>{}, "", "{}", "[1]", "[\"a\"", "[\"a\",null]", "null",
                             "[\"a\"] x", "[ ]", "\"a\"", "[\"\xFF\"]");
  CAPTURE(json);
  CHECK_THROWS_AS(tags_from_json(json), Corrupt);
}

TEST_CASE("only finite numbers are accepted", "[core]") {
  CHECK_NOTHROW(check_finite("weight", std::numeric_limits<double>::max()));
  CHECK_NOTHROW(check_finite("weight", -0.0));
  CHECK_THROWS_AS(check_finite("weight", std::numeric_limits<double>::infinity()),
                  InvalidArgument);
  CHECK_THROWS_AS(check_finite("weight", std::numeric_limits<double>::quiet_NaN()),
                  InvalidArgument);
}

TEST_CASE("a page limit is 1 to 10,000", "[core]") {
  CHECK_NOTHROW(check_limit("limit", 1));
  CHECK_NOTHROW(check_limit("limit", 10'000));
  CHECK_THROWS_AS(check_limit("limit", 0), InvalidArgument);
  CHECK_THROWS_AS(check_limit("limit", 10'001), InvalidArgument);
}

TEST_CASE("the end of a prefix is the prefix with its last character raised", "[core]") {
  CHECK(prefix_end("abc") == "abd");
  CHECK(prefix_end("a\x7f") == "a\xC2\x80");
  CHECK(prefix_end("\xC3\xBF") == "\xC4\x80");
  CHECK(prefix_end("\xDF\xBF") == "\xE0\xA0\x80");
  CHECK(prefix_end("\xEF\xBF\xBF") == "\xF0\x90\x80\x80");
  CHECK(prefix_end("\xED\x9F\xBF") == "\xEE\x80\x80");
}

TEST_CASE("the last character there is gives way to the one before it", "[core]") {
  CHECK(prefix_end("a\xF4\x8F\xBF\xBF") == "b");
  CHECK(prefix_end("\xF4\x8F\xBF\xBF").empty());
  CHECK(prefix_end("").empty());
}

TEST_CASE("a prefix that is not text has no end", "[core]") {
  CHECK_THROWS_AS(prefix_end("a\xFF"), InvalidArgument);
}
