#pragma once

// Thread safety: any thread; nothing here has state of its own.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::core {

std::array<std::uint8_t, 32> sha256(std::string_view bytes);
std::string to_hex(std::string_view bytes);

}  // namespace holdfast::core
