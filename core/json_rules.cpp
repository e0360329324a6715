#include "json_rules.h"

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/limits.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace holdfast::core {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr const char* kIntegerRule = "fit a signed 64-bit integer";
constexpr int kNumberOverflow = 406;  // nlohmann's id of the error for a number beyond double

bool spelled_as_integer(std::string_view token) {
  return token.find_first_of(".eE") == std::string_view::npos;
}

bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool holds_json_object(const std::string& text) {
  const auto first = std::find_if_not(text.begin(), text.end(), is_json_space);
  return first != text.end() && *first == '{' && nlohmann::json::accept(text);
}

/// 1,048,576 for 1048576.
std::string grouped(std::size_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, 1, ',');
  return out;
}

/// Receives the events of one parse and throws at the first broken rule.
class Rules {
 public:
  Rules(std::string_view field, std::string_view text, std::size_t depth_max)
      : field_(field), text_(text), depth_max_(depth_max) {}

  bool null() { return inside(); }
  bool boolean(bool) { return inside(); }
  bool number_integer(std::int64_t) { return inside(); }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      refuse(std::to_string(value), kIntegerRule);
    }
    return inside();
  }
  /// An integer that fits no 64 bits arrives here too, already rounded.
  bool number_float(double, const std::string& token) {
    if (spelled_as_integer(token)) refuse(token, kIntegerRule);
    return inside();
  }
  bool string(const std::string& value) {
    if (open_.empty() && holds_json_object(value)) {
      refuse(text_, "be a JSON object, not a string that holds one: it was encoded twice");
    }
    check_no_nul(value);
    return inside();
  }
  [[noreturn]] bool binary(const std::vector<std::uint8_t>&) { refuse(text_, "be JSON text"); }

  bool start_object(std::size_t) { return open(); }
  bool end_object() {
    refuse_repeated_key(open_.back());
    keys_.resize(open_.back());
    open_.pop_back();
    return true;
  }
  bool start_array(std::size_t) { return inside() && open(); }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool key(std::string& name) {
    check_no_nul(name);
    keys_.push_back(std::move(name));
    return true;
  }

  [[noreturn]] bool parse_error(std::size_t position, const std::string& token,
                                const nlohmann::json::exception& error) {
    if (error.id != kNumberOverflow) {
      refuse(text_, "be well-formed JSON; the error is at byte " + std::to_string(position));
    }
    refuse(token, spelled_as_integer(token) ? kIntegerRule : "be a finite number");
  }

 private:
  [[noreturn]] void refuse(std::string_view value, std::string rule) const {
    throw InvalidArgument(std::string(field_), std::string(value.substr(0, 256)), std::move(rule));
  }
  /// Everything but the outermost object must lie in something.
  bool inside() const {
    if (open_.empty()) refuse(text_, "be a JSON object");
    return true;
  }
  bool open() {
    if (open_.size() == depth_max_) {
      refuse(text_, "be at most " + std::to_string(depth_max_) + " levels deep");
    }
    open_.push_back(keys_.size());
    return true;
  }
  void check_no_nul(const std::string& value) const {
    if (value.find('\0') != std::string::npos) refuse(value, "not contain U+0000");
  }
  void refuse_repeated_key(std::size_t first) {
    const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, keys_.end());
    const auto repeated = std::adjacent_find(begin, keys_.end());
    if (repeated != keys_.end()) refuse(*repeated, "be a key only once in its object");
  }

  std::string_view field_;
  std::string_view text_;
  std::size_t depth_max_;
  std::vector<std::string> keys_;  ///< of all open objects, unescaped
  std::vector<std::size_t> open_;  ///< per open object or array, where its keys begin
};

[[noreturn]] void refuse(std::string_view field, std::string_view text, std::string rule) {
  throw InvalidArgument(std::string(field), std::string(text.substr(0, 256)), std::move(rule));
}

}  // namespace

void check_json_object(std::string_view field, std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    refuse(field, text, "be at most " + grouped(limits.bytes) + " bytes of JSON");
  }
  if (text.starts_with(kByteOrderMark)) refuse(field, text, "not begin with a byte-order mark");
  // The parser takes a NUL between tokens for the end of the text.
  if (!is_text(text)) refuse(field, text, "be UTF-8 without U+0000");
  Rules rules(field, text, limits.depth);
  nlohmann::json::sax_parse(text.begin(), text.end(), &rules);
}

std::string minify(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  std::size_t kept_from = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      in_string = !in_string;
    } else if (c == '\\') {
      ++at;  // only strings hold backslashes; what follows may be a quote
    } else if (!in_string && is_json_space(c)) {
      out.append(text.substr(kept_from, at - kept_from));
      kept_from = at + 1;
    }
  }
  return out.append(text.substr(kept_from));
}

}  // namespace holdfast::core
