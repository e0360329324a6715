#include "utf8.h"

#include <holdfast/core/printable.h>

#include <cstdint>
#include <cstring>

namespace holdfast::core {

namespace {

constexpr Utf8Character kMalformed{0, 0};

struct Lead {
  std::size_t bytes;
  char32_t bits;
  char32_t code_min;  ///< below this the form is overlong
};

Lead read_lead(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, byte & 0x1FU, 0x80};
  if (byte < 0xF0) return {3, byte & 0x0FU, 0x800};
  if (byte < 0xF5) return {4, byte & 0x07U, 0x10000};
  return {0, 0, 0};
}

}  // namespace

Utf8Character first_utf8(std::string_view text) {
  const Lead lead = read_lead(static_cast<unsigned char>(text.front()));
  if (lead.bytes == 0 || lead.bytes > text.size()) return kMalformed;
  char32_t code = lead.bits;
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U) return kMalformed;
    code = (code << 6U) | (byte & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < lead.code_min || code > 0x10FFFF || surrogate) return kMalformed;
  return {code, lead.bytes};
}

void append_utf8(std::string& out, char32_t code) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((code >> shift) & 0x3FU));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | (code >> 6U));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | (code >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (code >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::size_t ascii_prefix(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::size_t at = 0;
  while (text.size() - at >= sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
    at += sizeof word;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
}

std::string printable(std::string_view text, std::size_t bytes_max) {
  constexpr std::string_view kCut = "...";
  std::string out;
  std::size_t cut_at = 0;  // the last boundary that leaves room for kCut
  while (!text.empty()) {
    const Utf8Character next = first_utf8(text);
    const bool shown = next.bytes != 0 && !is_control(next.code);
    const std::size_t taken = next.bytes == 0 ? 1 : next.bytes;
    if (out.size() + (shown ? taken : 1) > bytes_max) {
      out.resize(cut_at);
      return out.append(kCut);
    }
    if (shown) {
      out.append(text.substr(0, taken));
    } else {
      out += '?';
    }
    if (out.size() + kCut.size() <= bytes_max) cut_at = out.size();
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace holdfast::core
