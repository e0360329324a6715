#include "support/crash_locks.h"

namespace holdfast::test {

bool FileLock::is_read_by_others(Holder holder) const {
  return readers_.size() > (readers_.contains(holder) ? 1U : 0U);
}

int FileLock::lock(Holder holder, int& level, int wanted) {
  if (level >= wanted) return SQLITE_OK;
  const bool other_writes = writer_ != nullptr && writer_ != holder;
  if (wanted == SQLITE_LOCK_SHARED) {
    if (other_writes && bars_readers_) return SQLITE_BUSY;
    readers_.insert(holder);
    level = SQLITE_LOCK_SHARED;
    return SQLITE_OK;
  }
  if (other_writes) return SQLITE_BUSY;
  writer_ = holder;
  if (wanted == SQLITE_LOCK_RESERVED) {
    level = SQLITE_LOCK_RESERVED;
    return SQLITE_OK;
  }
  bars_readers_ = true;
  level = SQLITE_LOCK_PENDING;
  if (is_read_by_others(holder)) return SQLITE_BUSY;
  level = SQLITE_LOCK_EXCLUSIVE;
  return SQLITE_OK;
}

void FileLock::unlock(Holder holder, int& level, int wanted) {
  if (level <= wanted) return;
  if (writer_ == holder) {
    writer_ = nullptr;
    bars_readers_ = false;
  }
  if (wanted == SQLITE_LOCK_NONE) readers_.erase(holder);
  level = wanted;
}

volatile void* SharedMemory::region(int index, int bytes, bool extends) {
  const auto wanted = static_cast<std::size_t>(index);
  if (wanted >= regions_.size() && !extends) return nullptr;
  while (wanted >= regions_.size()) {
    const auto words = (static_cast<std::size_t>(bytes) + 7) / 8;
    regions_.push_back(std::make_unique<std::uint64_t[]>(words));
  }
  return regions_[wanted].get();
}

int SharedMemory::lock(SlotMasks& held, int first, int count, int flags) {
  const std::uint32_t mask = ((1U << count) - 1U) << first;
  if ((flags & SQLITE_SHM_UNLOCK) != 0) {
    unlock(held, mask);
    return SQLITE_OK;
  }
  if ((flags & SQLITE_SHM_SHARED) != 0) return lock_shared(held, mask, first);
  return lock_exclusive(held, mask, first, count);
}

int SharedMemory::lock_shared(SlotMasks& held, std::uint32_t mask, int slot) {
  if ((held.shared & mask) != 0) return SQLITE_OK;
  Slot& wanted = slots_[static_cast<std::size_t>(slot)];
  if (wanted.is_exclusive) return SQLITE_BUSY;
  ++wanted.readers;
  held.shared |= mask;
  return SQLITE_OK;
}

int SharedMemory::lock_exclusive(SlotMasks& held, std::uint32_t mask, int first, int count) {
  // All or nothing: a caller that is refused holds none of the slots.
  for (int i = first; i < first + count; ++i) {
    const Slot& slot = slots_[static_cast<std::size_t>(i)];
    const bool is_own = (held.exclusive & (1U << i)) != 0;
    if (!is_own && (slot.is_exclusive || slot.readers > 0)) return SQLITE_BUSY;
  }
  for (int i = first; i < first + count; ++i) {
    slots_[static_cast<std::size_t>(i)].is_exclusive = true;
  }
  held.exclusive |= mask;
  return SQLITE_OK;
}

void SharedMemory::unlock(SlotMasks& held, std::uint32_t mask) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const std::uint32_t bit = mask & (1U << i);
    if ((held.shared & bit) != 0) --slots_[i].readers;
    if ((held.exclusive & bit) != 0) slots_[i].is_exclusive = false;
  }
  held.shared &= ~mask;
  held.exclusive &= ~mask;
}

void SharedMemory::release_all(SlotMasks& held) {
  unlock(held, held.shared | held.exclusive);
}

}  // namespace holdfast::test
