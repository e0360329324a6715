#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <holdfast/core/error.h>

namespace holdfast {

using Embedding = std::vector<float>;

/// The texts themselves are refused, now and whenever they are tried again as they are: too long,
/// empty for the model, not allowed. Of several texts that were given together, at least one will
/// not do, or they are too much together. `what()` says why, without text and without credentials.
class EmbeddingRefused : public Error {
 public:
  using Error::Error;
  const char* code() const noexcept override { return "embedding_refused"; }
};

/// There was no answer, or none that can be used, which may pass: the endpoint is down, overloaded
/// or limits the rate. Nothing is known of the texts.
class EmbeddingUnavailable : public Error {
 public:
  using Wait = std::optional<std::chrono::microseconds>;
  explicit EmbeddingUnavailable(const std::string& message, Wait retry_after = {})
      : Error(message), retry_after_(retry_after) {}
  const char* code() const noexcept override { return "unavailable"; }
  /// How long the endpoint asks to be left alone, when it says so.
  Wait retry_after() const noexcept { return retry_after_; }

 private:
  Wait retry_after_;
};

/// Turns texts into vectors. Whoever implements one says of each failure what can be done: throw
/// EmbeddingRefused for texts that will never do, Unavailable for what only another setting mends
/// (a key that is missing or wrong, an unknown model), and anything else, best
/// EmbeddingUnavailable, for what may pass.
/// Thread safety: any number of calls at once.
class Embedder {
 public:
  virtual ~Embedder() = default;
  /// One vector for each text, in their order. All of one dimension, that of the model; every
  /// component finite.
  virtual std::vector<Embedding> embed(std::span<const std::string> texts) = 0;
  /// The same for a caller that has no use for the answer after `stop`: whoever waits for others
  /// may then fail at once, by EmbeddingUnavailable.
  virtual std::vector<Embedding> embed_until(std::span<const std::string> texts,
                                             const std::stop_token&) {
    return embed(texts);
  }
};

/// A host's own embedders, by the name that models are declared with.
using Embedders = std::map<std::string, std::shared_ptr<Embedder>, std::less<>>;

}  // namespace holdfast
