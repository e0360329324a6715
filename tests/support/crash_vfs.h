#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/crash_disk.h"
#include "support/crash_faults.h"
#include "support/crash_machine.h"

struct sqlite3_vfs;

namespace holdfast::test {

/// Starts SQLite's random numbers anew. SQLite has one generator for the whole process and asks the
/// default VFS to seed it, so a disk cannot do this; without it, log salts and SQL's random()
/// differ from run to run, while operation counts and damage do not. Call it at the start of a
/// run and never between a crash and its recovery: repeated salts would bring old frames to life.
void seed_sqlite_randomness(std::uint64_t seed);

/// An in-memory disk that SQLite uses like a real one and that fails as real ones do.
///
/// Open databases on it with sqlite3_open_v2(path, ..., vfs_name()), from any number of
/// connections and threads, in WAL or rollback mode. After a crash, made by a fault or by crash(),
/// every operation fails, because the process that made it counts as dead; closing still works.
/// What the next process or the next boot finds is taken as an image, from which a new disk
/// starts. Take it before connections close on a disk that has not crashed: closing writes.
/// Thread safety: all of it. Lifetime: every connection must be closed before the disk ends;
/// the destructor aborts otherwise.
class CrashDisk {
 public:
  explicit CrashDisk(const DiskOptions& options = {});
  explicit CrashDisk(DiskImage image, const DiskOptions& options = {});
  ~CrashDisk();
  CrashDisk(const CrashDisk&) = delete;
  CrashDisk& operator=(const CrashDisk&) = delete;

  [[nodiscard]] const std::string& vfs_name() const { return name_; }

  /// Number of writes, truncations, syncs and removals so far, failed ones included; those after
  /// a crash are not counted.
  [[nodiscard]] long operations() const { return machine_->operations(); }

  void arm(const Fault& fault) { machine_->arm(fault); }
  void disarm() { machine_->disarm(); }  ///< does not undo a crash
  [[nodiscard]] long faults_struck() const { return machine_->faults_struck(); }
  void set_capacity(std::int64_t bytes) { machine_->set_capacity(bytes); }
  void crash() { machine_->crash(); }
  [[nodiscard]] bool has_crashed() const { return machine_->has_crashed(); }

  /// Locks and shared memory are gone, the files are as they were, and what was not synced can
  /// still be lost at a later power loss.
  [[nodiscard]] DiskImage after_process_death() const { return machine_->image(); }
  /// See DiskImage::after_power_loss. Leaves this disk as it is, so many seeds can be tried.
  [[nodiscard]] DiskImage after_power_loss(std::uint64_t seed) const;

  /// One text for each page that was written to a database file before its log or journal was
  /// synced. Meaningful under synchronous=NORMAL and above.
  [[nodiscard]] std::vector<std::string> violations() const { return machine_->violations(); }

 private:
  std::string name_;
  std::unique_ptr<CrashMachine> machine_;
  std::unique_ptr<sqlite3_vfs> vfs_;
};

}  // namespace holdfast::test
