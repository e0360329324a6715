#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>
#include <holdfast/core/limits.h>

#include "support/catch.h"

#include <string>

using namespace holdfast;

namespace {

JsonObject object(const std::string& text) { return JsonObject::parse("properties", text); }

std::string merged(const std::string& target, const std::string& patch) {
  return merge_patch("properties", object(target), object(patch)).text();
}

struct Case {
  const char* target;
  const char* patch;
  const char* result;
};

}  // namespace

TEST_CASE("merging gives what RFC 7396 lists", "[core]") {
  const auto c = GENERATE(values<Case>({
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  }));
  CAPTURE(c.target, c.patch);
  CHECK(merged(c.target, c.patch) == c.result);
}

TEST_CASE("merging gives the example of RFC 7396", "[core]") {
  CHECK(merged(R"({"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},)"
               R"("tags":["example","sample"],"content":"This will be unchanged"})",
               R"({"title":"Hello!","phoneNumber":"+01-123-456-7890",)"
               R"("author":{"familyName":null},"tags":["example"]})") ==
        R"({"title":"Hello!","author":{"givenName":"John"},"tags":["example"],)"
        R"("content":"This will be unchanged","phoneNumber":"+01-123-456-7890"})");
}

TEST_CASE("members that a patch does not name keep their place and spelling", "[core]") {
  CHECK(merged(R"({"z":1.50,"\u0061":"\u0062","m":[1e2, {"q":null}],"k":0})", R"({"k":1})") ==
        R"({"z":1.50,"\u0061":"\u0062","m":[1e2,{"q":null}],"k":1})");
}

TEST_CASE("a replaced member keeps its place, new ones come last in the patch's order", "[core]") {
  CHECK(merged(R"({"b":1,"a":2})", R"({"z":9,"a":3.0,"c":8})") ==
        R"({"b":1,"a":3.0,"z":9,"c":8})");
}

TEST_CASE("keys are compared by what they spell", "[core]") {
  CHECK(merged(R"({"\u0061":1,"b":2})", R"({"a":3,"\u0062":null})") == R"({"\u0061":3})");
  CHECK(merged(R"({"\ud83d\ude00":1})", "{\"\xF0\x9F\x98\x80\":null}") == "{}");
}

TEST_CASE("a patch that changes nothing leaves the text as it is", "[core]") {
  const std::string target = R"({"a":{"b":1.0,"c":[1,2]},"\u0064":"x, } \" ]","e":null})";
  const auto patch = GENERATE(as<std::string>{}, "{}", R"({"a":{}})", R"({"q":null})",
                              R"({"a":{"b":1.0}})", R"({"d":"x, } \" ]"})",
                              R"({"a":{"c":[1,2],"z":null}})");
  CAPTURE(patch);
  CHECK(merged(target, patch) == target);
}

TEST_CASE("an object in a patch replaces what is no object", "[core]") {
  CHECK(merged(R"({"a":1})", R"({"a":{}})") == R"({"a":{}})");
  CHECK(merged(R"({"a":[1]})", R"({"a":{"b":null,"c":1}})") == R"({"a":{"c":1}})");
}

TEST_CASE("nulls are dropped from added objects at any depth, but not from arrays", "[core]") {
  CHECK(merged("{}", R"({"a":{"b":{"c":null,"d":{"e":null}},"f":[null,{"g":null}]}})") ==
        R"({"a":{"b":{"d":{}},"f":[null,{"g":null}]}})");
}

TEST_CASE("merging reaches the deepest level allowed", "[core]") {
  std::string target = R"({"a":1})";
  std::string patch = R"({"b":2})";
  for (std::size_t level = 1; level < core::kJsonDepthMax; ++level) {
    target = "{\"n\":" + target + "}";
    patch = "{\"n\":" + patch + "}";
  }
  const std::string result = merged(target, patch);
  CHECK(result.find(R"({"a":1,"b":2})") != std::string::npos);
  CHECK(object(result).text() == result);
}

TEST_CASE("a result over 1 MiB is refused, one of exactly 1 MiB is not", "[core]") {
  const std::size_t half = core::kJsonBytesMax / 2;
  const std::string target = "{\"a\":\"" + std::string(half, 'x') + "\"}";
  const std::size_t rest = core::kJsonBytesMax - target.size() - std::string(",\"b\":\"\"").size();
  CHECK(merged(target, "{\"b\":\"" + std::string(rest, 'y') + "\"}").size() ==
        core::kJsonBytesMax);
  CHECK_THROWS_AS(merged(target, "{\"b\":\"" + std::string(rest + 1, 'y') + "\"}"),
                  InvalidArgument);
}

TEST_CASE("a patch with very many members is merged", "[core]") {
  std::string target = "{";
  std::string patch = "{";
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":";
    target += key + "1";
    patch += key + "null";
  }
  CHECK(merged(target + "}", patch + "}") == "{}");
}

TEST_CASE("a damaged stored object is reported and not read past its end", "[core]") {
  const auto text = GENERATE(as<std::string>{}, "{", "{\"a", "{\"a\\", "{\"a\"", "{\"a\":",
                             "{\"a\":[1", "{\"a\":1", "{\"a\":1 \"b\"", "{a}", "{\"\\x\":1}");
  CAPTURE(text);
  CHECK_THROWS_AS(merge_patch("properties", JsonObject::trusted(text), object(R"({"q":1})")),
                  Corrupt);
}
