#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace holdfast::vectors {

/// Asked from time to time by a long piece of work; false: it is to stop.
using GoOn = std::function<bool()>;

/// Something that has work to be done for it behind its callers' backs.
class IndexWork {
 public:
  virtual ~IndexWork() = default;
  /// Does what there is to do, and reports failures itself.
  virtual void work(const GoOn& go_on) noexcept = 0;
};

/// The one thread that works for the indexes of a database. It starts with the first request.
/// Thread safety: any thread.
class IndexWorker {
 public:
  /// Without a background, who asks does the work.
  explicit IndexWorker(bool is_background) : is_background_(is_background) {}
  ~IndexWorker() { stop(); }
  IndexWorker(const IndexWorker&) = delete;
  IndexWorker& operator=(const IndexWorker&) = delete;

  /// Nothing happens when the work is waiting already.
  void ask(const std::shared_ptr<IndexWork>& work);
  /// Until what was asked for it is done.
  void wait(const IndexWork& work);
  /// Stops what is running and ends the thread.
  void stop();
  bool is_stopping() const { return is_stopping_.load(); }

 private:
  void run();
  bool is_pending(const IndexWork& work) const;

  const bool is_background_;
  std::atomic<bool> is_stopping_{false};
  std::mutex mutex_;  ///< of the following
  std::condition_variable changed_;
  std::deque<std::shared_ptr<IndexWork>> waiting_;
  const IndexWork* running_ = nullptr;
  std::thread thread_;
};

}  // namespace holdfast::vectors
