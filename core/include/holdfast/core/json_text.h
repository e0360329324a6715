#pragma once

// Thread safety: values and functions without state; any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <holdfast/core/limits.h>

namespace holdfast {

/// One member of an object: the key unescaped, the value as its text.
struct JsonMember {
  std::string key;
  std::string_view value;  ///< into the object's text; valid while that lives
};

/// How much text an object may have, and how many levels of objects and arrays.
struct JsonLimits {
  std::size_t bytes = core::kJsonBytesMax;
  std::size_t depth = core::kJsonDepthMax;
};

/// A JSON object as its exact minified text: key order and number spelling are the writer's own.
/// What this holds has passed the input rules, so it can be stored, compared and hashed as is.
class JsonObject {
 public:
  JsonObject() : text_("{}") {}
  /// Judges and minifies text from outside. Refuses, naming `field`: anything but an object, over
  /// the limits (1 MiB, 64 levels), a repeated key, a non-finite number, an integer beyond signed
  /// 64 bits, text that is not UTF-8, U+0000, a byte-order mark, anything after the end. A string
  /// whose text is itself a JSON object is refused with a hint (it was encoded twice).
  static JsonObject parse(std::string_view field, std::string_view text,
                          const JsonLimits& limits = {});
  /// Takes text that parse() has accepted before, such as a stored row's.
  static JsonObject trusted(std::string text) { return JsonObject(std::move(text)); }

  const std::string& text() const noexcept { return text_; }
  nlohmann::json json() const;  ///< costs a parse
  std::vector<JsonMember> members() const;  ///< in the order of the text
  bool operator==(const JsonObject&) const = default;

 private:
  explicit JsonObject(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// JSON merge patch (RFC 7396) as a splice over the text: members the patch does not name keep
/// their place and spelling; new members come last, in the patch's order. Throws InvalidArgument
/// naming `field` when the result breaks a limit.
JsonObject merge_patch(std::string_view field, const JsonObject& target, const JsonObject& patch);

namespace core {

/// Builds one flat JSON object by appending members; raw() splices text that is JSON already.
class JsonWriter {
 public:
  JsonWriter();
  JsonWriter& string(std::string_view key, std::string_view value);
  JsonWriter& integer(std::string_view key, long long value);
  JsonWriter& unsigned_integer(std::string_view key, unsigned long long value);
  /// The shortest text that reads back equal and is not an integer's: `1.0`, `1e+300`. Throws
  /// InvalidArgument when the value is not finite.
  JsonWriter& real(std::string_view key, double value);
  JsonWriter& boolean(std::string_view key, bool value);
  JsonWriter& null(std::string_view key);
  JsonWriter& raw(std::string_view key, std::string_view json);
  /// Ends the object and hands the text over; the writer is spent.
  std::string finish();

 private:
  void key(std::string_view key);
  std::string text_;
};

/// Appends a JSON string literal; control characters, quote and backslash escaped, UTF-8 as is.
void append_json_string(std::string& out, std::string_view value);

}  // namespace core
}  // namespace holdfast
