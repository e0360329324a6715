#include "lock_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include <holdfast/core/error.h>

namespace holdfast::storage::sqlite {
namespace {

using namespace std::chrono_literals;

constexpr off_t kCounterAt = 8;
constexpr std::chrono::microseconds kFirstPause = 1ms;
constexpr std::chrono::microseconds kPassOverFor = 100ms;

int set_lock(int descriptor, LockFile::Byte byte, short type) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(byte);
  range.l_len = 1;
  return fcntl(descriptor, F_OFD_SETLK, &range);
}

std::uint64_t count_in(int descriptor) {
  std::uint64_t count = 0;
  const auto got = pread(descriptor, &count, sizeof count, kCounterAt);
  return got == static_cast<ssize_t>(sizeof count) ? count : 0;
}

[[noreturn]] void fail(const std::filesystem::path& path, const char* doing) {
  throw Unavailable("lock file " + path.string() + ": " + doing + ": " + std::strerror(errno));
}

}  // namespace

LockFile::LockFile(std::filesystem::path path, core::Environment& environment,
                   const Times& times)
    : path_(std::move(path)),
      environment_(environment),
      times_(times),
      descriptor_(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)),
      queue_(descriptor_) {
  if (descriptor_ < 0) fail(path_, "cannot open");
}

LockFile::~LockFile() { close(descriptor_); }

bool LockFile::try_lock(Byte byte) {
  if (is_held(byte)) return true;
  if (set_lock(descriptor_, byte, F_WRLCK) == 0) {
    held_[static_cast<int>(byte)] = true;
    return true;
  }
  if (errno != EAGAIN && errno != EACCES) fail(path_, "cannot lock");
  return false;
}

std::chrono::microseconds LockFile::lock(Byte byte, std::chrono::milliseconds limit) {
  std::chrono::microseconds waited{0};
  if (!is_held(byte) && !take_at_once(byte)) {
    const auto start = environment_.clock.elapsed();
    wait(byte, start, limit);
    const auto now = environment_.clock.elapsed();
    waited = now - start;
    if (byte == Byte::writer) turn_since_ = now;
  }
  try {
    require_linked();
  } catch (...) {
    unlock(byte);
    throw;
  }
  return waited;
}

bool LockFile::take_at_once(Byte byte) {
  if (byte != Byte::writer) return try_lock(byte);
  const auto now = environment_.clock.elapsed();
  came_back_quickly_ = now - unlocked_at_ <= times_.quick_return;
  if (!queue_.first(first_heeded())) {
    turn_since_ = now;
  } else if (!has_turn(now)) {
    // Its turn may have ended just now, with nobody woken when it let go.
    wake_next();
    return false;
  }
  return try_lock(byte);
}

/// A place in the queue, if one can be had.
class LockFile::Waiting {
 public:
  Waiting(LockFile& lock, Byte byte) : lock_(lock) {
    const auto ticket = byte == Byte::writer ? lock.queue_.join() : std::nullopt;
    is_queued_ = ticket.has_value();
    ticket_ = ticket.value_or(0);
    sleeps_ = !is_queued_;
  }
  ~Waiting() {
    if (!is_queued_) return;
    lock_.queue_.leave(ticket_);
    // It may have been woken and not have taken the lock.
    if (!lock_.is_held(Byte::writer)) lock_.wake_next();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  bool is_queued() const { return is_queued_; }
  LockQueue::Ticket ticket() const { return ticket_; }
  bool is_its_turn() const {
    return !is_queued_ || !lock_.queue_.first(lock_.first_heeded(), ticket_);
  }

  /// False when the time was spent without a wake-up.
  bool pause(std::uint32_t wakes, std::chrono::microseconds time) {
    core::Clock& clock = lock_.environment_.clock;
    if (!sleeps_) {
      const auto before = clock.elapsed();
      if (lock_.queue_.wait(ticket_, wakes, time)) return true;
      // A clock that stands still while we wait moves only when it is slept on.
      sleeps_ = clock.elapsed() == before;
      if (!sleeps_) return false;
    }
    clock.sleep_for(time);
    return false;
  }

 private:
  LockFile& lock_;
  LockQueue::Ticket ticket_ = 0;
  bool is_queued_ = false;
  bool sleeps_ = false;
};

void LockFile::wait(Byte byte, std::chrono::microseconds start, std::chrono::milliseconds limit) {
  Waiting waiting(*this, byte);
  environment_.faults.at("lock_file.waiting");
  std::chrono::microseconds pause = kFirstPause;
  for (;;) {
    // Before looking, so that a wake-up after that ends the pause.
    const std::uint32_t wakes = queue_.wakes();
    if (waiting.is_its_turn() && try_lock(byte)) return;
    const auto waited = environment_.clock.elapsed() - start;
    if (waited >= limit) {
      throw Busy("another writer held " + path_.string() + " for more than " +
                 std::to_string(limit.count()) + " ms");
    }
    const auto time = std::min<std::chrono::microseconds>(pause, limit - waited);
    if (waiting.pause(wakes, time) || (waiting.is_queued() && queue_.wakes() != wakes)) {
      pause = kFirstPause;
    } else if (pause < times_.patience) {
      pause = std::min(pause * 2, times_.patience);
    } else if (waiting.is_queued() && try_lock(byte)) {
      passed_over_ = waiting.ticket();
      passed_over_until_ = environment_.clock.elapsed() + kPassOverFor;
      return;
    }
  }
}

LockQueue::Ticket LockFile::first_heeded() const {
  if (passed_over_ == 0) return 0;
  return environment_.clock.elapsed() < passed_over_until_ ? passed_over_ : 0;
}

void LockFile::wake_next() noexcept {
  const auto first = queue_.first();
  if (!first) return;
  queue_.wake(*first);
  // Who was passed over may be there again, or not.
  if (*first >= first_heeded()) return;
  if (const auto heeded = queue_.first(first_heeded())) queue_.wake(*heeded);
}

void LockFile::require_linked() const {
  // Only the link count: a kernel with fine file times that was asked for them changes them with
  // the very next write, the counter's, in a block that the log's sync may then have to write.
  struct statx status {};
  if (statx(descriptor_, "", AT_EMPTY_PATH, STATX_NLINK, &status) != 0) fail(path_, "cannot stat");
  if (status.stx_nlink > 0) return;
  throw Unavailable("lock file " + path_.string() +
                    " was removed while the database was open; reopen the database");
}

void LockFile::unlock(Byte byte) noexcept {
  if (!is_held(byte)) return;
  set_lock(descriptor_, byte, F_UNLCK);
  held_[static_cast<int>(byte)] = false;
  if (byte != Byte::writer) return;
  unlocked_at_ = environment_.clock.elapsed();
  if (!came_back_quickly_ || !has_turn(unlocked_at_)) wake_next();
}

void LockFile::count_commit() noexcept {
  environment_.faults.at("lock.before_count");
  // A counter that cannot be written only makes followers elsewhere notice later.
  const std::uint64_t next = commits() + 1;
  [[maybe_unused]] const auto written = pwrite(descriptor_, &next, sizeof next, kCounterAt);
}

std::uint64_t LockFile::commits() const { return count_in(descriptor_); }

std::uint64_t read_commits(const std::filesystem::path& lock_file) {
  const int descriptor = open(lock_file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  const std::uint64_t count = count_in(descriptor);
  // Drops no lock: those of open file descriptions stay with theirs.
  close(descriptor);
  return count;
}

}  // namespace holdfast::storage::sqlite
