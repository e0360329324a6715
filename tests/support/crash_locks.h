#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace holdfast::test {

/// The five-level lock of a database file (SQLITE_LOCK_NONE to SQLITE_LOCK_EXCLUSIVE).
///
/// A holder is any address that identifies one open handle. Thread safety: none.
class FileLock {
 public:
  using Holder = const void*;

  /// SQLITE_OK, or SQLITE_BUSY. A refused EXCLUSIVE leaves the holder at PENDING, so that no new
  /// reader comes and the next try can succeed. `level` is the holder's and is brought up to date.
  int lock(Holder holder, int& level, int wanted);
  void unlock(Holder holder, int& level, int wanted);
  [[nodiscard]] bool is_reserved() const { return writer_ != nullptr; }

 private:
  [[nodiscard]] bool is_read_by_others(Holder holder) const;

  std::set<Holder> readers_;   ///< everyone at SHARED or above
  Holder writer_ = nullptr;    ///< the one at RESERVED or above
  bool bars_readers_ = false;  ///< the writer is at PENDING or above
};

/// What one connection holds of a SharedMemory's lock slots, one bit a slot.
struct SlotMasks {
  std::uint32_t shared = 0;
  std::uint32_t exclusive = 0;
};

/// The wal-index of one database: memory regions and SQLITE_SHM_NLOCK lock slots.
///
/// It dies with its last connection, as the first connection of a real machine would clear it.
/// Thread safety: none for the table itself; the regions are SQLite's to guard.
class SharedMemory {
 public:
  /// Null when the region is missing and `extends` is false.
  volatile void* region(int index, int bytes, bool extends);
  /// Takes the arguments of xShmLock.
  int lock(SlotMasks& held, int first, int count, int flags);
  void release_all(SlotMasks& held);

 private:
  struct Slot {
    int readers = 0;
    bool is_exclusive = false;
  };
  int lock_shared(SlotMasks& held, std::uint32_t mask, int slot);
  int lock_exclusive(SlotMasks& held, std::uint32_t mask, int first, int count);
  void unlock(SlotMasks& held, std::uint32_t mask);

  std::vector<std::unique_ptr<std::uint64_t[]>> regions_;  // 64-bit words for their alignment
  std::array<Slot, SQLITE_SHM_NLOCK> slots_{};
};

}  // namespace holdfast::test
