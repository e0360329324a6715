#pragma once

#include <string>
#include <string_view>

#include <holdfast/core/json_text.h>

namespace holdfast::core {

/// Applies every input rule of JsonObject::parse() to the text; returns when all are met.
void check_json_object(std::string_view field, std::string_view text,
                       const JsonLimits& limits = {});
/// The same JSON without the whitespace between tokens. The text must be well-formed.
std::string minify(std::string_view text);

}  // namespace holdfast::core
