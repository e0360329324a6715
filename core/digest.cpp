#include <holdfast/core/digest.h>

#include <holdfast/core/error.h>

#include "sha1.h"

#include <openssl/evp.h>

namespace holdfast::core {

namespace {

template <std::size_t Size>
std::array<std::uint8_t, Size> digest(std::string_view bytes, const EVP_MD* kind) {
  std::array<std::uint8_t, Size> out{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, kind, nullptr) != 1 ||
      size != Size) {
    throw Unavailable("the cryptographic library cannot compute a digest");
  }
  return out;
}

}  // namespace

std::array<std::uint8_t, 32> sha256(std::string_view bytes) {
  return digest<32>(bytes, EVP_sha256());
}

std::array<std::uint8_t, 20> sha1(std::string_view bytes) { return digest<20>(bytes, EVP_sha1()); }

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 0x0FU];
  }
  return out;
}

}  // namespace holdfast::core
