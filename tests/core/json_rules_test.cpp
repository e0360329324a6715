#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>
#include <holdfast/core/limits.h>

#include "support/catch.h"

#include <nlohmann/json.hpp>

#include <string>

using namespace holdfast;

namespace {

std::string accepted(std::string_view text) { return JsonObject::parse("properties", text).text(); }

/// The rule that refuses the text.
std::string refusal(std::string_view text) {
  try {
    (void)JsonObject::parse("properties", text);
  } catch (const InvalidArgument& error) {
    CHECK(error.field() == "properties");
    return error.rule();
  }
  return "accepted";
}

std::string nested(std::size_t levels) {
  return "{\"a\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
}

std::string of_size(std::size_t bytes) {
  return "{\"a\":\"" + std::string(bytes - 8, 'x') + "\"}";
}

}  // namespace

TEST_CASE("an object without members is the default", "[core]") {
  CHECK(JsonObject().text() == "{}");
  CHECK(accepted(" { } ") == "{}");
}

TEST_CASE("minified text keeps key order, number spelling and escapes", "[core]") {
  CHECK(accepted(" { \"z\" : 1.50 ,\n\"a\" :\t[ 1e2 , -0, 10E+2 ] , "
                 "\"m\":\"\\u0041\\/ \\\" \" }\r\n") ==
        R"({"z":1.50,"a":[1e2,-0,10E+2],"m":"\u0041\/ \" "})");
}

TEST_CASE("minifying leaves the inside of strings and keys alone", "[core]") {
  CHECK(accepted(R"({ "a b" : " \\" , "c\"d" : " { , } " })") ==
        R"({"a b":" \\","c\"d":" { , } "})");
}

TEST_CASE("minified text is accepted again and unchanged", "[core]") {
  const std::string once = accepted(R"( {"a" : [ {"b" : null} , true, false ], "c" : {} })");
  CHECK(accepted(once) == once);
  CHECK(JsonObject::trusted(once) == JsonObject::parse("properties", once));
}

TEST_CASE("json() gives the values", "[core]") {
  const auto json = JsonObject::parse("properties", R"({"a":[1,"b"]})").json();
  CHECK(json.at("a").at(1) == "b");
}

TEST_CASE("anything but an object is refused", "[core]") {
  const auto text = GENERATE(as<std::string>{}, "[]", "1", "1.5", "-1", "\"a\"", "null", "true",
                             "[{}]", "\"{\"");
  CAPTURE(text);
  CHECK(refusal(text) == "be a JSON object");
}

TEST_CASE("an object encoded twice is refused with a hint", "[core]") {
  CHECK(refusal(R"("{\"a\":1}")").find("encoded twice") != std::string::npos);
  CHECK(refusal(R"(" {} ")").find("encoded twice") != std::string::npos);
}

TEST_CASE("a member may be a string that holds an object", "[core]") {
  CHECK(accepted(R"({"a":"{\"b\":1}"})") == R"({"a":"{\"b\":1}"})");
}

TEST_CASE("malformed JSON is refused with the place of the error", "[core]") {
  CHECK(refusal("{\"a\":tru}") == "be well-formed JSON; the error is at byte 9");
  const auto text =
      GENERATE(as<std::string>{}, "", " ", "{", "{\"a\"}", "{\"a\":1,}", "{a:1}", "{'a':1}",
               "{\"a\":01}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":NaN}", "{\"a\":Infinity}",
               "{\"a\":\"\n\"}", "{\"a\":\"\\x\"}", "{/**/}", "{\"a\":1 \"b\":2}");
  CAPTURE(text);
  CHECK(refusal(text).find("be well-formed JSON") == 0);
}

TEST_CASE("text after the end is refused", "[core]") {
  CHECK(refusal("{} {}").find("be well-formed JSON") == 0);
  CHECK(refusal("{}x").find("be well-formed JSON") == 0);
  CHECK(refusal(std::string("{}\0x", 4)) == "be UTF-8 without U+0000");
}

TEST_CASE("a byte-order mark is refused", "[core]") {
  CHECK(refusal("\xEF\xBB\xBF{}") == "not begin with a byte-order mark");
}

TEST_CASE("text that is not UTF-8 is refused", "[core]") {
  CHECK(refusal("{\"a\":\"\xFF\"}") == "be UTF-8 without U+0000");
  CHECK(refusal("{\"a\":\"\xED\xA0\x80\"}") == "be UTF-8 without U+0000");
}

TEST_CASE("U+0000 is refused even as an escape", "[core]") {
  CHECK(refusal(R"({"a":"x\u0000"})") == "not contain U+0000");
  CHECK(refusal(R"({"a\u0000":1})") == "not contain U+0000");
  CHECK(refusal(R"({"a":["\u0000"]})") == "not contain U+0000");
  CHECK(accepted(R"({"a":"\\u0000"})") == R"({"a":"\\u0000"})");
}

TEST_CASE("lone surrogates are refused, pairs are kept as written", "[core]") {
  CHECK(refusal(R"({"a":"\ud800"})").find("be well-formed JSON") == 0);
  CHECK(refusal(R"({"a":"\udc00"})").find("be well-formed JSON") == 0);
  CHECK(refusal(R"({"a":"\ud800\ud800"})").find("be well-formed JSON") == 0);
  CHECK(accepted(R"({"a":"\ud83d\ude00"})") == R"({"a":"\ud83d\ude00"})");
}

TEST_CASE("64 levels are accepted, 65 are not", "[core]") {
  CHECK_NOTHROW(accepted(nested(64)));
  CHECK(refusal(nested(65)) == "be at most 64 levels deep");
}

TEST_CASE("levels of objects count like those of arrays", "[core]") {
  std::string text = "{}";
  for (int level = 1; level < 64; ++level) text = "{\"a\":" + text + "}";
  CHECK_NOTHROW(accepted(text));
  CHECK(refusal("{\"a\":" + text + "}") == "be at most 64 levels deep");
}

TEST_CASE("1 MiB is accepted, one byte more is not", "[core]") {
  CHECK(accepted(of_size(core::kJsonBytesMax)).size() == core::kJsonBytesMax);
  CHECK(refusal(of_size(core::kJsonBytesMax + 1)) == "be at most 1,048,576 bytes of JSON");
}

TEST_CASE("integers fit signed 64 bits", "[core]") {
  CHECK_NOTHROW(accepted(R"({"a":9223372036854775807,"b":-9223372036854775808})"));
  const auto number = GENERATE(as<std::string>{}, "9223372036854775808", "-9223372036854775809",
                               "18446744073709551615", "18446744073709551616",
                               "-18446744073709551616", "100000000000000000000000000000");
  CAPTURE(number);
  CHECK(refusal("{\"a\":" + number + "}") == "fit a signed 64-bit integer");
}

TEST_CASE("an integer beyond even a double is refused as an integer", "[core]") {
  CHECK(refusal("{\"a\":1" + std::string(400, '0') + "}") == "fit a signed 64-bit integer");
}

TEST_CASE("a number beyond a double is refused, a large one is not", "[core]") {
  CHECK(refusal(R"({"a":1e400})") == "be a finite number");
  CHECK(refusal(R"({"a":-1e400})") == "be a finite number");
  CHECK_NOTHROW(accepted(R"({"a":1e308,"b":1e-400,"c":9223372036854775808.0})"));
}

TEST_CASE("a repeated key is refused, also when spelled differently", "[core]") {
  CHECK(refusal(R"({"a":1,"a":1})") == "be a key only once in its object");
  CHECK(refusal(R"({"a":1,"b":2,"\u0061":3})") == "be a key only once in its object");
  CHECK(refusal(R"({"x":[{"a":1,"a":2}]})") == "be a key only once in its object");
}

TEST_CASE("a key may come back in another object", "[core]") {
  CHECK_NOTHROW(accepted(R"({"a":{"a":1,"b":[{"a":1},{"a":2}]},"b":{"a":3}})"));
}

TEST_CASE("keys that differ only in normal form are different keys", "[core]") {
  CHECK_NOTHROW(accepted("{\"caf\xC3\xA9\":1,\"cafe\xCC\x81\":2}"));
}

TEST_CASE("a refused repeat names the key, a refused number the number", "[core]") {
  try {
    (void)JsonObject::parse("properties", R"({"a":1,"a":2})");
  } catch (const InvalidArgument& error) {
    CHECK(error.value() == "a");
  }
  try {
    (void)JsonObject::parse("properties", R"({"a":9223372036854775808})");
  } catch (const InvalidArgument& error) {
    CHECK(error.value() == "9223372036854775808");
  }
}
