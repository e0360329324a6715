#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace holdfast::vectors {

/// XXH3-128: its high, then its low half, each with the highest byte first.
using Checksum = std::array<char, 16>;
Checksum checksum_of(std::span<const char> bytes);

/// checksum_of() of bytes that come in parts.
/// Thread safety: none.
class StreamedChecksum {
 public:
  StreamedChecksum();
  ~StreamedChecksum();
  void add(std::span<const char> bytes);
  Checksum value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::vectors
