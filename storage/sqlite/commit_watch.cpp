#include "commit_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include <spdlog/spdlog.h>

#include <holdfast/core/error.h>
#include <holdfast/core/log.h>

namespace holdfast::storage::sqlite {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::microseconds kLookEvery = 10ms;
/// So that no sum of times overflows.
constexpr std::chrono::milliseconds kLimitMax = std::chrono::hours(24 * 365);

timespec to_timespec(std::chrono::microseconds left) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
  return {.tv_sec = static_cast<time_t>(seconds.count()),
          .tv_nsec = static_cast<long>(std::chrono::nanoseconds(left - seconds).count())};
}

/// Reads what has gathered. The events say only that there was one, so none is looked at.
void drain(int watch) {
  std::array<char, 4096> events;
  while (read(watch, events.data(), events.size()) > 0) {
  }
}

}  // namespace

/// The time in which a thread waits for all; the mutex is free meanwhile.
class CommitWatch::Leading {
 public:
  Leading(CommitWatch& watch, Lock& lock) : watch_(watch), lock_(lock) {
    watch_.leading_ = true;
    lock_.unlock();
  }
  ~Leading() {
    lock_.lock();
    watch_.leading_ = false;
    // All of them, whatever the reason: one has to lead next, and it may be any.
    ++watch_.turns_;
    watch_.turned_.notify_all();
  }
  Leading(const Leading&) = delete;
  Leading& operator=(const Leading&) = delete;

 private:
  CommitWatch& watch_;
  Lock& lock_;
};

CommitWatch::CommitWatch(std::filesystem::path lock_file, std::function<std::uint64_t()> commits,
                         core::Environment& environment)
    : path_(std::move(lock_file)), commits_(std::move(commits)), environment_(environment) {}

CommitWatch::~CommitWatch() {
  if (watch_ >= 0) close(watch_);
}

bool CommitWatch::wait(std::uint64_t seen, std::chrono::milliseconds limit) {
  const auto deadline = environment_.clock.elapsed() + std::min(limit, kLimitMax);
  Lock lock(mutex_);
  // Before the counter is read, so that a commit after that is an event here.
  open();
  while (commits_() == seen) {
    const auto left = deadline - environment_.clock.elapsed();
    if (left <= 0us) return false;
    const Wake wake = watch_ < 0 ? look_again_later(lock, left)
                      : leading_ ? follow(lock, left)
                                 : lead(lock, left);
    // Not left to the clock to say: one that a test moves stands still meanwhile.
    if (wake == Wake::time_up) return commits_() != seen;
  }
  return true;
}

void CommitWatch::open() {
  if (is_open_) return;
  const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  const bool is_granted = watch >= 0 && inotify_add_watch(watch, path_.c_str(), IN_MODIFY) >= 0;
  const int error = errno;
  if (!is_granted && watch >= 0) close(watch);
  if (!is_granted && (error == ENOENT || error == ENOTDIR || error == EACCES)) {
    throw Unavailable("commits cannot be waited for, since the lock file " + path_.string() +
                      " cannot be watched: " + std::strerror(error));
  }
  if (!is_granted) {
    core::log()->warn("no watch on {} ({}): waiting for commits looks every 10 ms instead",
                      path_.string(), std::strerror(error));
  }
  watch_ = is_granted ? watch : -1;
  is_open_ = true;
}

CommitWatch::Wake CommitWatch::look_again_later(Lock& lock, Left left) {
  lock.unlock();
  environment_.clock.sleep_for(std::min(left, kLookEvery));
  lock.lock();
  return Wake::event;
}

CommitWatch::Wake CommitWatch::lead(Lock& lock, Left left) {
  const Leading leading(*this, lock);
  environment_.faults.at("commit_watch.lead");
  pollfd polled{.fd = watch_, .events = POLLIN, .revents = 0};
  const timespec time = to_timespec(left);
  const int ready = ppoll(&polled, 1, &time, nullptr);
  if (ready > 0) drain(watch_);
  return ready == 0 ? Wake::time_up : Wake::event;
}

CommitWatch::Wake CommitWatch::follow(Lock& lock, Left left) {
  environment_.faults.at("commit_watch.follow");
  const bool turned = turned_.wait_for(lock, left, [this, turns = turns_] {
    return turns_ != turns;
  });
  return turned ? Wake::event : Wake::time_up;
}

}  // namespace holdfast::storage::sqlite
