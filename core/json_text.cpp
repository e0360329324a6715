#include <holdfast/core/json_text.h>

#include <holdfast/core/input.h>

#include "json_rules.h"

#include <nlohmann/json.hpp>

#include <array>
#include <charconv>

namespace holdfast {

JsonObject JsonObject::parse(std::string_view field, std::string_view text,
                             const JsonLimits& limits) {
  core::check_json_object(field, text, limits);
  return JsonObject(core::minify(text));
}

nlohmann::json JsonObject::json() const { return nlohmann::json::parse(text_); }

namespace core {

namespace {

constexpr std::size_t kReservedBytes = 256;

/// The letter of a short escape, or NUL when the character has none.
char short_escape(char c) {
  switch (c) {
    case '"': return '"';
    case '\\': return '\\';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return '\0';
  }
}

void append_escape(std::string& out, char c) {
  if (const char letter = short_escape(c)) {
    out += '\\';
    out += letter;
    return;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out.append("\\u00");
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 0x0FU];
}

template <class Number>
void append_number(std::string& out, Number value) {
  std::array<char, 40> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out.append(text.data(), end);
}

}  // namespace

void append_json_string(std::string& out, std::string_view value) {
  out += '"';
  std::size_t kept_from = 0;
  for (std::size_t at = 0; at < value.size(); ++at) {
    const char c = value[at];
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
    out.append(value.substr(kept_from, at - kept_from));
    append_escape(out, c);
    kept_from = at + 1;
  }
  out.append(value.substr(kept_from));
  out += '"';
}

JsonWriter::JsonWriter() {
  text_.reserve(kReservedBytes);
  text_ += '{';
}

void JsonWriter::key(std::string_view key) {
  if (text_.size() > 1) text_ += ',';
  append_json_string(text_, key);
  text_ += ':';
}

JsonWriter& JsonWriter::string(std::string_view name, std::string_view value) {
  key(name);
  append_json_string(text_, value);
  return *this;
}

JsonWriter& JsonWriter::integer(std::string_view name, long long value) {
  key(name);
  append_number(text_, value);
  return *this;
}

JsonWriter& JsonWriter::unsigned_integer(std::string_view name, unsigned long long value) {
  key(name);
  append_number(text_, value);
  return *this;
}

JsonWriter& JsonWriter::real(std::string_view name, double value) {
  check_finite(name, value);
  key(name);
  const std::size_t start = text_.size();
  append_number(text_, value);
  // Spelled as an integer, 1e20 would be one that JsonObject::parse() refuses.
  if (text_.find_first_of(".e", start) == std::string::npos) text_.append(".0");
  return *this;
}

JsonWriter& JsonWriter::boolean(std::string_view name, bool value) {
  return raw(name, value ? "true" : "false");
}

JsonWriter& JsonWriter::null(std::string_view name) { return raw(name, "null"); }

JsonWriter& JsonWriter::raw(std::string_view name, std::string_view json) {
  key(name);
  text_.append(json);
  return *this;
}

std::string JsonWriter::finish() {
  text_ += '}';
  return std::move(text_);
}

}  // namespace core
}  // namespace holdfast
