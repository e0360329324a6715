#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <holdfast/core/error.h>

namespace holdfast::core {

/// One member of an object, as pieces of the object's text.
struct Member {
  std::string_view literal;  ///< the key with its quotes and escapes
  std::string_view value;
};

/// Walks the members of a minified object, or the elements of an array. Text that is not one, which
/// only a damaged row can hold, ends in Corrupt and never in a read past the end.
class MemberReader {
 public:
  explicit MemberReader(std::string_view object_or_array) : text_(object_or_array) {
    take(peek() == '[' ? '[' : '{');
  }

  bool next(Member& out) {
    if (!begins_another('}')) return false;
    const std::size_t key_at = at_;
    skip_string();
    out.literal = text_.substr(key_at, at_ - key_at);
    take(':');
    out.value = take_value();
    return true;
  }

  bool next_element(std::string_view& out) {
    if (!begins_another(']')) return false;
    out = take_value();
    return true;
  }

 private:
  bool begins_another(char end) {
    if (peek() == end) return false;
    if (!first_) take(',');
    first_ = false;
    return true;
  }
  std::string_view take_value() {
    const std::size_t value_at = at_;
    skip_value();
    return text_.substr(value_at, at_ - value_at);
  }
  [[noreturn]] static void fail() { throw Corrupt("stored JSON is not minified"); }
  char peek() const {
    if (at_ >= text_.size()) fail();
    return text_[at_];
  }
  void take(char expected) {
    if (peek() != expected) fail();
    ++at_;
  }
  void skip_string() {
    take('"');
    while (peek() != '"') at_ += peek() == '\\' ? 2 : 1;
    ++at_;
  }
  void skip_value() {
    std::size_t depth = 0;
    for (;;) {
      const char c = peek();
      const bool closes = c == '}' || c == ']';
      if (depth == 0 && (closes || c == ',')) return;
      if (c == '"') {
        skip_string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (closes) --depth;
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool first_ = true;
};

/// The key that a literal with quotes and escapes stands for.
std::string unescaped(std::string_view literal);

}  // namespace holdfast::core
