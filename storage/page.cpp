#include <holdfast/storage/page.h>

#include <holdfast/core/digest.h>
#include <holdfast/core/error.h>

namespace holdfast::storage {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

std::string short_digest(std::string_view text) {
  const auto digest = core::sha256(text);
  return core::to_hex({reinterpret_cast<const char*>(digest.data()), 4});
}

[[noreturn]] void refuse(std::string_view cursor, const char* rule) {
  throw InvalidArgument("cursor", std::string(cursor), rule);
}

std::string from_hex(std::string_view hex, std::string_view cursor) {
  std::string bytes;
  if (hex.size() % 2 != 0) refuse(cursor, "be the `next` of an earlier page");
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const auto high = kHex.find(hex[i]);
    const auto low = kHex.find(hex[i + 1]);
    if (high == kHex.npos || low == kHex.npos) refuse(cursor, "be the `next` of an earlier page");
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

}  // namespace

std::string write_cursor(std::string_view query, const std::vector<std::string>& key) {
  std::string body;
  for (const std::string& part : key) body += "-" + core::to_hex(part);
  const std::string tag = short_digest(query);
  // The second digest covers the key, so that a mistyped cursor is an error, not another place.
  return tag + short_digest(tag + body) + body;
}

std::vector<std::string> read_cursor(std::string_view query, std::string_view cursor,
                                     std::size_t key_parts) {
  if (cursor.size() < 16) refuse(cursor, "be the `next` of an earlier page");
  const std::string_view tag = cursor.substr(0, 8);
  const std::string_view body = cursor.substr(16);
  if (cursor.substr(8, 8) != short_digest(std::string(tag) + std::string(body))) {
    refuse(cursor, "be the `next` of an earlier page");
  }
  if (tag != short_digest(query)) {
    refuse(cursor, "come from a list with the same filter, order and space");
  }
  std::vector<std::string> key;
  std::size_t at = 0;
  while (at < body.size()) {
    const std::size_t end = std::min(body.find('-', at + 1), body.size());
    key.push_back(from_hex(body.substr(at + 1, end - at - 1), cursor));
    at = end;
  }
  if (key.size() != key_parts) refuse(cursor, "be the `next` of an earlier page");
  return key;
}

}  // namespace holdfast::storage
