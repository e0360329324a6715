#include "index_worker.h"

#include <algorithm>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::vectors {
namespace {

/// Searches and writes come first where processors are few; so do threads that this one starts.
void step_back() {
  constexpr int kNice = 10;
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kNice);
}

}  // namespace

void IndexWorker::ask(const std::shared_ptr<IndexWork>& work) {
  if (is_stopping()) return;
  if (!is_background_) {
    work->work([] { return true; });
    return;
  }
  const std::lock_guard lock(mutex_);
  if (std::find(waiting_.begin(), waiting_.end(), work) != waiting_.end()) return;
  waiting_.push_back(work);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
}

bool IndexWorker::is_pending(const IndexWork& work) const {
  return running_ == &work || std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& one) {
           return one.get() == &work;
         });
}

void IndexWorker::wait(const IndexWork& work) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_stopping() || !is_pending(work); });
}

void IndexWorker::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void IndexWorker::run() {
  step_back();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_stopping() || !waiting_.empty(); });
    if (is_stopping()) return;
    const auto work = std::move(waiting_.front());
    waiting_.pop_front();
    running_ = work.get();
    lock.unlock();
    work->work([this] { return !is_stopping(); });
    lock.lock();
    running_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace holdfast::vectors
