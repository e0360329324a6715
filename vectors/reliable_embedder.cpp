#include <holdfast/vectors/reliable_embedder.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <holdfast/core/error.h>
#include <holdfast/core/printable.h>

#include "dimension.h"
#include "vector_array.h"

namespace holdfast::vectors {
namespace {

using std::chrono::microseconds;

constexpr std::size_t kReasonBytesMax = 300;

struct Stopped {};

/// How one call of the embedder ended.
struct Attempt {
  enum class End { done, refused, failed } end;
  std::string reason{};
  EmbeddingUnavailable::Wait retry_after{};

  bool is(End which) const { return end == which; }
};
using End = Attempt::End;

}  // namespace

void check_embedding_options(const EmbeddingOptions& options) {
  const auto check = [](bool holds, const char* field, const std::string& value,
                        const char* rule) {
    if (!holds) throw InvalidArgument(field, value, rule);
  };
  check(options.batch_texts >= 1, "batch_texts", std::to_string(options.batch_texts),
        "be at least 1");
  check(options.attempts >= 1, "attempts", std::to_string(options.attempts), "be at least 1");
  check(options.backoff_min.count() >= 0, "backoff_min",
        std::to_string(options.backoff_min.count()), "not be negative");
  check(options.backoff_max >= options.backoff_min, "backoff_max",
        std::to_string(options.backoff_max.count()), "be at least backoff_min");
  check(options.requests_per_minute >= 0 && std::isfinite(options.requests_per_minute),
        "requests_per_minute", std::to_string(options.requests_per_minute),
        "be 0 or a positive number");
}

/// One run over the given texts. Parts of them are [first, first + count).
class ReliableEmbedder::Run {
 public:
  Run(ReliableEmbedder& owner, std::span<const std::string> texts, const std::stop_token& stop)
      : owner_(owner), options_(owner.options_), texts_(texts), stop_(stop) {
    run_.outcomes.resize(texts.size());
  }

  EmbeddingRun embed_all() {
    try {
      for (std::size_t first = 0; first < texts_.size();) {
        const std::size_t count = batch_from(first);
        embed_part(first, count, options_.attempts);
        first += count;
      }
    } catch (const Stopped&) {
    } catch (const Error&) {
      if (decided_ == 0) throw;
      run_.interrupted = std::current_exception();
    }
    return std::move(run_);
  }

 private:
  std::size_t batch_from(std::size_t first) const {
    std::size_t bytes = texts_[first].size();
    std::size_t count = 1;
    while (first + count < texts_.size() && count < options_.batch_texts) {
      bytes += texts_[first + count].size();
      if (bytes > options_.batch_bytes) break;
      ++count;
    }
    return count;
  }

  void embed_part(std::size_t first, std::size_t count, int attempts) {
    const Attempt last = try_part(first, count, attempts);
    if (last.is(End::done)) return;
    if (last.is(End::failed)) require_endpoint();
    if (count == 1) return settle(first, last);
    const int attempts_at_half = std::min(options_.attempts, 2);
    embed_part(first, count / 2, attempts_at_half);
    embed_part(first + count / 2, count - count / 2, attempts_at_half);
  }

  /// Decides on a text that was refused or failed alone. Before a failure, and behind it, the
  /// endpoint has taken the probe.
  void settle(std::size_t place, Attempt last) {
    for (int i = 0; i < options_.attempts && last.is(End::failed); ++i) {
      last = try_part(place, 1, 1);
      if (last.is(End::failed)) require_endpoint();
    }
    if (last.is(End::done)) return;
    if (last.is(End::refused)) require_endpoint();
    const bool failed = last.is(End::failed);
    fail(place, (failed ? "fails while others succeed: " : "") + last.reason);
  }

  Attempt try_part(std::size_t first, std::size_t count, int attempts) {
    Attempt last{End::failed};
    std::vector<Embedding> vectors;
    for (int i = 0; i < attempts && last.is(End::failed); ++i) {
      last = call(texts_.subspan(first, count), vectors);
    }
    if (last.is(End::done)) keep(first, vectors);
    return last;
  }

  /// Returns when the endpoint has taken a text that any takes.
  void require_endpoint() {
    static const std::string kProbe = "probe";
    std::vector<Embedding> vectors;
    Attempt last{End::failed};
    for (int i = 0; i < options_.attempts && last.is(End::failed); ++i) {
      last = call(std::span(&kProbe, 1), vectors);
    }
    if (last.is(End::failed)) throw EmbeddingUnavailable(last.reason, last.retry_after);
    if (last.is(End::refused)) {
      throw Unavailable("the embedder takes no text, not even '" + kProbe + "': " + last.reason);
    }
  }

  Attempt call(std::span<const std::string> texts, std::vector<Embedding>& vectors) {
    wait_for_turn();
    Attempt attempt = call_now(texts, vectors);
    if (attempt.is(End::failed) && stop_.stop_requested()) throw Stopped{};
    failures_ = attempt.is(End::failed) ? failures_ + 1 : 0;
    if (attempt.retry_after && *attempt.retry_after > options_.retry_after_max) {
      throw EmbeddingUnavailable(attempt.reason, attempt.retry_after);
    }
    if (attempt.retry_after) owner_.hold_off(*attempt.retry_after);
    return attempt;
  }

  Attempt call_now(std::span<const std::string> texts, std::vector<Embedding>& vectors) {
    try {
      vectors = owner_.embedder_.embed_until(texts, stop_);
    } catch (const EmbeddingRefused& error) {
      return {End::refused, error.what()};
    } catch (const EmbeddingUnavailable& error) {
      return {End::failed, error.what(), error.retry_after()};
    } catch (const Unavailable&) {
      throw;
    } catch (const std::exception& error) {
      return {End::failed, error.what()};
    }
    if (vectors.size() != texts.size()) {
      throw Unavailable("the embedder answered " + std::to_string(texts.size()) + " texts with " +
                        std::to_string(vectors.size()) + " vectors");
    }
    return {End::done};
  }

  /// Pauses behind a failure, and then as the rate wants it.
  void wait_for_turn() {
    const bool goes_on = owner_.pause(backoff(), stop_) && owner_.wait_for_place(stop_);
    if (!goes_on || stop_.stop_requested()) throw Stopped{};
  }

  microseconds backoff() const {
    if (failures_ == 0) return microseconds{0};
    const microseconds most = options_.backoff_max;
    microseconds whole = options_.backoff_min;
    for (int i = 1; i < failures_ && whole < most; ++i) whole *= 2;
    const std::int64_t half = std::min(whole, most).count() / 2;
    return microseconds(half + static_cast<std::int64_t>(owner_.environment_.random.below(
                                   static_cast<std::uint64_t>(half) + 1)));
  }

  void keep(std::size_t first, std::vector<Embedding>& vectors) {
    for (std::size_t i = 0; i < vectors.size(); ++i) keep_one(first + i, vectors[i]);
  }

  void keep_one(std::size_t place, Embedding& vector) {
    if (vector.size() != owner_.dimension_) {
      return fail(place, "the embedder's vector has " + std::to_string(vector.size()) +
                             " components, and the model has " +
                             std::to_string(owner_.dimension_));
    }
    for (std::size_t i = 0; i < vector.size(); ++i) {
      if (std::isfinite(vector[i])) continue;
      return fail(place, "component " + std::to_string(i) + " of the embedder's vector is not a "
                         "finite number");
    }
    if (!fits(vector)) {
      return fail(place, "the embedder's vector is too long: the squares of its components sum to "
                         "over 1e37");
    }
    run_.outcomes[place] = std::move(vector);
    ++decided_;
  }

  void fail(std::size_t place, const std::string& reason) {
    run_.outcomes[place] = EmbeddingFailure{core::printable(reason, kReasonBytesMax)};
    ++decided_;
  }

  ReliableEmbedder& owner_;
  const EmbeddingOptions& options_;
  std::span<const std::string> texts_;
  std::stop_token stop_;
  EmbeddingRun run_;
  std::size_t decided_ = 0;
  int failures_ = 0;  ///< since a call was answered
};

ReliableEmbedder::ReliableEmbedder(Embedder& embedder, std::size_t dimension,
                                   core::Environment& environment,
                                   const EmbeddingOptions& options)
    : embedder_(embedder), dimension_(dimension), environment_(environment), options_(options) {
  check_dimension(dimension);
  check_embedding_options(options);
}

EmbeddingRun ReliableEmbedder::embed(std::span<const std::string> texts,
                                     const std::stop_token& stop) {
  return Run(*this, texts, stop).embed_all();
}

bool ReliableEmbedder::wait_for_place(const std::stop_token& stop) {
  constexpr double kMinuteUs = 60e6;
  microseconds wait{0};
  {
    const std::lock_guard lock(mutex_);
    const microseconds now = environment_.clock.elapsed();
    const microseconds place = std::max(now, next_place_);
    next_place_ = place;
    if (options_.requests_per_minute > 0) {
      const double between = std::min(kMinuteUs / options_.requests_per_minute, 1e15);
      next_place_ += microseconds(std::llround(between));
    }
    wait = place - now;
  }
  return pause(wait, stop);
}

void ReliableEmbedder::hold_off(microseconds duration) {
  const std::lock_guard lock(mutex_);
  next_place_ = std::max(next_place_, environment_.clock.elapsed() + duration);
}

bool ReliableEmbedder::pause(microseconds duration, const std::stop_token& stop) {
  constexpr microseconds kSliceMax{100'000};  // how late a stop may be heard
  core::Clock& clock = environment_.clock;
  const microseconds until = clock.elapsed() + duration;
  while (!stop.stop_requested()) {
    const microseconds left = until - clock.elapsed();
    if (left.count() <= 0) return true;
    clock.sleep_for(std::min(left, kSliceMax));
  }
  return false;
}

}  // namespace holdfast::vectors
