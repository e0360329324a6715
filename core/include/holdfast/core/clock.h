#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast {

/// An instant: microseconds since the Unix epoch, UTC.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

inline std::int64_t to_us(Timestamp at) { return at.time_since_epoch().count(); }
inline Timestamp from_us(std::int64_t us) { return Timestamp(std::chrono::microseconds(us)); }

/// RFC 3339 with microseconds and `Z`, as people read it; years outside 0000-9999 are written as
/// the bare number of microseconds followed by `us`.
std::string to_rfc3339(Timestamp at);
/// Accepts RFC 3339 (any offset, up to 9 digits of a second, those after the sixth dropped, no
/// leap second) or an integer of microseconds, with or without `us` behind it. Throws
/// InvalidArgument naming `field`.
Timestamp parse_timestamp(std::string_view field, std::string_view text);

namespace core {

/// The only source of time. Code that needs the time takes a `Clock&`.
/// Thread safety: all calls may come from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp now() = 0;  ///< wall clock; may step back
  virtual std::chrono::microseconds elapsed() = 0;  ///< monotonic, from an arbitrary start
  virtual void sleep_for(std::chrono::microseconds duration) = 0;
};

class SystemClock final : public Clock {
 public:
  Timestamp now() override;
  std::chrono::microseconds elapsed() override;
  void sleep_for(std::chrono::microseconds duration) override;
};

/// Moves only when told to, or slept on; for tests and simulations.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start) : now_us_(to_us(start)) {}
  Timestamp now() override { return from_us(now_us_.load()); }
  std::chrono::microseconds elapsed() override {
    return std::chrono::microseconds(elapsed_us_.load());
  }
  void sleep_for(std::chrono::microseconds duration) override { advance(duration); }
  void advance(std::chrono::microseconds by) {
    now_us_ += by.count();
    elapsed_us_ += by.count();
  }
  /// Steps the wall clock alone, forwards or back.
  void set(Timestamp at) { now_us_ = to_us(at); }

 private:
  std::atomic<std::int64_t> now_us_;
  std::atomic<std::int64_t> elapsed_us_{0};
};

}  // namespace core
}  // namespace holdfast
