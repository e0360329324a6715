#include "text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <holdfast/core/input.h>
#include <holdfast/core/json_text.h>

#include "style.h"

namespace holdfast::cli {
namespace {

/// A character of a text that is not empty; `bytes` is 0 for NUL and for a malformed byte.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};

Character first_character(std::string_view text) {
  for (std::size_t bytes = 1; bytes <= std::min<std::size_t>(4, text.size()); ++bytes) {
    if (!core::is_text(text.substr(0, bytes))) continue;
    const auto lead = static_cast<unsigned char>(text.front());
    char32_t code = bytes == 1 ? lead : lead & (0xFFU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
      code = (code << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
    }
    return {code, bytes};
  }
  return {};
}

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t size>
bool is_in(const std::array<Range, size>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

/// Controls, separators that end a line, marks and overrides of direction.
constexpr std::array kHidden = {Range{0x00, 0x1F},     Range{0x7F, 0x9F},
                                Range{0x200E, 0x200F}, Range{0x2028, 0x202E},
                                Range{0x2066, 0x2069}, Range{0xFEFF, 0xFEFF}};
/// The usual ranges of combining marks and of East Asian wide characters and emoji.
constexpr std::array kNarrow = {Range{0x300, 0x36F}, Range{0x200B, 0x200D}, Range{0xFE00, 0xFE0F}};
constexpr std::array kWide = {Range{0x1100, 0x115F},   Range{0x2E80, 0xA4CF},
                              Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
                              Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
                              Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1FAFF},
                              Range{0x20000, 0x3FFFD}};

std::size_t columns_of(char32_t code) {
  if (is_in(kNarrow, code)) return 0;
  return is_in(kWide, code) ? 2 : 1;
}

std::string escaped(char32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  std::array<char, 16> out{};
  std::snprintf(out.data(), out.size(), code < 0x100 ? "\\x%02x" : "\\u%04x",
                static_cast<unsigned>(code));
  return out.data();
}

void pad(std::string& line, std::size_t count) { line.append(count, ' '); }

}  // namespace

std::string printable(std::string_view text, Lines lines) {
  std::string out;
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    if (next.bytes == 0) {
      out += escaped(static_cast<unsigned char>(text.front()));
    } else if (is_in(kHidden, next.code) && !(next.code == '\n' && lines == Lines::many)) {
      out += escaped(next.code);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  if (core::is_text(text)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t bytes = first_character(text).bytes;
    out += bytes == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

std::string json_string(std::string_view text) {
  std::string out;
  core::append_json_string(out, valid_utf8(text));
  return out;
}

std::string json_array(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ',';
    out += item;
  }
  return out + "]";
}

std::size_t columns(std::string_view text) {
  std::size_t total = 0;
  while (!text.empty()) {
    const Character next = first_character(text);
    total += next.bytes == 0 ? 1 : columns_of(next.code);
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  return total;
}

std::string shortened(std::string_view text, std::size_t columns_max) {
  constexpr std::string_view kCut = "...";
  // A character is at least one byte, so a short text needs no measuring.
  if (text.size() <= columns_max || columns(text) <= columns_max) return std::string(text);
  std::size_t used = kCut.size();
  std::size_t end = 0;
  while (end < text.size()) {
    const Character next = first_character(text.substr(end));
    used += next.bytes == 0 ? 1 : columns_of(next.code);
    if (used > columns_max) break;
    end += std::max<std::size_t>(next.bytes, 1);
  }
  return std::string(text.substr(0, end)).append(kCut);
}

std::string grouped(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, 1, ',');
  return out;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return grouped(number) + " " + std::string(number == 1 ? one : many);
}

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(column.heading.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string out;
  const auto write = [&](const std::vector<std::string>& cells, bool is_heading) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) pad(line, 2);
      const std::size_t blanks = widths[i] - columns(cells[i]);
      if (columns_[i].align == Align::right) pad(line, blanks);
      line += cells[i];
      if (columns_[i].align == Align::left) pad(line, blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += (is_heading ? styled(Style::heading, line) : line) + "\n";
  };
  std::vector<std::string> headings;
  for (const Column& column : columns_) headings.push_back(column.heading);
  write(headings, true);
  for (const auto& row : rows_) write(row, false);
  return out;
}

FieldList& FieldList::add(std::string name, std::string_view value) {
  fields_.emplace_back(std::move(name), printable(value, Lines::many));
  return *this;
}

std::string FieldList::text() const {
  std::size_t width = 0;
  for (const auto& [name, value] : fields_) width = std::max(width, name.size());
  std::string out;
  for (const auto& [name, value] : fields_) {
    std::string line = "  " + name;
    pad(line, width - name.size() + 2);
    const std::size_t indent = line.size();
    for (const char c : value) {
      line += c;
      if (c == '\n') pad(line, indent);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace holdfast::cli
