#pragma once

#include <cstddef>
#include <memory>

#include <holdfast/core/environment.h>
#include <holdfast/vectors/embedder.h>
#include <holdfast/vectors/embedder_spec.h>

namespace holdfast::vectors {

class ConnectionPool;

/// Texts go to an endpoint that speaks OpenAI's `POST /v1/embeddings`.
///
/// 400, 413 and 422 are EmbeddingRefused; 408, 425, 429, every 5xx, an answer that cannot be read
/// and no answer at all are EmbeddingUnavailable, with what Retry-After says; every other status, a
/// key that is not there, vectors of another dimension and a redirect to another host are
/// Unavailable. No message shows the key, or a text as a whole, even where the endpoint's does.
/// Thread safety: any number of calls at once.
class HttpEmbedder final : public Embedder {
 public:
  /// `spec` has passed check_embedder_spec(). The clock must outlive this.
  HttpEmbedder(HttpEmbedderSpec spec, std::size_t dimension, core::Clock& clock);
  ~HttpEmbedder() override;
  /// Reads the key from the process's environment, which must not be changed meanwhile.
  std::vector<Embedding> embed(std::span<const std::string> texts) override;
  /// Gives up the request within a second of `stop`.
  std::vector<Embedding> embed_until(std::span<const std::string> texts,
                                     const std::stop_token& stop) override;

 private:
  HttpEmbedderSpec spec_;
  std::size_t dimension_;
  core::Clock& clock_;
  std::unique_ptr<ConnectionPool> connections_;
};

}  // namespace holdfast::vectors
