#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/error.h>

namespace holdfast {

using Embedding = std::vector<float>;

/// The text itself is refused, now and whenever it is tried again as it is: too long, empty for the
/// model, not allowed. `what()` says why, without the text and without credentials.
class EmbeddingRefused : public Error {
 public:
  using Error::Error;
};

/// Turns texts into vectors. Whoever implements one says of each failure what can be done: throw
/// EmbeddingRefused for a text that will never do, and anything else for what may pass, such as an
/// endpoint that cannot be reached.
/// Thread safety: any number of calls at once.
class Embedder {
 public:
  virtual ~Embedder() = default;
  /// One vector for each text, in their order. All of one dimension, that of the model; every
  /// component finite.
  virtual std::vector<Embedding> embed(std::span<const std::string> texts) = 0;
};

/// A host's own embedders, by the name that models are declared with.
using Embedders = std::map<std::string, std::shared_ptr<Embedder>, std::less<>>;

}  // namespace holdfast
