#pragma once

#include <string_view>

#include <holdfast/vectors/embedder.h>

namespace holdfast::cli {

/// A JSON array of one or more numbers, each a finite float32. Throws InvalidArgument(field), which
/// shows the text as it was given.
Embedding parse_vector(std::string_view field, std::string_view text);

}  // namespace holdfast::cli
