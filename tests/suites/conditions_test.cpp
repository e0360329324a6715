#include <limits>

#include <holdfast/core/error.h>

#include "suites/known_values.h"
#include "suites/support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using Op = PropertyOperator;

std::string refused_text(const std::string& text) {
  return refusal_of([&] { parse_condition("where", text); });
}

std::string refused(const PropertyCondition& condition) {
  return refusal_of([&] { journal::PropertyFilter("where", {condition}); });
}

bool matches(const std::string& properties, const PropertyCondition& condition) {
  return journal::PropertyFilter("where", {condition}).matches(properties);
}

bool is_there(const std::string& properties, const std::string& pointer) {
  const bool exists = matches(properties, {pointer, Op::exists, nullptr});
  CHECK(matches(properties, {pointer, Op::absent, nullptr}) == !exists);
  return exists;
}

const std::string kScalar =
    "where: have after the operator a JSON scalar: a number, a string in quotes, true, false or "
    "null; see byte ";
const std::string kOperator =
    "where: have one of = != < <= > >= exists absent after the pointer and a space; see byte ";

}  // namespace

TEST_CASE("a condition is read from text", "[filter]") {
  const auto read = [](const std::string& text) { return parse_condition("where", text); };
  CHECK(read("/born >= 1815") == PropertyCondition{"/born", Op::ge, 1815});
  CHECK(read(R"(/field = "mathematics")") == PropertyCondition{"/field", Op::eq, "mathematics"});
  CHECK(read("/a~1b exists") == PropertyCondition{"/a~1b", Op::exists, nullptr});
  CHECK(read(" /a  absent ") == PropertyCondition{"/a", Op::absent, nullptr});
  CHECK(read("/a !=null") == PropertyCondition{"/a", Op::ne, nullptr});
  CHECK(read("/a =true ") == PropertyCondition{"/a", Op::eq, true});
  CHECK(read("/a <-1.0") == PropertyCondition{"/a", Op::lt, -1.0});
  CHECK(read("\t/a\n<= 2") == PropertyCondition{"/a", Op::le, 2});
  CHECK(read(R"(/a > "> \" \u00e9")") == PropertyCondition{"/a", Op::gt, "> \" \xC3\xA9"});
  CHECK(read(R"("/first name" != "")") == PropertyCondition{"/first name", Op::ne, ""});
  CHECK(read(R"("/say \"\\\"" exists)") == PropertyCondition{R"(/say "\")", Op::exists, nullptr});
  CHECK(read("/ exists") == PropertyCondition{"/", Op::exists, nullptr});
  CHECK(read("/a=b = 1") == PropertyCondition{"/a=b", Op::eq, 1});
}

TEST_CASE("what is no condition is refused, with the byte where it goes wrong", "[filter]") {
  const std::string pointer = "where: be a JSON pointer that starts with '/'; see byte ";
  CHECK(refused_text("") == pointer + "1");
  CHECK(refused_text("  born = 1") == pointer + "3");
  CHECK(refused_text(R"("born" = 1)") == pointer + "1");
  CHECK(refused_text(R"("/born = 1)") ==
        "where: begin with a JSON pointer, here in a JSON string; see byte 1");
  CHECK(refused_text("/a~2 = 1") ==
        "where: be a JSON pointer, where '~' is written as ~0 and '/' as ~1; see byte 3");
  CHECK(refused_text("/born") == kOperator + "6");
  CHECK(refused_text("/born>=1815") == kOperator + "12");
  CHECK(refused_text("/born == 1815") == kOperator + "7");
  CHECK(refused_text("/born is 1815") == kOperator + "7");
  CHECK(refused_text("/born exists 1") == "where: end after 'exists'; see byte 14");
  CHECK(refused_text("/born =") == kScalar + "8");
  CHECK(refused_text("/field = mathematics") == kScalar + "10");
  CHECK(refused_text("/field = \"a\" b") == kScalar + "14");
  CHECK(refused_text("/field = [1]") == kScalar + "10");
  CHECK(refused_text("/field = {}") == kScalar + "10");
  const std::string integer = "where: compare with an integer that fits signed 64 bits; see byte ";
  CHECK(refused_text("/n = 9223372036854775808") == integer + "6");
  CHECK(refused_text("/n = -9223372036854775809") == integer + "6");
  CHECK(refused_text("/n = 123456789012345678901234567890") == integer + "6");
  CHECK(refused_text("/n = 1e400") == "where: compare with a finite number; see byte 6");
}

TEST_CASE("a refusal names the field and shows the text", "[filter]") {
  try {
    parse_condition("where[3]", "/born ~ 1815");
    FAIL("not refused");
  } catch (const InvalidArgument& error) {
    CHECK(error.field() == "where[3]");
    CHECK(error.value() == "/born ~ 1815");
  }
}

TEST_CASE("true, false and null have no order", "[filter]") {
  for (const Op op : kAllOperators) {
    for (const std::string value : {"true", "false", "null"}) {
      if (!takes_value(op)) continue;
      const std::string rule = "where: compare with a number or a string by '" +
                               std::string(to_string(op)) + "'; true, false and null have no order";
      CHECK(refused_text("/a " + std::string(to_string(op)) + " " + value) ==
            (orders(op) ? rule : "not refused"));
    }
  }
  CHECK(refused({"/a", Op::lt, true}).starts_with("where[0]: compare with a number or a string"));
  CHECK(refused({"/a", Op::ge, nullptr}).starts_with("where[0]: compare with a number"));
}

TEST_CASE("a condition made in code obeys the same rules", "[filter]") {
  const std::string start = "where[0]: be a JSON pointer that starts with '/'; see byte 1";
  CHECK(refused({"", Op::exists, nullptr}) == start);
  CHECK(refused({"born", Op::exists, nullptr}) == start);
  CHECK(refused({"/a~", Op::exists, nullptr}).ends_with("; see byte 3"));
  CHECK(refused({"/\xFF", Op::exists, nullptr}) == "where[0]: be UTF-8 without U+0000");
  CHECK(refused({"/a", Op::exists, 1}) == "where[0]: have no value beside 'exists'");
  CHECK(refused({"/a", Op::absent, false}) == "where[0]: have no value beside 'absent'");
  CHECK(refused({"/a", Op::eq, "\xFF"}) == "where[0]: compare with UTF-8 without U+0000");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused({"/a", Op::ne, nan}) == "where[0]: be a finite number");
  CHECK(refused({"/a", Op::eq, nullptr}) == "not refused");
}

TEST_CASE("at most 32 conditions make a filter", "[filter]") {
  std::vector<PropertyCondition> conditions(32, PropertyCondition{"/a", Op::exists, nullptr});
  const auto make = [&] {
    return refusal_of([&] { journal::PropertyFilter("where", conditions); });
  };
  CHECK(make() == "not refused");
  conditions.push_back(conditions.front());
  CHECK(make() == "where: be at most 32 conditions");
}

TEST_CASE("a pointer finds members and elements as RFC 6901 says", "[filter]") {
  const std::string properties =
      R"({"a":{"b":[10,{"c":null}]},"":0,"x/y":1,"m~n":2,"~1":3,"01":4,"e\u0301":5})";
  for (const char* pointer : {"/a", "/a/b", "/a/b/0", "/a/b/1", "/a/b/1/c", "/", "/x~1y", "/m~0n",
                              "/~01", "/01", "/e\xCC\x81"}) {
    CHECK(is_there(properties, pointer));
  }
  for (const char* pointer :
       {"/b", "/a/b/2", "/a/b/00", "/a/b/01", "/a/b/-", "/a/b/+1", "/a/b/1 ", "/a/b/", "/a/b/0/0",
        "/a/b/18446744073709551616", "//", "/x/y", "/A", "/\xC3\xA9"}) {
    CHECK_FALSE(is_there(properties, pointer));
  }
}

TEST_CASE("each operator compares values of each type as the contract says", "[filter]") {
  for (const KnownValue& stored : kKnownValues) {
    const std::string properties = R"({"v":)" + std::string(stored.text) + "}";
    for (const KnownValue& wanted : kKnownValues) {
      for (const Op op : kAllOperators) {
        if (!wanted.is_scalar() || (orders(op) && !wanted.has_order())) continue;
        INFO(stored.text << " " << to_string(op) << " " << wanted.text);
        const auto condition = condition_on("/v", op, wanted);
        CHECK(matches(properties, condition) == should_match(&stored, op, wanted));
        CHECK(matches("{}", condition) == should_match(nullptr, op, wanted));
      }
    }
  }
}

TEST_CASE("filters have one fingerprint only when their conditions are the same", "[filter]") {
  const auto print = [](const std::vector<PropertyCondition>& conditions) {
    return journal::PropertyFilter("where", conditions).fingerprint();
  };
  const std::vector<std::vector<PropertyCondition>> different = {
      {},
      {{"/a", Op::eq, 1}},
      {{"/a", Op::eq, 1.0}},
      {{"/a", Op::eq, "1"}},
      {{"/a", Op::ne, 1}},
      {{"/b", Op::eq, 1}},
      {{"/a", Op::eq, 1}, {"/a", Op::eq, 1}},
      {{"/a", Op::eq, 9007199254740992.0}},
      {{"/a", Op::eq, 9007199254740994.0}},
      {{"/a = 1\nwhere 2:/a", Op::eq, 1}}};
  std::set<std::string> prints;
  for (const auto& conditions : different) prints.insert(print(conditions));
  CHECK(prints.size() == different.size());
  CHECK(print({}).empty());
}

TEST_CASE("properties that are no JSON object are corrupt, not left out", "[filter]") {
  CHECK_THROWS_AS(matches(R"({"a":)", {"/a", Op::absent, nullptr}), Corrupt);
  CHECK_THROWS_AS(matches("[]", {"/a", Op::absent, nullptr}), Corrupt);
}
