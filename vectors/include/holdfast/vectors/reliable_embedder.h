#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include <holdfast/core/environment.h>
#include <holdfast/vectors/embedder.h>

namespace holdfast::vectors {

/// Why a text has no vector and will not get one by trying again.
struct EmbeddingFailure {
  std::string reason;
};

/// The text was not decided upon: the endpoint went away, or the run was stopped, before.
struct NotEmbedded {};

using EmbeddingOutcome = std::variant<NotEmbedded, Embedding, EmbeddingFailure>;

struct EmbeddingRun {
  std::vector<EmbeddingOutcome> outcomes;  ///< one for each text, in their order
  /// Why the run ended before its time, when some texts had their outcome by then.
  std::optional<EmbeddingUnavailable> interrupted{};
};

struct EmbeddingOptions {
  std::size_t batch_texts = 64;          ///< most texts of one call of the embedder
  std::size_t batch_bytes = 256 * 1024;  ///< and most of their bytes, unless one alone has more
  int attempts = 5;                      ///< at one batch, before the endpoint counts as down
  /// The pause behind a failure, random between half and all of what doubles from the one to the
  /// other.
  std::chrono::milliseconds backoff_min{500};
  std::chrono::milliseconds backoff_max{30'000};
  /// An endpoint that asks to be left alone for longer counts as down.
  std::chrono::milliseconds retry_after_max{120'000};
  double requests_per_minute = 0;  ///< of all threads together; 0: no limit
};

/// Embeds any number of texts in batches and tells three things apart: what may pass is tried again
/// after a pause; a text that will never do is found by halving its batch, and alone is reported as
/// failed; and an endpoint that is down fails the run, but never a text. A text counts as failed
/// only by a refusal from an endpoint that takes other texts, or by failing every time between two
/// successes of others: where there are none, a plain text is embedded as a probe.
/// Thread safety: any number of calls at once; they share the rate limit.
class ReliableEmbedder {
 public:
  /// What it refers to must outlive it. Throws InvalidArgument for options out of bounds.
  ReliableEmbedder(Embedder& embedder, std::size_t dimension, core::Environment& environment,
                   const EmbeddingOptions& options = {});

  /// Throws EmbeddingUnavailable when the endpoint is down and no text has an outcome yet, and
  /// Unavailable when a setting must change first, the embedder answers with another number of
  /// vectors than of texts, or refuses even the probe. A vector of another dimension, or with a
  /// component that is not finite, fails its text. After `stop` it returns what it has.
  EmbeddingRun embed(std::span<const std::string> texts, const std::stop_token& stop = {});

 private:
  friend class EmbeddingBatches;
  /// Waits for the rate limit's next token; false when stopped meanwhile.
  bool take_token(const std::stop_token& stop);
  bool pause(std::chrono::microseconds duration, const std::stop_token& stop);

  Embedder& embedder_;
  std::size_t dimension_;
  core::Environment& environment_;
  EmbeddingOptions options_;
  std::mutex mutex_;
  std::chrono::microseconds next_request_{};  ///< of the clock's elapsed time; guarded by mutex_
};

}  // namespace holdfast::vectors
