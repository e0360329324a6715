#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <holdfast/storage/writer.h>

#include "write_session.h"

namespace holdfast::storage {

class Seat;

/// One caller's change while it waits. Lives on the caller's stack, and is gone once its seat was
/// told that it is done.
struct Job {
  const Writer::Change* change = nullptr;
  std::string request_id;
  std::exception_ptr error;
  bool kept = false;     ///< asked to be committed in the attempt under way
  bool decided = false;  ///< has its answer, whatever the batch still does
  Seat* seat = nullptr;  ///< where the caller waits
};

/// Runs batches of changes, one transaction each, and settles commits of unknown outcome.
/// Thread safety: one caller at a time, the writer's leader.
class BatchRunner {
 public:
  BatchRunner(WriteSession& session, core::Environment& environment)
      : session_(session), environment_(environment) {}

  /// Every job has its answer when this returns; the store's lock may still be held.
  void run(const std::vector<Job*>& batch, WriterStats& stats);

 private:
  void run_undecided(const std::vector<Job*>& batch, WriterStats& stats);
  /// One transaction over the jobs. Those that it leaves undecided have to be tried again, without
  /// the one that brought it down or one by one.
  void attempt(const std::vector<Job*>& jobs, WriterStats& stats);
  bool run_members(const std::vector<Job*>& jobs, Transaction& transaction);
  void commit(const std::vector<Job*>& jobs, const Transaction& transaction, WriterStats& stats);
  void commit_failed(const std::vector<Job*>& jobs, const CommitResult& result,
                     WriterStats& stats);
  std::uint64_t us_since(std::chrono::microseconds start) const;
  /// Finds out whether the last broken commit is there. Empty when that is known; else what stood
  /// in the way.
  std::string settle();

  /// An earlier commit whose outcome is not known.
  struct Doubt {
    std::optional<Witness> witness;
    bool committed = false;
  };

  WriteSession& session_;
  core::Environment& environment_;
  std::optional<Doubt> doubt_;
  bool alone_ = false;  ///< members run one by one, to find the one that does not fit
};

}  // namespace holdfast::storage
