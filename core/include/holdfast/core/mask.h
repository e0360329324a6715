#pragma once

// Thread safety: any thread; nothing here has state of its own.

#include <cstddef>
#include <string>
#include <string_view>

#include <holdfast/core/json_text.h>

namespace holdfast::core {

inline constexpr std::size_t kMaskedBytesMax = 4096;

/// A text from outside, such as an error, as it may be stored and logged: what looks like a
/// credential is replaced by `[masked]`, NUL and each byte that is not UTF-8 by `?`, and it is cut
/// to 4 KiB. Any other text stays byte for byte, a masked one too. Takes any input, and looks at
/// its first 16 KiB.
///
/// Masked are keys and tokens of known forms, private keys, passwords in URLs, and the values of
/// names that end like a secret's (password, token, apiKey, ...): `name=value`, `"name": "value"`,
/// within JSON in a string too, and `--name value`. Of an Authorization header all but a known
/// scheme goes, be it `denied for bob`. A bare value ends at a space: the rest of a password with
/// spaces is not known for one. Prose that speaks of credentials, and null and the like, stay.
std::string mask_credentials(std::string_view text);

/// The same for each string of a JSON object, and for values whose key ends like a secret's; keys
/// stay. Strings over 4 KiB are cut.
JsonObject mask_credentials(const JsonObject& object);

}  // namespace holdfast::core
