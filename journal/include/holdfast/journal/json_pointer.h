#pragma once

// Thread safety: values and functions without state; any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace holdfast::journal {

struct PointerError {
  std::size_t at;  ///< bytes before the one that is wrong
  const char* rule;
};

/// The parts of a JSON pointer (RFC 6901), unescaped; or where it goes wrong. The empty pointer,
/// the whole document, is refused.
std::variant<std::vector<std::string>, PointerError> read_pointer(std::string_view pointer);
/// The same; throws InvalidArgument naming `field` and the byte where it goes wrong.
std::vector<std::string> check_pointer(const std::string& field, const std::string& pointer);

/// What a document has at that place; null when it has nothing there. In an array, only the index
/// of an element, without sign or leading zero, finds something.
const nlohmann::json* value_at(const nlohmann::json& document,
                               const std::vector<std::string>& path);

}  // namespace holdfast::journal
