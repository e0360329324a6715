#include <holdfast/journal/property_filter.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <cmath>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_text.h>
#include <holdfast/core/limits.h>
#include <holdfast/journal/json_pointer.h>

namespace holdfast {
namespace {

using nlohmann::json;
using Op = PropertyOperator;

constexpr std::array<std::pair<std::string_view, Op>, 8> kOperators{{{"=", Op::eq},
                                                                     {"!=", Op::ne},
                                                                     {"<", Op::lt},
                                                                     {"<=", Op::le},
                                                                     {">", Op::gt},
                                                                     {">=", Op::ge},
                                                                     {"exists", Op::exists},
                                                                     {"absent", Op::absent}}};
constexpr const char* kScalarRule = "a JSON scalar: a number, a string in quotes, true, false or "
                                    "null";

bool takes_value(Op op) { return op != Op::exists && op != Op::absent; }
bool orders(Op op) { return takes_value(op) && op != Op::eq && op != Op::ne; }

std::string text_of(const PropertyValue& value) {
  return std::visit([](const auto& scalar) { return json(scalar).dump(); }, value);
}

// --- what a condition must be ---

void check_value(const std::string& field, Op op, const PropertyValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text && !core::is_text(*text)) {
    throw InvalidArgument(field, *text, "compare with UTF-8 without U+0000");
  }
  if (const auto* real = std::get_if<double>(&value)) core::check_finite(field, *real);
  const bool is_null = std::holds_alternative<std::nullptr_t>(value);
  if (!takes_value(op) && !is_null) {
    throw InvalidArgument(field, text_of(value),
                          "have no value beside '" + std::string(to_string(op)) + "'");
  }
  if (orders(op) && (is_null || std::holds_alternative<bool>(value))) {
    throw InvalidArgument(field, text_of(value),
                          "compare with a number or a string by '" + std::string(to_string(op)) +
                              "'; true, false and null have no order");
  }
}

// --- comparing ---

constexpr double kTwoTo63 = 0x1p63;

/// Exact: the integer is never made a double, which would round it above 2^53.
std::partial_ordering compare(std::int64_t left, double right) {
  if (right >= kTwoTo63) return std::partial_ordering::less;
  if (right < -kTwoTo63) return std::partial_ordering::greater;
  const double whole = std::trunc(right);
  const auto integer = static_cast<std::int64_t>(whole);
  if (left != integer) return left <=> integer;
  return 0.0 <=> right - whole;
}

std::partial_ordering reversed(std::partial_ordering order) { return 0 <=> order; }

std::partial_ordering equal_or_unordered(bool equal) {
  return equal ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
}

/// How a stored value stands to the condition's; unordered when it is of another type.
struct Comparison {
  const json& there;

  std::partial_ordering operator()(std::nullptr_t) const {
    return equal_or_unordered(there.is_null());
  }
  std::partial_ordering operator()(bool wanted) const {
    return equal_or_unordered(there.is_boolean() && there.get<bool>() == wanted);
  }
  std::partial_ordering operator()(std::int64_t wanted) const {
    if (there.is_number_integer()) return there.get<std::int64_t>() <=> wanted;
    if (there.is_number_float()) return reversed(compare(wanted, there.get<double>()));
    return std::partial_ordering::unordered;
  }
  std::partial_ordering operator()(double wanted) const {
    if (there.is_number_integer()) return compare(there.get<std::int64_t>(), wanted);
    if (there.is_number_float()) return there.get<double>() <=> wanted;
    return std::partial_ordering::unordered;
  }
  std::partial_ordering operator()(const std::string& wanted) const {
    if (!there.is_string()) return std::partial_ordering::unordered;
    return there.get_ref<const std::string&>().compare(wanted) <=> 0;
  }
};

// --- reading text ---

/// Reads one condition from left to right.
class ConditionReader {
 public:
  ConditionReader(std::string_view field, std::string_view text) : field_(field), text_(text) {}

  PropertyCondition read() {
    PropertyCondition condition;
    skip_spaces();
    condition.pointer = pointer();
    skip_spaces();
    condition.op = op();
    skip_spaces();
    if (takes_value(condition.op)) {
      condition.value = value();
    } else if (at_ < text_.size()) {
      refuse(at_, "end after '" + std::string(to_string(condition.op)) + "'");
    }
    return condition;
  }

 private:
  [[noreturn]] void refuse(std::size_t at, const std::string& rule) const {
    throw InvalidArgument(field_, std::string(text_),
                          rule + "; see byte " + std::to_string(at + 1));
  }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  template <class Stop>
  std::string_view take_until(const Stop& stop) {
    const std::size_t from = at_;
    while (at_ < text_.size() && !stop(text_[at_])) ++at_;
    return text_.substr(from, at_ - from);
  }

  std::string pointer() {
    const std::size_t from = at_;
    if (at_ < text_.size() && text_[at_] == '"') return quoted_pointer();
    std::string pointer(take_until(is_space));
    const auto path = journal::read_pointer(pointer);
    if (const auto* error = std::get_if<journal::PointerError>(&path)) {
      refuse(from + error->at, error->rule);
    }
    return pointer;
  }
  std::string quoted_pointer() {
    const std::size_t from = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    const json pointer = json::parse(text_.substr(from, at_ - from), nullptr, false);
    if (!pointer.is_string()) refuse(from, "begin with a JSON pointer, here in a JSON string");
    auto text = pointer.get<std::string>();
    const auto path = journal::read_pointer(text);
    // Escapes of the string hide which byte of the pointer it is.
    if (const auto* error = std::get_if<journal::PointerError>(&path)) refuse(from, error->rule);
    return text;
  }

  Op op() {
    const auto is_sign = [](char c) { return c == '=' || c == '!' || c == '<' || c == '>'; };
    const std::size_t from = at_;
    const bool sign = at_ < text_.size() && is_sign(text_[at_]);
    const auto word =
        sign ? take_until([&](char c) { return !is_sign(c); }) : take_until(is_space);
    for (const auto& [name, op] : kOperators) {
      if (word == name) return op;
    }
    refuse(from, "have one of = != < <= > >= exists absent after the pointer and a space");
  }

  PropertyValue value() {
    const std::string_view text = text_.substr(at_);
    try {
      const json value = json::parse(text);
      if (value.is_boolean()) return value.get<bool>();
      if (value.is_string()) return value.get<std::string>();
      if (value.is_null()) return nullptr;
      if (value.is_number()) return number(value, text);
    } catch (const json::parse_error& error) {
      const std::size_t in_value = std::clamp<std::size_t>(error.byte, 1, text.size() + 1);
      refuse(at_ + in_value - 1, std::string("have after the operator ") + kScalarRule);
    } catch (const json::exception&) {
      refuse(at_, "compare with a finite number");
    }
    refuse(at_, std::string("have after the operator ") + kScalarRule);
  }
  /// An integer beyond 64 bits is a double to the parser, rounded; a stored one is refused too.
  PropertyValue number(const json& value, std::string_view text) const {
    if (value.is_number_float()) {
      if (text.find_first_of(".eE") != std::string_view::npos) return value.get<double>();
    } else if (!value.is_number_unsigned() || std::in_range<std::int64_t>(
                                                  value.get<std::uint64_t>())) {
      return value.get<std::int64_t>();
    }
    refuse(at_, "compare with an integer that fits signed 64 bits");
  }

  std::string field_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string_view to_string(PropertyOperator op) {
  const auto* const named = std::find_if(kOperators.begin(), kOperators.end(),
                                         [&](const auto& known) { return known.second == op; });
  return named == kOperators.end() ? "unknown" : named->first;
}

PropertyCondition parse_condition(std::string_view field, std::string_view text) {
  if (text.size() > core::kJsonBytesMax) {
    throw InvalidArgument(std::string(field), std::string(text.substr(0, 256)),
                          "be at most 1,048,576 bytes");
  }
  PropertyCondition condition = ConditionReader(field, text).read();
  const std::string name(field);
  journal::check_pointer(name, condition.pointer);
  check_value(name, condition.op, condition.value);
  return condition;
}

namespace journal {

PropertyFilter::PropertyFilter(std::string_view field,
                               const std::vector<PropertyCondition>& conditions) {
  if (conditions.size() > core::kConditionsMax) {
    throw InvalidArgument(std::string(field), std::to_string(conditions.size()),
                          "be at most " + std::to_string(core::kConditionsMax) + " conditions");
  }
  for (const PropertyCondition& condition : conditions) {
    const std::string name = std::string(field) + "[" + std::to_string(tests_.size()) + "]";
    auto path = journal::check_pointer(name, condition.pointer);
    check_value(name, condition.op, condition.value);
    tests_.push_back({std::move(path), condition.op, condition.value});
    // With its length, so that no pointer can pass for the rest of a condition.
    fingerprint_ += "\nwhere " + std::to_string(condition.pointer.size()) + ":" +
                    condition.pointer + " " + std::string(to_string(condition.op)) + " " +
                    text_of(condition.value);
  }
}

bool PropertyFilter::matches(std::string_view properties) const {
  if (tests_.empty()) return true;
  const json parsed = json::parse(properties, nullptr, false);
  if (!parsed.is_object()) throw Corrupt("stored properties are not a JSON object");
  return std::all_of(tests_.begin(), tests_.end(),
                     [&](const Test& test) { return test.holds(parsed); });
}

bool PropertyFilter::Test::holds(const nlohmann::json& properties) const {
  const json* there = value_at(properties, path);
  if (there == nullptr) return op == Op::absent;
  const std::partial_ordering order = std::visit(Comparison{*there}, value);
  switch (op) {
    case Op::eq: return order == 0;
    case Op::ne: return order != 0;
    case Op::lt: return order < 0;
    case Op::le: return order <= 0;
    case Op::gt: return order > 0;
    case Op::ge: return order >= 0;
    case Op::exists: return true;
    case Op::absent: return false;
  }
  return false;
}

}  // namespace journal
}  // namespace holdfast
