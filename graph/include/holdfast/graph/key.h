#pragma once

// Thread safety: values and functions without state; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <holdfast/core/json_text.h>

namespace holdfast {

/// A property that names at most one live entity: "/email" of persons, "name" of everything.
struct KeyDeclaration {
  std::string name;                   ///< of the key, unique among the space's projections
  std::optional<std::string> kind{};  ///< of the entities that have it; absent: all kinds
  /// "name", or a JSON pointer (RFC 6901) into `properties`. A string there, 1 to 1,024 bytes, or
  /// an integer is the entity's key; null or nothing there leaves it without one; anything else is
  /// refused.
  std::string path;
  bool operator==(const KeyDeclaration&) const = default;

  /// Reads and writes {"kind":...,"path":...}, as the catalogue keeps it.
  static KeyDeclaration parse(std::string_view name, const JsonObject& document);
  JsonObject to_json() const;
};

/// Judges a declaration and puts it in stored form. Throws InvalidArgument.
KeyDeclaration check_key_declaration(const KeyDeclaration& declaration);

/// What a key is looked up by: a string, compared as NFC, or an integer. 42 and "42" are two keys.
class KeyValue {
 public:
  /// Throws InvalidArgument("value") unless it is 1 to 1,024 bytes of text.
  KeyValue(std::string_view text);            // NOLINT(google-explicit-constructor)
  KeyValue(const std::string& text) : KeyValue(std::string_view(text)) {}  // NOLINT
  KeyValue(const char* text) : KeyValue(std::string_view(text)) {}         // NOLINT
  KeyValue(std::int64_t number);              // NOLINT(google-explicit-constructor)
  KeyValue(int number) : KeyValue(std::int64_t{number}) {}  // NOLINT
  /// Reads a JSON string or integer. Throws InvalidArgument naming `field`.
  static KeyValue parse(std::string_view field, std::string_view json);

  /// As it is stored and written in JSON: "ann" with its quotes, or 42.
  const std::string& json() const noexcept { return json_; }
  bool operator==(const KeyValue&) const = default;

 private:
  std::string json_;
};

}  // namespace holdfast
