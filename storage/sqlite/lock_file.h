#pragma once

#include <cstdint>
#include <filesystem>

#include <holdfast/core/environment.h>

namespace holdfast::storage::sqlite {

/// The file `<database>-lock`: byte 0 is locked by whoever writes, byte 1 by whoever checkpoints,
/// in any process; bytes 8 to 15 count commits (native order) and wake followers elsewhere.
/// Open-file-description locks: they belong to this object, not to the process, so two databases
/// open in one process exclude each other too, and no close elsewhere drops them.
/// Thread safety: one thread at a time.
class LockFile {
 public:
  enum class Byte : int { writer = 0, checkpoint = 1 };

  /// Creates the file when there is none; it is never deleted, because a lock on a deleted file
  /// excludes nobody.
  LockFile(std::filesystem::path path, core::Environment& environment);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  bool try_lock(Byte byte);
  /// Throws Busy after `limit`, Unavailable when the file was removed meanwhile.
  void lock(Byte byte, std::chrono::milliseconds limit);
  void unlock(Byte byte) noexcept;
  bool is_held(Byte byte) const { return held_[static_cast<int>(byte)]; }

  /// Adds one to the commit counter; only while holding the writer's byte.
  void count_commit() noexcept;
  std::uint64_t commits() const;

 private:
  void require_linked() const;

  std::filesystem::path path_;
  core::Environment& environment_;
  int descriptor_ = -1;
  bool held_[2] = {false, false};
};

}  // namespace holdfast::storage::sqlite
