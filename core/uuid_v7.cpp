#include <holdfast/core/clock.h>
#include <holdfast/core/id.h>
#include <holdfast/core/random.h>

#include "os_random.h"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <mutex>
#include <utility>

namespace holdfast::core {

namespace {

constexpr std::int64_t kMillisecondsMax = (std::int64_t{1} << 48U) - 1;
constexpr std::uint64_t kCounterMax = 0x0FFF;
/// A fresh counter starts in the lower half, so that a burst has 2,048 steps at least.
constexpr std::uint64_t kCounterStartMask = 0x07FF;

/// Random words from the operating system, fetched 64 at a time.
class OsWords {
 public:
  std::uint64_t operator()() {
    // A forked child must not hand out the words that its parent still holds.
    const pid_t process = ::getpid();
    if (used_ == words_.size() || process != process_) {
      fill_from_os(words_.data(), sizeof words_);
      used_ = 0;
      process_ = process;
    }
    return words_[used_++];
  }

 private:
  std::array<std::uint64_t, 64> words_{};
  std::size_t used_ = words_.size();
  pid_t process_ = 0;
};

class SeededWords {
 public:
  explicit SeededWords(std::uint64_t seed) : random_(seed) {}
  std::uint64_t operator()() { return random_.next(); }

 private:
  Random random_;
};

/// RFC 9562, section 6.2, method 1: `rand_a` is a counter that advances while the millisecond does
/// not, and borrows the next millisecond when it is spent.
template <class Words>
class UuidV7Source final : public IdSource {
 public:
  template <class... Args>
  explicit UuidV7Source(Clock& clock, Args&&... args)
      : clock_(clock), words_(std::forward<Args>(args)...) {}

  Uuid next() override {
    const std::lock_guard lock(mutex_);
    advance();
    return compose(words_());
  }

 private:
  void advance() {
    const auto read =
        std::chrono::floor<std::chrono::milliseconds>(clock_.now()).time_since_epoch().count();
    // A clock outside what 48 bits hold counts as one that stands still.
    if (read > last_ms_ && read <= kMillisecondsMax) {
      last_ms_ = read;
      counter_ = words_() & kCounterStartMask;
    } else if (counter_ < kCounterMax) {
      ++counter_;
    } else {
      ++last_ms_;
      counter_ = 0;
    }
  }

  Uuid compose(std::uint64_t random) const {
    const std::uint64_t high =
        (static_cast<std::uint64_t>(last_ms_) << 16U) | 0x7000U | counter_;
    const std::uint64_t low = (random & 0x3FFFFFFFFFFFFFFFU) | 0x8000000000000000U;
    Uuid id;
    for (unsigned i = 0; i < 8; ++i) {
      id.bytes[i] = static_cast<std::uint8_t>(high >> (56U - 8U * i));
      id.bytes[8 + i] = static_cast<std::uint8_t>(low >> (56U - 8U * i));
    }
    return id;
  }

  Clock& clock_;
  std::mutex mutex_;
  Words words_;
  std::int64_t last_ms_ = 0;
  std::uint64_t counter_ = 0;
};

}  // namespace

std::unique_ptr<IdSource> make_uuid_v7_source(Clock& clock) {
  return std::make_unique<UuidV7Source<OsWords>>(clock);
}

std::unique_ptr<IdSource> make_seeded_id_source(Clock& clock, std::uint64_t seed) {
  return std::make_unique<UuidV7Source<SeededWords>>(clock, seed);
}

}  // namespace holdfast::core
