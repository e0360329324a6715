#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include <holdfast/journal/write_result.h>

namespace holdfast {

/// What a host's own metrics are told, as it happens. Called in the thread that the event happened
/// in, outside transactions; must not call the store. Names and numbers, never contents.
/// Thread safety: must be safe from any thread.
class Metrics {
 public:
  virtual ~Metrics() = default;
  /// A write ended: the kind of row or "plan", and how. A conflict is an outcome here.
  virtual void on_write(std::string_view kind, Outcome outcome) = 0;
  /// An update lost its race and starts over.
  virtual void on_retry(std::string_view kind) = 0;
  /// A request had been applied before, and its answer was given again.
  virtual void on_repeated_request(std::string_view kind) = 0;
};

/// Counts writes by how they ended. Thread safety: any thread.
class Meter {
 public:
  explicit Meter(Metrics* host) : host_(host) {}

  void wrote(std::string_view kind, Outcome outcome, bool repeated);
  void retried(std::string_view kind);

  struct Counts {
    std::uint64_t applied = 0;
    std::uint64_t unchanged = 0;
    std::uint64_t conflicts = 0;  ///< refused because what was read had moved
    std::uint64_t refused = 0;    ///< refused by another rule
    std::uint64_t retries = 0;
    std::uint64_t repeated_requests = 0;
  };
  Counts counts() const;

 private:
  Metrics* host_;
  std::atomic<std::uint64_t> applied_{0};
  std::atomic<std::uint64_t> unchanged_{0};
  std::atomic<std::uint64_t> conflicts_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> retries_{0};
  std::atomic<std::uint64_t> repeated_{0};
};

}  // namespace holdfast
