#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::core {

/// A code point and the bytes that spelled it; `bytes` is 0 when they are not well-formed.
struct Utf8Character {
  char32_t code;
  std::size_t bytes;
};

/// The first character of a text that is not empty. Refuses overlong forms, surrogates and code
/// points above U+10FFFF.
Utf8Character first_utf8(std::string_view text);
void append_utf8(std::string& out, char32_t code);
/// How many bytes at the start of the text are below 0x80.
std::size_t ascii_prefix(std::string_view text);
/// C0, DEL, C1, and the line and paragraph separators, which break a line just as well.
bool is_control(char32_t code);

}  // namespace holdfast::core
