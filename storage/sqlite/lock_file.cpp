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

constexpr off_t kCounterAt = 8;

int set_lock(int descriptor, LockFile::Byte byte, short type) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(byte);
  range.l_len = 1;
  return fcntl(descriptor, F_OFD_SETLK, &range);
}

[[noreturn]] void fail(const std::filesystem::path& path, const char* doing) {
  throw Unavailable("lock file " + path.string() + ": " + doing + ": " + std::strerror(errno));
}

}  // namespace

LockFile::LockFile(std::filesystem::path path, core::Environment& environment)
    : path_(std::move(path)), environment_(environment) {
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
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

void LockFile::lock(Byte byte, std::chrono::milliseconds limit) {
  if (!try_lock(byte)) {
    const auto start = environment_.clock.elapsed();
    std::uint64_t pause_us = 50;
    do {
      if (environment_.clock.elapsed() - start >= limit) {
        throw Busy("another writer held " + path_.string() + " for more than " +
                   std::to_string(limit.count()) + " ms");
      }
      const auto jitter = environment_.random.below(pause_us);
      environment_.clock.sleep_for(std::chrono::microseconds(pause_us / 2 + jitter));
      pause_us = std::min<std::uint64_t>(pause_us * 2, 2000);
    } while (!try_lock(byte));
  }
  try {
    require_linked();
  } catch (...) {
    unlock(byte);
    throw;
  }
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
}

void LockFile::count_commit() noexcept {
  // A counter that cannot be written only makes followers elsewhere notice later.
  const std::uint64_t next = commits() + 1;
  [[maybe_unused]] const auto written = pwrite(descriptor_, &next, sizeof next, kCounterAt);
}

std::uint64_t LockFile::commits() const {
  std::uint64_t count = 0;
  const auto got = pread(descriptor_, &count, sizeof count, kCounterAt);
  return got == static_cast<ssize_t>(sizeof count) ? count : 0;
}

}  // namespace holdfast::storage::sqlite
