#pragma once

// Thread safety: any thread; nothing here has state of its own.

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::core {

/// The text with `?` for each control character and each malformed byte; above `bytes_max` it is
/// cut between characters and ends in "...".
std::string printable(std::string_view text, std::size_t bytes_max);

}  // namespace holdfast::core
