#include <holdfast/core/input.h>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>
#include <holdfast/core/limits.h>

#include "utf8.h"

#include <nlohmann/json.hpp>
#include <utf8proc.h>

#include <cmath>
#include <optional>
#include <cstdlib>
#include <memory>
#include <new>
#include <unordered_set>

namespace holdfast::core {

namespace {

[[noreturn]] void refuse(std::string_view field, std::string_view value, std::string rule) {
  throw InvalidArgument(std::string(field), std::string(value.substr(0, 256)), std::move(rule));
}

std::string with_thousands(std::size_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, 1, ',');
  return out;
}

void check_size(std::string_view field, std::string_view text, std::size_t bytes_max) {
  if (text.empty() || text.size() > bytes_max) {
    refuse(field, text, "be 1 to " + with_thousands(bytes_max) + " bytes");
  }
}

void check_is_text(std::string_view field, std::string_view text) {
  if (!is_text(text)) refuse(field, text, "be UTF-8 without U+0000");
}

void check_no_controls(std::string_view field, std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const Utf8Character next = first_utf8(rest);
    if (is_control(next.code)) refuse(field, text, "not contain control characters");
    rest.remove_prefix(next.bytes);
  }
}

/// ASCII is its own NFC, and most names are ASCII.
std::string to_nfc(std::string_view field, std::string_view text) {
  if (ascii_prefix(text) == text.size()) return std::string(text);
  constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  utf8proc_uint8_t* composed = nullptr;
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                 static_cast<utf8proc_ssize_t>(text.size()), &composed, kOptions);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
  if (size == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
  if (size < 0) refuse(field, text, "be text that has a normal form");
  return std::string(reinterpret_cast<const char*>(composed), static_cast<std::size_t>(size));
}

std::string check_normalised(std::string_view field, std::string_view text,
                             std::size_t bytes_max) {
  check_size(field, text, bytes_max);
  check_is_text(field, text);
  std::string composed = to_nfc(field, text);
  check_size(field, composed, bytes_max);
  return composed;
}

/// The character after this one in byte order, which no surrogate takes part in.
char32_t next_code(char32_t code) { return code == 0xD7FF ? 0xE000 : code + 1; }

}  // namespace

std::string check_name(std::string_view field, std::string_view text) {
  return check_normalised(field, text, kNameBytesMax);
}

void check_content(std::string_view field, std::string_view text) {
  if (text.size() > kContentBytesMax) {
    refuse(field, text, "be at most " + with_thousands(kContentBytesMax) + " bytes");
  }
  check_is_text(field, text);
}

std::string check_space_name(std::string_view text) {
  std::string name = check_normalised("space", text, kSpaceNameBytesMax);
  check_no_controls("space", name);
  return name;
}

std::string check_actor(std::string_view text) {
  std::string actor = check_normalised("actor", text, kActorBytesMax);
  check_no_controls("actor", actor);
  return actor;
}

std::string check_request_id(std::string_view text) {
  if (text.empty() || text.size() > kRequestIdBytesMax || !is_text(text)) {
    refuse("request_id", std::string(text),
           "be 1 to " + with_thousands(kRequestIdBytesMax) + " bytes of UTF-8");
  }
  check_no_controls("request_id", text);
  return std::string(text);
}

std::vector<std::string> check_tags(std::string_view field, const std::vector<std::string>& tags) {
  if (tags.size() > kTagsMax) {
    refuse(field, std::to_string(tags.size()), "be at most " + with_thousands(kTagsMax) + " tags");
  }
  std::vector<std::string> kept;
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    std::string tag = check_name(std::string(field) + '[' + std::to_string(i) + ']', tags[i]);
    if (seen.insert(tag).second) kept.push_back(std::move(tag));
  }
  return kept;
}

void check_finite(std::string_view field, double value) {
  if (!std::isfinite(value)) refuse(field, std::to_string(value), "be a finite number");
}

void check_limit(std::string_view field, std::size_t limit) {
  if (limit < 1 || limit > kPageLimitMax) {
    refuse(field, std::to_string(limit), "be 1 to " + with_thousands(kPageLimitMax));
  }
}

std::string tags_to_json(const std::vector<std::string>& tags) {
  std::string out = "[";
  for (const std::string& tag : tags) {
    if (out.size() > 1) out += ',';
    append_json_string(out, tag);
  }
  out += ']';
  return out;
}

namespace {

/// ["a","b"] without escapes, as nearly all tags are; absent for any other text, which takes a
/// parser. Reads of rows spend less on the row than on a parse.
std::optional<std::vector<std::string>> plain_tags(std::string_view json) {
  if (json.size() < 4 || json.front() != '[' || json.back() != ']') return std::nullopt;
  if (ascii_prefix(json) != json.size()) return std::nullopt;
  std::vector<std::string> tags;
  for (std::size_t at = 1; at < json.size(); ++at) {  // behind '[' or ','
    const std::size_t end = json[at] == '"' ? json.find('"', at + 1) : std::string_view::npos;
    if (end == std::string_view::npos) return std::nullopt;
    tags.emplace_back(json.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  // Whatever escapes, commas or other texts made of it, it is these tags when they are written so.
  if (tags_to_json(tags) != json) return std::nullopt;
  return tags;
}

}  // namespace

std::vector<std::string> tags_from_json(std::string_view json) {
  if (json == "[]") return {};
  if (auto tags = plain_tags(json)) return *std::move(tags);
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  std::vector<std::string> tags;
  if (parsed.is_array()) {
    for (const auto& tag : parsed) {
      if (tag.is_string()) tags.push_back(tag.get<std::string>());
    }
  }
  // Whatever else the text held is missing from what the tags alone would be written as.
  if (tags_to_json(tags) != json) throw Corrupt("stored tags are not a JSON array of strings");
  return tags;
}

bool is_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t ascii = ascii_prefix(text);
    if (text.substr(0, ascii).find('\0') != std::string_view::npos) return false;
    text.remove_prefix(ascii);
    while (!text.empty() && static_cast<unsigned char>(text.front()) >= 0x80) {
      const Utf8Character next = first_utf8(text);
      if (next.bytes == 0) return false;
      text.remove_prefix(next.bytes);
    }
  }
  return true;
}

std::string prefix_end(std::string_view prefix) {
  check_is_text("prefix", prefix);
  // Bytes of UTF-8 order as code points do. Raising the last character, not the last byte, keeps
  // the end well-formed, which PostgreSQL asks of every text.
  std::string end(prefix);
  while (!end.empty()) {
    std::size_t last = end.size() - 1;
    while ((static_cast<unsigned char>(end[last]) & 0xC0U) == 0x80U) --last;
    const char32_t code = first_utf8(std::string_view(end).substr(last)).code;
    end.resize(last);
    if (code == 0x10FFFF) continue;
    append_utf8(end, next_code(code));
    return end;
  }
  return end;
}

}  // namespace holdfast::core
