#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace holdfast::core {

/// For UUIDv5 alone, which is defined by it; not a protection against anyone.
std::array<std::uint8_t, 20> sha1(std::string_view bytes);

}  // namespace holdfast::core
