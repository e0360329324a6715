#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "vectors/segment_format.h"

namespace holdfast::test {

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void put_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// The bytes with the length and the checksums that a segment's file of them would have, so that
/// what lies behind the checksums gets to see them.
inline std::string sealed(std::string bytes) {
  using vectors::checksum_of;
  using vectors::kChecksumBytes;
  constexpr std::size_t kHeaderBytesAt = 12;
  constexpr std::size_t kFileBytesAt = 16;
  if (bytes.size() < vectors::kPreambleBytes + 2 * kChecksumBytes) return bytes;
  const std::uint64_t file_bytes = bytes.size();
  bytes.replace(kFileBytesAt, sizeof(file_bytes), reinterpret_cast<const char*>(&file_bytes),
                sizeof(file_bytes));
  std::uint32_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data() + kHeaderBytesAt, sizeof(header_bytes));
  const auto seal = [&bytes](std::size_t length) {
    const vectors::Checksum checksum = checksum_of({bytes.data(), length - kChecksumBytes});
    std::copy(checksum.begin(), checksum.end(), bytes.data() + length - kChecksumBytes);
  };
  if (header_bytes >= vectors::kPreambleBytes + kChecksumBytes && header_bytes <= bytes.size()) {
    seal(header_bytes);
  }
  seal(bytes.size());
  return bytes;
}

}  // namespace holdfast::test
