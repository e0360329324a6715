#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
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
  /// What ended the run before its time, when some texts had their outcome by then.
  std::exception_ptr interrupted{};
};

struct EmbeddingOptions {
  std::size_t batch_texts = 64;          ///< most texts of one call of the embedder
  std::size_t batch_bytes = 256 * 1024;  ///< and most of their bytes, unless one alone has more
  int attempts = 5;                      ///< at one batch, before the endpoint counts as down
  /// The pause behind a failure, random between half and all of what doubles from the one to the
  /// other.
  std::chrono::milliseconds backoff_min{500};
  std::chrono::milliseconds backoff_max{30'000};
  /// While an endpoint asks to be left alone, no request is made; for longer than this it counts as
  /// down.
  std::chrono::milliseconds retry_after_max{120'000};
  double requests_per_minute = 0;  ///< of all threads, evenly spaced; 0: no limit
};

/// Throws InvalidArgument for options out of bounds.
void check_embedding_options(const EmbeddingOptions& options);

/// Embeds any number of texts in batches and tells three things apart: what may pass is tried again
/// after a pause; a text that will never do is found by halving its batch, and alone is reported as
/// failed; and an endpoint that is down, or refuses everything, fails the run but never a text. To
/// know which it is, a plain word is embedded as a probe: a text's refusal counts when the endpoint
/// takes the probe behind it; a text that goes on failing, when it does so `attempts` times, each
/// between two probes that succeed.
/// Thread safety: any number of calls at once; they share the rate limit.
class ReliableEmbedder {
 public:
  /// What it refers to must outlive it. Throws InvalidArgument for options out of bounds.
  ReliableEmbedder(Embedder& embedder, std::size_t dimension, core::Environment& environment,
                   const EmbeddingOptions& options = {});

  /// A vector that check_vector() refuses fails its text. What
  /// ends the run is thrown when no text has an outcome yet: EmbeddingUnavailable when the endpoint
  /// is down; Unavailable when a setting must change first, when not even the probe is taken, and
  /// when the embedder answers with another number of vectors than of texts, which is a bug of its.
  /// After `stop` it returns what it has.
  EmbeddingRun embed(std::span<const std::string> texts, const std::stop_token& stop = {});

 private:
  class Run;

  /// Waits for this request's place in the rate; false when stopped meanwhile.
  bool wait_for_place(const std::stop_token& stop);
  /// No request begins before that time is over.
  void hold_off(std::chrono::microseconds duration);
  /// False when stopped meanwhile.
  bool pause(std::chrono::microseconds duration, const std::stop_token& stop);

  Embedder& embedder_;
  std::size_t dimension_;
  core::Environment& environment_;
  EmbeddingOptions options_;
  std::mutex mutex_;
  std::chrono::microseconds next_place_{};  ///< of the clock's elapsed time; guarded by mutex_
};

}  // namespace holdfast::vectors
