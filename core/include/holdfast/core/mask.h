#pragma once

// Thread safety: any thread; nothing here has state of its own.

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::core {

inline constexpr std::size_t kMaskedBytesMax = 4096;

/// A text from outside, such as an error, as it may be stored and logged: what looks like a
/// credential is replaced by `[masked]`, what is not UTF-8 and NUL by `?`, and it is cut to 4 KiB.
/// Keys and tokens of known forms, values of Authorization headers, passwords in URLs, pairs whose
/// name says that they are secret, private keys. Any other text stays byte for byte. Takes any input.
std::string mask_credentials(std::string_view text);

}  // namespace holdfast::core
