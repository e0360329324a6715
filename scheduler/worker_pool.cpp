#include "worker_pool.h"

namespace holdfast::scheduler {

WorkerPool::WorkerPool(std::size_t threads) {
  threads_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  added_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::add(std::function<void()> task) {
  if (threads_.empty()) {
    task();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    ++in_flight_;
  }
  added_.notify_one();
}

std::size_t WorkerPool::in_flight() const {
  const std::lock_guard lock(mutex_);
  return in_flight_;
}

std::uint64_t WorkerPool::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_count_;
}

void WorkerPool::wait_below(std::size_t count) {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return in_flight_ < count; });
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    added_.wait(lock, [this] { return !tasks_.empty() || is_ending_; });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
    --in_flight_;
    ++ended_count_;
    ended_.notify_all();
  }
}

}  // namespace holdfast::scheduler
