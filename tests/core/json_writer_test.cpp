#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "support/catch.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <string>

using namespace holdfast;
using core::JsonWriter;

namespace {

std::string literal(std::string_view value) {
  std::string out;
  core::append_json_string(out, value);
  return out;
}

std::string real_text(double value) {
  const std::string text = JsonWriter().real("r", value).finish();
  return text.substr(5, text.size() - 6);
}

}  // namespace

TEST_CASE("a writer without members gives an empty object", "[core]") {
  CHECK(JsonWriter().finish() == "{}");
}

TEST_CASE("members are written in order", "[core]") {
  JsonWriter writer;
  writer.string("s", "x").integer("i", -5).unsigned_integer("u", 7).boolean("t", true);
  writer.boolean("f", false).null("n").raw("o", "{\"a\":[1]}").real("r", 0.5);
  CHECK(writer.finish() ==
        R"({"s":"x","i":-5,"u":7,"t":true,"f":false,"n":null,"o":{"a":[1]},"r":0.5})");
}

TEST_CASE("the ends of the integer ranges are written exactly", "[core]") {
  JsonWriter writer;
  writer.integer("min", std::numeric_limits<long long>::min());
  writer.unsigned_integer("max", std::numeric_limits<unsigned long long>::max());
  CHECK(writer.finish() == R"({"min":-9223372036854775808,"max":18446744073709551615})");
}

TEST_CASE("quotes, backslashes and control characters are escaped, UTF-8 is not", "[core]") {
  CHECK(literal("a\"b\\c") == R"("a\"b\\c")");
  CHECK(literal("\b\f\n\r\t") == R"("\b\f\n\r\t")");
  CHECK(literal(std::string_view("\0\x1f\x7f/", 4)) == "\"\\u0000\\u001f\x7f/\"");
  CHECK(literal("caf\xC3\xA9") == "\"caf\xC3\xA9\"");
  CHECK(JsonWriter().null("k\"ey").finish() == R"({"k\"ey":null})");
}

TEST_CASE("every ASCII text reads back equal", "[core]") {
  std::string every;
  for (char c = 0; c < 127; ++c) every += c;
  CHECK(nlohmann::json::parse(literal(every)).get<std::string>() == every);
}

TEST_CASE("a real number is the shortest text that reads back equal", "[core]") {
  CHECK(real_text(0.1) == "0.1");
  CHECK(real_text(1.0) == "1.0");
  CHECK(real_text(-0.0) == "-0.0");
  CHECK(real_text(1e300) == "1e+300");
  CHECK(real_text(5e-324) == "5e-324");
}

TEST_CASE("a real number is accepted as JSON and keeps its value", "[core]") {
  const auto value = GENERATE(0.0, 1.0, -2.5, 1e15, 123456789012345680000.0, 18446744073709551616.0,
                              1e22, 1e-7, std::numeric_limits<double>::max(),
                              std::numeric_limits<double>::denorm_min(), 1.0 / 3.0);
  const auto object = JsonObject::parse("properties", JsonWriter().real("r", value).finish());
  CHECK(object.json().at("r").is_number_float());
  CHECK(object.json().at("r").get<double>() == value);
}

TEST_CASE("a number that is not finite is refused", "[core]") {
  JsonWriter writer;
  CHECK_THROWS_AS(writer.real("r", std::nan("")), InvalidArgument);
  CHECK_THROWS_AS(writer.real("r", HUGE_VAL), InvalidArgument);
  CHECK(writer.finish() == "{}");
}
