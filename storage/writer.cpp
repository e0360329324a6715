#include <holdfast/storage/writer.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "batch.h"
#include "write_session.h"

namespace holdfast::storage {

/// Where one caller waits. The writer keeps it for the next one: a thread may return as soon as it
/// was told, while whoever told it still touches the seat.
class Seat {
 public:
  enum class Call : int { none, lead, done };

  void clear() { call_ = Call::none; }
  Call await() {
    std::unique_lock lock(mutex_);
    told_.wait(lock, [this] { return call_ != Call::none; });
    return call_;
  }
  void tell(Call call) {
    {
      const std::lock_guard lock(mutex_);
      call_ = call;
    }
    told_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable told_;
  Call call_ = Call::none;
};

namespace {

/// The writer whose batch this thread is running: a change that submits another would wait for
/// itself.
thread_local const void* running_here = nullptr;

}  // namespace

class Writer::Core {
 public:
  Core(WriteSession& session, core::Environment& environment)
      : session_(session), environment_(environment), batches_(session, environment) {}

  void submit(const Change& change, std::string_view request_id) {
    if (running_here == this) throw std::logic_error("a change must not submit another change");
    Job job;
    job.change = &change;
    job.request_id = request_id;
    std::unique_lock lock(mutex_);
    waiting_.push_back(&job);
    // Under the lock, so that a test sees the queue grow in order; it must not wait here.
    environment_.faults.at("writer.queued");
    // Without a leader nobody waits, so this job is the first of its batch.
    if (!std::exchange(leading_, true) || is_called_to_lead(lock, job)) lead(lock, job);
    lock.unlock();
    if (job.error) std::rethrow_exception(job.error);
  }

  WriterStats stats() const {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  /// More would not make a commit cheaper, but its oldest member wait longer.
  static constexpr std::size_t kBatchMax = 128;

  using Lock = std::unique_lock<std::mutex>;

  /// Waits for the job to be done, or for its turn to lead.
  bool is_called_to_lead(Lock& lock, Job& job) {
    if (free_seats_.empty()) free_seats_.push_back(&seats_.emplace_back());
    Seat* const seat = free_seats_.back();
    free_seats_.pop_back();
    seat->clear();
    job.seat = seat;
    lock.unlock();
    const Seat::Call call = seat->await();
    lock.lock();
    free_seats_.push_back(seat);
    return call == Seat::Call::lead;
  }

  void lead(Lock& lock, const Job& own) {
    std::vector<Job*> batch;
    while (!waiting_.empty() && batch.size() < kBatchMax) {
      batch.push_back(waiting_.front());
      waiting_.pop_front();
    }
    lock.unlock();

    WriterStats seen;
    running_here = this;
    batches_.run(batch, seen);
    running_here = nullptr;

    lock.lock();
    add(seen);
    lock.unlock();
    // The next batch need not wait until all members of this one are awake; they need not wait
    // until the log was copied.
    const bool answers_first = session_.is_maintenance_due();
    if (answers_first) answer(batch, own);
    session_.finish();
    lock.lock();
    hand_over(lock);
    if (!answers_first) answer(batch, own);
    lock.lock();
  }

  static void answer(const std::vector<Job*>& batch, const Job& own) {
    for (const Job* job : batch) {
      if (job != &own) job->seat->tell(Seat::Call::done);
    }
  }

  /// Leaves the mutex unlocked.
  void hand_over(Lock& lock) {
    Seat* const next = waiting_.empty() ? nullptr : waiting_.front()->seat;
    leading_ = next != nullptr;
    lock.unlock();
    if (next != nullptr) next->tell(Seat::Call::lead);
  }

  void add(const WriterStats& seen) {
    stats_.commits += seen.commits;
    stats_.changes += seen.changes;
    stats_.undone += seen.undone;
    stats_.unknown += seen.unknown;
    stats_.batch_max = std::max(stats_.batch_max, seen.batch_max);
    stats_.batch_sizes.add(seen.batch_sizes);
    stats_.commit_us.add(seen.commit_us);
    stats_.lock_wait_us.add(seen.lock_wait_us);
  }

  WriteSession& session_;
  core::Environment& environment_;
  BatchRunner batches_;
  mutable std::mutex mutex_;
  std::deque<Job*> waiting_;
  std::deque<Seat> seats_;
  std::vector<Seat*> free_seats_;
  bool leading_ = false;  ///< somebody leads, or is being told to
  WriterStats stats_;
};

Writer::Writer(WriteSession& session, core::Environment& environment)
    : core_(std::make_unique<Core>(session, environment)) {}
Writer::~Writer() = default;

void Writer::submit(const Change& change, std::string_view request_id) {
  core_->submit(change, request_id);
}

WriterStats Writer::stats() const { return core_->stats(); }

}  // namespace holdfast::storage
