#include <holdfast/core/id.h>

#include <holdfast/core/digest.h>
#include <holdfast/core/error.h>

#include "sha1.h"

#include <algorithm>
#include <cstring>

namespace holdfast {

namespace {

constexpr std::size_t kTextSize = 36;

constexpr bool hyphen_at(std::size_t position) {
  return position == 8 || position == 13 || position == 18 || position == 23;
}

/// The value of a hexadecimal digit, or -1.
int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool read_uuid(std::string_view text, Uuid& out) {
  if (text.size() != kTextSize) return false;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < kTextSize; ++i) {
    if (hyphen_at(i)) {
      if (text[i] != '-') return false;
      continue;
    }
    const int value = hex_value(text[i]);
    if (value < 0) return false;
    std::uint8_t& byte = out.bytes[digits / 2];
    byte = static_cast<std::uint8_t>((byte << 4U) | value);
    ++digits;
  }
  return true;
}

std::string_view as_text(const Uuid& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}

}  // namespace

std::string to_string(const Uuid& id) {
  const std::string hex = core::to_hex(as_text(id));
  std::string out;
  out.reserve(kTextSize);
  for (const char c : hex) {
    if (hyphen_at(out.size())) out += '-';
    out += c;
  }
  return out;
}

Uuid parse_uuid(std::string_view field, std::string_view text) {
  Uuid id;
  if (!read_uuid(text, id)) {
    throw InvalidArgument(std::string(field), std::string(text.substr(0, 256)),
                          "be a UUID of 36 characters, such as "
                          "018f4d3c-6a70-7c3e-9b1a-0242ac120002");
  }
  return id;
}

Uuid uuid_v5(const Uuid& name_space, std::string_view name) {
  const auto digest = core::sha1(std::string(as_text(name_space)).append(name));
  Uuid id;
  std::copy_n(digest.begin(), id.bytes.size(), id.bytes.begin());
  id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0FU) | 0x50U);
  id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3FU) | 0x80U);
  return id;
}

}  // namespace holdfast

std::size_t std::hash<holdfast::Uuid>::operator()(const holdfast::Uuid& id) const noexcept {
  std::uint64_t high;
  std::uint64_t low;
  std::memcpy(&high, id.bytes.data(), sizeof high);
  std::memcpy(&low, id.bytes.data() + sizeof high, sizeof low);
  // Ids of one moment share most of `high`; an odd factor spreads the rest over all bits.
  return static_cast<std::size_t>(low ^ (high * 0x9E3779B97F4A7C15U));
}
