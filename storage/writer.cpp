#include <holdfast/storage/writer.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "batch.h"
#include "write_session.h"

namespace holdfast::storage {
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
    while (!job.done) {
      if (leading_) {
        job.ready.wait(lock, [&] { return job.done || !leading_; });
      } else {
        lead(lock);
      }
    }
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

  void lead(std::unique_lock<std::mutex>& lock) {
    leading_ = true;
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
    // Under the lock: a job lives on its caller's stack and is gone once the caller sees `done`.
    for (Job* job : batch) {
      job->done = true;
      job->ready.notify_one();
    }
    lock.unlock();
    session_.finish();
    lock.lock();
    leading_ = false;
    if (!waiting_.empty()) waiting_.front()->ready.notify_one();
  }

  void add(const WriterStats& seen) {
    stats_.commits += seen.commits;
    stats_.changes += seen.changes;
    stats_.undone += seen.undone;
    stats_.unknown += seen.unknown;
    stats_.batch_max = std::max(stats_.batch_max, seen.batch_max);
  }

  WriteSession& session_;
  core::Environment& environment_;
  BatchRunner batches_;
  mutable std::mutex mutex_;
  std::deque<Job*> waiting_;
  bool leading_ = false;
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
