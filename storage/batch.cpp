#include "batch.h"

#include <algorithm>

#include <holdfast/core/error.h>

namespace holdfast::storage {
namespace {

std::vector<Job*> undecided(const std::vector<Job*>& batch) {
  std::vector<Job*> open;
  std::copy_if(batch.begin(), batch.end(), std::back_inserter(open),
               [](const Job* job) { return !job->decided; });
  return open;
}

void decide(Job& job, std::exception_ptr error) {
  job.error = std::move(error);
  job.decided = true;
}

template <class Kind>
bool copy_as(const std::exception& error, std::exception_ptr& copy) {
  const auto* const same = dynamic_cast<const Kind*>(&error);
  if (same != nullptr) copy = std::make_exception_ptr(*same);
  return same != nullptr;
}

/// Each caller gets an exception of its own: one object thrown in several threads would be
/// destroyed by whichever ends last. Only of kinds that can reach more than one caller.
std::exception_ptr own_copy(const std::exception_ptr& error) {
  if (!error) return nullptr;
  std::exception_ptr copy = error;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& thrown) {
    (void)(copy_as<Busy>(thrown, copy) || copy_as<Full>(thrown, copy) ||
           copy_as<Unavailable>(thrown, copy) || copy_as<Corrupt>(thrown, copy));
  } catch (...) {
    // Something of the caller's own: shared as it is.
  }
  return copy;
}

void decide_all(const std::vector<Job*>& jobs, const std::exception_ptr& error) {
  for (Job* job : jobs) decide(*job, own_copy(error));
}

bool is_committed(Transaction& transaction, const Witness& witness) {
  auto look =
      transaction.prepare("SELECT 1 FROM events WHERE space = $1 AND seq = $2 AND request_id = $3");
  look.bind(witness.space, witness.seq, witness.request_id);
  return look.step();
}

}  // namespace

void BatchRunner::run(const std::vector<Job*>& batch, WriterStats& stats) {
  try {
    run_undecided(batch, stats);
  } catch (...) {
    // A fault point or the lack of memory; every caller must get an answer all the same.
    session_.roll_back();
    decide_all(undecided(batch), std::current_exception());
  }
}

void BatchRunner::run_undecided(const std::vector<Job*>& batch, WriterStats& stats) {
  alone_ = false;
  for (auto open = undecided(batch); !open.empty(); open = undecided(batch)) {
    if (const std::string obstacle = doubt_ ? settle() : ""; !obstacle.empty()) {
      decide_all(open, std::make_exception_ptr(Unavailable(
                           "no writes until it is known how an earlier commit ended, in which "
                           "the disk failed; finding out failed too: " +
                           obstacle)));
      return;
    }
    doubt_.reset();
    if (alone_) open.erase(open.begin() + 1, open.end());
    attempt(open, stats);
  }
}

void BatchRunner::attempt(const std::vector<Job*>& jobs, WriterStats& stats) {
  try {
    session_.begin();
  } catch (...) {
    decide_all(jobs, std::current_exception());
    return;
  }
  stats.lock_wait_us.add(static_cast<std::uint64_t>(session_.lock_wait().count()));
  Transaction transaction(session_.connection(), true);
  if (!run_members(jobs, transaction)) {
    session_.roll_back();
    ++stats.undone;
    return;
  }
  const auto kept = std::count_if(jobs.begin(), jobs.end(), [](const Job* j) { return j->kept; });
  stats.undone += jobs.size() - static_cast<std::size_t>(kept);
  if (kept == 0) {
    session_.roll_back();
    decide_all(undecided(jobs), nullptr);
    return;
  }
  commit(jobs, transaction, stats);
}

bool BatchRunner::run_members(const std::vector<Job*>& jobs, Transaction& transaction) {
  Connection& connection = session_.connection();
  // A lone change needs no savepoint: undoing it is undoing the transaction.
  const bool nested = jobs.size() > 1;
  for (Job* job : jobs) {
    job->kept = false;
    std::optional<Savepoint> part;
    try {
      if (nested) part.emplace(transaction);
      job->kept = (*job->change)(transaction) == Verdict::keep;
    } catch (...) {
      decide(*job, std::current_exception());
      // The engine has taken back the others' work with this one's: they run again without it.
      if (!connection.in_transaction()) return false;
    }
    if (!part) continue;
    try {
      if (job->kept) {
        part->keep();
      } else {
        part->undo();
      }
    } catch (...) {
      if (!job->decided) decide(*job, std::current_exception());
      return false;
    }
  }
  return true;
}

void BatchRunner::commit(const std::vector<Job*>& jobs, const Transaction& transaction,
                         WriterStats& stats) {
  environment_.faults.at("writer.before_commit");
  const auto start = environment_.clock.elapsed();
  const CommitResult result = session_.commit();
  stats.commit_us.add(us_since(start));
  if (result.kind == CommitResult::Kind::committed) {
    ++stats.commits;
    const auto kept = static_cast<std::uint64_t>(
        std::count_if(jobs.begin(), jobs.end(), [](const Job* job) { return job->kept; }));
    stats.changes += kept;
    stats.batch_max = std::max(stats.batch_max, kept);
    stats.batch_sizes.add(kept);
    for (Job* job : undecided(jobs)) decide(*job, nullptr);
    environment_.faults.at("writer.after_commit");
    return;
  }
  doubt_ = Doubt{.witness = transaction.witness()};
  commit_failed(jobs, result, stats);
}

void BatchRunner::commit_failed(const std::vector<Job*>& jobs, const CommitResult& result,
                                WriterStats& stats) {
  if (result.kind == CommitResult::Kind::refused) {
    doubt_.reset();
    decide_all(undecided(jobs), result.error);
    return;
  }
  const bool is_settled = result.kind == CommitResult::Kind::undone ||
                          (result.kind == CommitResult::Kind::broken && settle().empty());
  if (is_settled) {
    const bool committed = doubt_->committed;
    doubt_.reset();
    if (committed) {
      ++stats.commits;
      decide_all(undecided(jobs), nullptr);
    } else if (jobs.size() == 1) {
      if (!jobs.front()->decided) decide(*jobs.front(), result.error);
    } else {
      alone_ = true;
    }
    return;
  }
  ++stats.unknown;
  for (Job* job : undecided(jobs)) {
    if (job->kept) {
      decide(*job, std::make_exception_ptr(OutcomeUnknown(
                       "the commit failed and may or may not be there after a restart; read the "
                       "row's history for request " +
                           job->request_id,
                       job->request_id)));
    } else {
      decide(*job, std::make_exception_ptr(Unavailable(
                       "nothing was written; the commit that this refusal rested on failed")));
    }
  }
}

std::uint64_t BatchRunner::us_since(std::chrono::microseconds start) const {
  // No clock of ours steps back, but one of a test's may stand still.
  return static_cast<std::uint64_t>((environment_.clock.elapsed() - start).count());
}

std::string BatchRunner::settle() {
  try {
    session_.begin();
    Transaction transaction(session_.connection(), true);
    // Another process may have recovered the log meanwhile, and with it the commit in doubt.
    doubt_->committed = doubt_->witness && is_committed(transaction, *doubt_->witness);
    session_.write_barrier();
  } catch (const Error& error) {
    session_.roll_back();
    return error.what();
  }
  const CommitResult result = session_.commit();
  if (result.kind == CommitResult::Kind::committed) return "";
  try {
    std::rethrow_exception(result.error);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace holdfast::storage
