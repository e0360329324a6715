#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// Offsets from UTC as text.
namespace holdfast::schedule {

/// "+05:30", "-0800" or "+02"; nothing for any other text, or beyond 18 hours.
std::optional<std::chrono::seconds> read_offset(std::string_view text);
/// "+05:30", or "+0530" without the colon. Whole minutes only.
std::string write_offset(std::chrono::seconds offset, bool with_colon = true);

/// Two digits at a place, or nothing.
std::optional<int> two_digits(std::string_view text, std::size_t at);

}  // namespace holdfast::schedule
