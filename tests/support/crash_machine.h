#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/crash_disk.h"
#include "support/crash_faults.h"
#include "support/crash_locks.h"

namespace holdfast::test {

struct DiskOptions {
  std::uint64_t seed = 1;  ///< of SQLite's randomness and of torn writes
  /// Writes that would make the files larger than this together give SQLITE_FULL.
  std::int64_t capacity_bytes = INT64_MAX;
  bool powersafe_overwrite = false;  ///< promise that a write never harms its neighbours
  /// As on Linux: after a failed sync the next one succeeds without writing what the failed one
  /// left behind. Off: the next sync makes it durable.
  bool failed_sync_forgets = false;
  /// SQLite's busy waiting takes real time. Off: only the disk's clock moves, which suits a test
  /// with one thread; a second thread would use up its busy timeout at once.
  bool sleeps = true;
};

/// One open handle. The machine's mutex guards it.
struct OpenFile {
  std::string name;  ///< empty for a temporary file
  DiskImage::FileRef file;
  int flags = 0;
  bool syncs_directory = false;  ///< the first sync makes the name durable
  std::shared_ptr<FileLock> lock;
  int lock_level = 0;
  std::shared_ptr<SharedMemory> memory;
  SlotMasks slots;
};

/// A disk and the process that uses it: files, locks, shared memory, clock, faults.
///
/// The int results are SQLite's codes. Thread safety: any thread; one mutex orders everything.
class CrashMachine {
 public:
  CrashMachine(DiskImage image, const DiskOptions& options);

  int open(const char* name, int flags, OpenFile& opened);
  void close(OpenFile& file);
  int read(OpenFile& file, std::span<char> buffer, std::int64_t offset);
  int write(OpenFile& file, std::string_view bytes, std::int64_t offset);
  int truncate(OpenFile& file, std::int64_t size);
  int sync(OpenFile& file);
  int size(OpenFile& file, std::int64_t& bytes);
  int remove(const std::string& name, bool syncs_directory);
  int exists(const std::string& name, bool& answer);

  int lock(OpenFile& file, int level);
  int unlock(OpenFile& file, int level);
  int is_reserved(OpenFile& file, bool& answer);
  int map_memory(OpenFile& file, int region, int bytes, bool extends, volatile void** mapped);
  int lock_memory(OpenFile& file, int first, int count, int flags);
  void barrier();
  void unmap_memory(OpenFile& file);

  void randomness(std::span<char> buffer);
  void sleep(int microseconds);
  std::int64_t julian_ms();

  void arm(const Fault& fault);
  void disarm();
  void set_capacity(std::int64_t bytes);
  void crash();
  [[nodiscard]] bool has_crashed() const;
  [[nodiscard]] long operations() const;
  [[nodiscard]] long faults_struck() const;
  [[nodiscard]] int open_files() const;
  [[nodiscard]] DiskImage image() const;
  [[nodiscard]] std::vector<std::string> violations() const;
  [[nodiscard]] const DiskOptions& options() const { return options_; }

 private:
  /// Counts the operation. SQLITE_OK: go on; otherwise the code to fail with. `struck` tells the
  /// kinds that do something before they fail.
  int begin(Operation operation, const std::string& name, std::optional<FaultKind>& struck);
  void tear(OpenFile& file, std::string_view bytes, std::int64_t offset);
  [[nodiscard]] bool fits(const StoredFile& file, std::int64_t new_size) const;

  const DiskOptions options_;
  mutable std::mutex mutex_;
  DiskImage disk_;
  FaultPlan faults_;
  std::mt19937_64 random_;
  // Weak, so that locks and shared memory end with the last handle.
  std::map<std::string, std::weak_ptr<FileLock>> locks_;
  std::map<std::string, std::weak_ptr<SharedMemory>> memories_;
  std::vector<std::string> violations_;
  std::int64_t capacity_bytes_;
  std::int64_t clock_us_;
  long operations_ = 0;
  int open_files_ = 0;
  bool has_crashed_ = false;
};

}  // namespace holdfast::test
