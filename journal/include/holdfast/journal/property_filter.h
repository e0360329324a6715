#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace holdfast {

enum class PropertyOperator { eq, ne, lt, le, gt, ge, exists, absent };
/// As parse_condition() reads it: "=", "!=", "<", "<=", ">", ">=", "exists", "absent".
std::string_view to_string(PropertyOperator op);

/// A JSON scalar; nullptr is null.
using PropertyValue = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string>;

/// One condition on the value at one place of a row's properties. Decided by our own code, by type,
/// so that every backend answers alike:
/// - numbers compare with numbers by their exact value: 9007199254740993 is greater than
///   9007199254740992.0, 1 equals 1.0. A number spelled with `.`, `e` or `E` has the value of the
///   nearest double;
/// - strings compare with strings byte by byte; nothing is normalised or folded;
/// - booleans and null are only equal or different.
/// A value of another type, an array and an object equal nothing and have no order. `ne` holds for
/// whatever is there and is not equal, of any type, and never where nothing is there. null is
/// there: it `exists`.
struct PropertyCondition {
  /// A JSON pointer (RFC 6901) into `properties`, such as "/address/city" or "/aliases/0". The
  /// empty one, the object itself, is refused. Keys match byte by byte. In an array, only the index
  /// of an element finds something.
  std::string pointer;
  PropertyOperator op = PropertyOperator::exists;
  PropertyValue value = nullptr;  ///< null for `exists` and `absent`; to order by: number or string
  bool operator==(const PropertyCondition&) const = default;
};

/// Reads a condition from text: a pointer, an operator and, but for `exists` and `absent`, a JSON
/// scalar, as in
///   /born >= 1815        /field = "mathematics"        /a~1b exists        "/first name" != null
/// Spaces may stand around each part; one must follow the pointer. A pointer that holds a space or
/// begins with a quote is written as a JSON string. Throws InvalidArgument naming `field`, the text
/// and the byte where it goes wrong, counted from 1; also for what PropertyFilter refuses.
PropertyCondition parse_condition(std::string_view field, std::string_view text);

namespace journal {

/// Conditions, checked and made ready to judge many rows.
/// Thread safety: any number of matches().
class PropertyFilter {
 public:
  PropertyFilter() = default;
  /// Throws InvalidArgument, naming `field` or "field[2]", for: more than 32 conditions, a
  /// malformed pointer, a value beside `exists` or `absent`, text that is not UTF-8 without U+0000,
  /// a number that is not finite, an order of booleans or null.
  PropertyFilter(std::string_view field, const std::vector<PropertyCondition>& conditions);

  bool empty() const noexcept { return tests_.empty(); }
  /// Whether all conditions hold for stored properties. Throws Corrupt when they are not JSON.
  bool matches(std::string_view properties) const;
  /// Equal for the same conditions in the same order, and for no others; empty without any.
  const std::string& fingerprint() const noexcept { return fingerprint_; }

 private:
  struct Test {
    std::vector<std::string> path;  ///< the pointer's parts, unescaped
    PropertyOperator op;
    PropertyValue value;
    bool holds(const nlohmann::json& properties) const;
  };
  std::vector<Test> tests_;
  std::string fingerprint_;
};

}  // namespace journal
}  // namespace holdfast
