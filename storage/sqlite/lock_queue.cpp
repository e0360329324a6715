#include "lock_queue.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>

namespace holdfast::storage::sqlite {
namespace {

// docs/file-format.md, "Lock file".
constexpr std::size_t kSharedAt = 16;
constexpr std::size_t kFileBytes = 32;
constexpr off_t kTicketsAt = off_t{1} << 32;

int fcntl_on(int descriptor, int command, short type, off_t start, off_t length, off_t* found) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = start;
  range.l_len = length;
  const int result = fcntl(descriptor, command, &range);
  if (result == 0 && found != nullptr) *found = range.l_type == F_UNLCK ? -1 : range.l_start;
  return result;
}

off_t byte_of(LockQueue::Ticket ticket) { return kTicketsAt + static_cast<off_t>(ticket); }

/// Each waiter hears its own wake-ups only, as long as no more than 32 wait.
std::uint32_t bit_of(LockQueue::Ticket ticket) { return std::uint32_t{1} << (ticket % 32); }

}  // namespace

struct LockQueue::Shared {
  std::uint64_t tickets;
  std::uint32_t wakes;
};

LockQueue::~LockQueue() {
  if (mapping_ != nullptr) munmap(mapping_, kFileBytes);
}

bool LockQueue::map() noexcept {
  if (shared_ != nullptr) return true;
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) return false;
  // A hole could not be filled on a full disk, and touching it would be a signal; so the last byte,
  // which means nothing, is written.
  if (status.st_size < static_cast<off_t>(kFileBytes) &&
      pwrite(descriptor_, "", 1, kFileBytes - 1) != 1) {
    return false;
  }
  void* const mapping =
      mmap(nullptr, kFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (mapping == MAP_FAILED) return false;
  mapping_ = mapping;
  shared_ = reinterpret_cast<Shared*>(static_cast<char*>(mapping) + kSharedAt);
  return true;
}

std::optional<LockQueue::Ticket> LockQueue::join() noexcept {
  if (!map()) return std::nullopt;
  const Ticket ticket = std::atomic_ref(shared_->tickets).fetch_add(1) % kNoTicket;
  if (fcntl_on(descriptor_, F_OFD_SETLK, F_WRLCK, byte_of(ticket), 1, nullptr) != 0) return {};
  return ticket;
}

void LockQueue::leave(Ticket ticket) noexcept {
  fcntl_on(descriptor_, F_OFD_SETLK, F_UNLCK, byte_of(ticket), 1, nullptr);
}

std::optional<LockQueue::Ticket> LockQueue::first(Ticket from, Ticket before) const noexcept {
  std::optional<Ticket> lowest;
  // The system names some lock in the range, not always the lowest.
  for (off_t end = byte_of(before), found = -1; end > byte_of(from); end = found) {
    const off_t length = before == kNoTicket && !lowest ? 0 : end - byte_of(from);
    if (fcntl_on(descriptor_, F_OFD_GETLK, F_WRLCK, byte_of(from), length, &found) != 0) break;
    if (found < 0) break;
    lowest = static_cast<Ticket>(found - kTicketsAt);
  }
  return lowest;
}

std::uint32_t LockQueue::wakes() const noexcept {
  return shared_ == nullptr ? 0 : std::atomic_ref(shared_->wakes).load();
}

void LockQueue::wake(Ticket ticket) noexcept {
  if (!map()) return;
  std::atomic_ref(shared_->wakes).fetch_add(1);
  syscall(SYS_futex, &shared_->wakes, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr,
          bit_of(ticket));
}

bool LockQueue::wait(Ticket ticket, std::uint32_t seen, std::chrono::microseconds time) noexcept {
  const auto end = std::chrono::steady_clock::now().time_since_epoch() + time;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(end);
  const std::chrono::nanoseconds rest = end - seconds;
  const timespec until{.tv_sec = static_cast<time_t>(seconds.count()),
                       .tv_nsec = static_cast<long>(rest.count())};
  const auto result = syscall(SYS_futex, &shared_->wakes, FUTEX_WAIT_BITSET, seen, &until, nullptr,
                              bit_of(ticket));
  return result == 0 || errno != ETIMEDOUT;
}

}  // namespace holdfast::storage::sqlite
