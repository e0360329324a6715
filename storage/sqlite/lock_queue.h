#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace holdfast::storage::sqlite {

/// Who waits for the writer's byte of a lock file, in the order of arrival, in any process.
///
/// A waiter draws a ticket, the next number in the file, and locks the byte far behind the file's
/// end that the ticket stands for; the system gives that up when the waiter dies, so the queue
/// holds living waiters only. Whoever lets go of the writer's byte wakes the first of them by a
/// futex in the file. The lock bytes are the truth and the futex only saves time: a wake-up that
/// was lost, with a holder that was killed, costs one pause of the waiter.
/// Thread safety: one thread at a time.
class LockQueue {
 public:
  using Ticket = std::uint64_t;

  /// `descriptor` is the lock file, open for writing; it must outlive the queue.
  explicit LockQueue(int descriptor) : descriptor_(descriptor) {}
  ~LockQueue();
  LockQueue(const LockQueue&) = delete;
  LockQueue& operator=(const LockQueue&) = delete;

  /// Goes to the end. Nothing where the file cannot be mapped or the system has no more locks.
  std::optional<Ticket> join() noexcept;
  void leave(Ticket ticket) noexcept;
  /// The first ticket from `from` on, and before `before`, of somebody else.
  std::optional<Ticket> first(Ticket from = 0, Ticket before = kNoTicket) const noexcept;

  /// Counts the wake-ups there were.
  std::uint32_t wakes() const noexcept;
  /// Wakes the holders of a ticket.
  void wake(Ticket ticket) noexcept;
  /// Waits to be woken; false when `time` has passed. Returns at once when wakes() is no longer
  /// `seen`.
  bool wait(Ticket ticket, std::uint32_t seen, std::chrono::microseconds time) noexcept;

  static constexpr Ticket kNoTicket = std::uint64_t{1} << 62;

 private:
  struct Shared;
  bool map() noexcept;

  const int descriptor_;
  void* mapping_ = nullptr;
  Shared* shared_ = nullptr;
};

}  // namespace holdfast::storage::sqlite
