#pragma once

#include <array>
#include <string>
#include <string_view>

#include <holdfast/journal/property_filter.h>

namespace holdfast::test {

/// A JSON value of which this says where it stands, so that tests need no second comparison: values
/// of one type compare as their ranks do.
struct KnownValue {
  enum class Type { null, boolean, number, string, array, object };
  std::string_view text;
  Type type;
  int rank = 0;

  bool is_scalar() const { return type != Type::array && type != Type::object; }
  bool has_order() const { return type == Type::number || type == Type::string; }
};

inline constexpr std::array kKnownValues = {
    KnownValue{"null", KnownValue::Type::null},
    KnownValue{"false", KnownValue::Type::boolean, 0},
    KnownValue{"true", KnownValue::Type::boolean, 1},
    KnownValue{"-1e300", KnownValue::Type::number, 0},
    KnownValue{"-9223372036854775808", KnownValue::Type::number, 1},
    KnownValue{"-9223372036854775808.0", KnownValue::Type::number, 1},
    KnownValue{"-9223372036854775807", KnownValue::Type::number, 2},
    KnownValue{"-9007199254740993", KnownValue::Type::number, 3},
    KnownValue{"-9007199254740992.0", KnownValue::Type::number, 4},
    KnownValue{"-1.5", KnownValue::Type::number, 5},
    KnownValue{"-1", KnownValue::Type::number, 6},
    KnownValue{"-0.5", KnownValue::Type::number, 7},
    KnownValue{"0", KnownValue::Type::number, 8},
    KnownValue{"-0.0", KnownValue::Type::number, 8},
    KnownValue{"0.1", KnownValue::Type::number, 9},
    KnownValue{"1", KnownValue::Type::number, 10},
    KnownValue{"1.0", KnownValue::Type::number, 10},
    KnownValue{"1e0", KnownValue::Type::number, 10},
    KnownValue{"1.5", KnownValue::Type::number, 11},
    KnownValue{"9007199254740992.0", KnownValue::Type::number, 12},
    KnownValue{"9007199254740993", KnownValue::Type::number, 13},
    KnownValue{"9223372036854775807", KnownValue::Type::number, 14},
    KnownValue{"9223372036854775808.0", KnownValue::Type::number, 15},
    KnownValue{R"("")", KnownValue::Type::string, 0},
    KnownValue{R"("10")", KnownValue::Type::string, 1},
    KnownValue{R"("9")", KnownValue::Type::string, 2},
    KnownValue{R"("Z")", KnownValue::Type::string, 3},
    KnownValue{R"("a")", KnownValue::Type::string, 4},
    KnownValue{R"("\u0061")", KnownValue::Type::string, 4},
    KnownValue{R"("aa")", KnownValue::Type::string, 5},
    KnownValue{"\"e\xCC\x81\"", KnownValue::Type::string, 6},  // decomposed
    KnownValue{"\"\xC3\xA9\"", KnownValue::Type::string, 7},
    KnownValue{"\"\xEF\xBF\xBD\"", KnownValue::Type::string, 8},
    KnownValue{"\"\xF0\x9F\x98\x80\"", KnownValue::Type::string, 9},  // before U+FFFD in UTF-16
    KnownValue{"[1]", KnownValue::Type::array},
    KnownValue{R"({"a":1})", KnownValue::Type::object},
};

inline constexpr std::array kAllOperators = {
    PropertyOperator::eq, PropertyOperator::ne, PropertyOperator::lt,     PropertyOperator::le,
    PropertyOperator::gt, PropertyOperator::ge, PropertyOperator::exists, PropertyOperator::absent};

inline bool takes_value(PropertyOperator op) {
  return op != PropertyOperator::exists && op != PropertyOperator::absent;
}
inline bool orders(PropertyOperator op) {
  return takes_value(op) && op != PropertyOperator::eq && op != PropertyOperator::ne;
}

/// What the contract says of the value `there` (none: a null pointer), told from the table alone.
inline bool should_match(const KnownValue* there, PropertyOperator op, const KnownValue& wanted) {
  if (there == nullptr) return op == PropertyOperator::absent;
  const bool comparable = there->type == wanted.type && there->is_scalar();
  const bool equal = comparable && there->rank == wanted.rank;
  const bool less = comparable && there->has_order() && there->rank < wanted.rank;
  const bool greater = comparable && there->has_order() && there->rank > wanted.rank;
  switch (op) {
    case PropertyOperator::eq: return equal;
    case PropertyOperator::ne: return !equal;
    case PropertyOperator::lt: return less;
    case PropertyOperator::le: return less || equal;
    case PropertyOperator::gt: return greater;
    case PropertyOperator::ge: return greater || equal;
    case PropertyOperator::exists: return true;
    case PropertyOperator::absent: return false;
  }
  return false;
}

/// A condition on the value at `pointer`, by way of its text.
inline PropertyCondition condition_on(std::string_view pointer, PropertyOperator op,
                                      const KnownValue& wanted) {
  std::string text = std::string(pointer) + " " + std::string(to_string(op));
  if (takes_value(op)) text += " " + std::string(wanted.text);
  return parse_condition("where", text);
}

}  // namespace holdfast::test
