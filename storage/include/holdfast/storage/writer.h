#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <holdfast/core/environment.h>
#include <holdfast/storage/histogram.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::storage {

class WriteSession;

/// What a change asks for when it has run.
enum class Verdict {
  keep,  ///< commit what it wrote
  undo,  ///< take back what it wrote; it was refused
};

/// Counters since the store was opened.
struct WriterStats {
  std::uint64_t commits = 0;
  std::uint64_t changes = 0;   ///< members of committed batches that were kept
  std::uint64_t undone = 0;    ///< members that were refused or failed
  std::uint64_t batch_max = 0;
  std::uint64_t unknown = 0;   ///< commits whose outcome was unknown
  Histogram batch_sizes;       ///< changes kept, for each commit
  Histogram commit_us;         ///< microseconds that COMMIT took, its sync included
  /// Microseconds that each transaction waited, before it began, for the lock that processes share;
  /// 0 where nobody else wanted it.
  Histogram lock_wait_us;
};

/// The one writer of a store. Callers from any thread hand in changes; the first that waits leads:
/// it runs all waiting changes, each in its own savepoint, in one transaction, and commits once
/// (group commit). A change may run more than once and must start from nothing each time: it sets
/// its results afresh, does no I/O, calls no model and waits for nothing.
/// Thread safety: any thread; not from within a change.
class Writer {
 public:
  /// All must outlive the writer.
  Writer(WriteSession& session, core::Environment& environment);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  using Change = std::function<Verdict(Transaction&)>;
  /// Returns when the change is durable, or undone as it asked. What the change throws comes out
  /// here, with nothing written. Throws Busy, Full, Unavailable (nothing written) and, when the
  /// commit failed half-way, OutcomeUnknown with `request_id`; after that every call is refused
  /// with Unavailable until a barrier commit has settled what happened.
  void submit(const Change& change, std::string_view request_id);

  WriterStats stats() const;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace holdfast::storage
