#include "line_reader.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace holdfast::exchange {
namespace {

constexpr std::size_t kChunkBytes = 64U << 10;
constexpr std::string_view kSyntaxRule = "be well-formed JSON; the error is at byte ";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// One past the string's closing quote, or the end of the text.
std::size_t end_of_string(std::string_view text, std::size_t from) {
  std::size_t at = from + 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

/// The parser counts the byte it stopped at from 1.
std::size_t syntax_column(std::string_view rule) {
  std::size_t column = 0;
  rule.remove_prefix(kSyntaxRule.size());
  std::from_chars(rule.data(), rule.data() + rule.size(), column);
  return column == 0 ? 1 : column;
}

}  // namespace

LineReader::LineReader(std::filesystem::path file) : file_(std::move(file)) {
  std::error_code failed;
  const auto status = std::filesystem::status(file_, failed);
  if (!std::filesystem::exists(status)) throw NotFound("file", file_.string());
  if (std::filesystem::is_directory(status)) {
    throw InvalidArgument("file", file_.string(), "be a file, not a folder");
  }
  in_.open(file_, std::ios::binary);
  if (!in_) throw Unavailable("cannot open " + file_.string());
}

bool LineReader::fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + kChunkBytes);
  in_.read(buffer_.data() + kept, static_cast<std::streamsize>(kChunkBytes));
  if (in_.bad()) throw Unavailable("cannot read " + file_.string());
  buffer_.resize(kept + static_cast<std::size_t>(in_.gcount()));
  return buffer_.size() > kept;
}

bool LineReader::next() {
  std::size_t searched = at_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      text_.assign(buffer_, at_, end - at_);
      at_ = end + 1;
      ++line_;
      return true;
    }
    searched = buffer_.size() - at_;
    if (searched > kLineBytesMax) {
      ++line_;
      refuse(1, "line", "", "be at most 16 MiB");
    }
    if (fill()) continue;
    if (buffer_.empty()) return false;
    text_ = std::move(buffer_);
    buffer_.clear();
    ++line_;
    return true;
  }
}

void LineReader::refuse(std::size_t column, std::string_view field, std::string_view value,
                        std::string rule) const {
  const std::size_t line = std::max<std::size_t>(line_, 1);
  throw InvalidArgument(file_.string() + ":" + std::to_string(line) + ":" +
                            std::to_string(column) + ": " + std::string(field),
                        std::string(value), std::move(rule));
}

void LineReader::refuse(const InvalidArgument& found, std::size_t offset) const {
  const bool is_syntax = found.rule().starts_with(kSyntaxRule);
  const auto text = std::string_view(text_).substr(offset);
  std::size_t column = is_syntax ? syntax_column(found.rule()) : column_of(text, found.field());
  // A rule of the text itself names no member, but what broke it: of a key that is there twice the
  // second place.
  if (column == 1 && !found.value().empty()) {
    const bool is_second = found.rule().find("only once") != std::string::npos;
    const std::size_t at = is_second ? text.rfind(found.value()) : text.find(found.value());
    if (at != std::string_view::npos) column = at + 1;
  }
  if (column == 1) column = first_bad_byte(text);
  refuse(offset + column, found.field(), found.value(),
         is_syntax ? "be well-formed JSON" : found.rule());
}

std::size_t first_bad_byte(std::string_view text) {
  if (const std::size_t nul = text.find("\\u0000"); nul != std::string_view::npos) return nul + 1;
  if (core::is_text(text)) return 1;
  // The longest beginning that is text ends where the bad byte stands, or in the last character
  // before it.
  std::size_t good = 0;
  for (std::size_t bad = text.size(); bad - good > 1;) {
    const std::size_t middle = good + (bad - good) / 2;
    std::size_t cut = middle;  // not within a character
    while (cut > good && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
    if (cut > good && core::is_text(text.substr(good, cut - good))) {
      good = cut;
    } else {
      bad = middle;
    }
  }
  return good + 1;
}

std::size_t column_of(std::string_view text, std::string_view field) {
  const std::string name = '"' + std::string(field.substr(0, field.find_first_of("[."))) + '"';
  std::array<std::size_t, 4> columns{};  // by depth
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0) --depth;
    if (c != '"') {
      ++at;
      continue;
    }
    const std::size_t end = end_of_string(text, at);
    const std::size_t colon = skip_spaces(text, end);
    const bool is_key = colon < text.size() && text[colon] == ':';
    if (is_key && depth < columns.size() && columns[depth] == 0 &&
        text.substr(at, end - at) == name) {
      columns[depth] = skip_spaces(text, colon + 1) + 1;
    }
    at = end;
  }
  if (!text.starts_with("{\"event\"")) columns[3] = 0;  // a member of properties
  for (const std::size_t column : {columns[2], columns[1], columns[3]}) {
    if (column > 0) return column;
  }
  return 1;
}

std::size_t end_of_object(std::string_view text, std::size_t from) {
  std::size_t depth = 0;
  for (std::size_t at = from; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    ++at;
    if ((c == '}' || c == ']') && --depth == 0) return at;
  }
  return std::string_view::npos;
}

}  // namespace holdfast::exchange
