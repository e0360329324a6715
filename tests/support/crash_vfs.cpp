#include "support/crash_vfs.h"

#include <sqlite3.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace holdfast::test {
namespace {

constexpr int kPathBytesMax = 512;

/// What SQLite allocates for a file. It begins with SQLite's own struct.
struct VfsFile {
  sqlite3_file base;
  CrashMachine* machine;
  OpenFile* open;
};

VfsFile& handle(sqlite3_file* file) { return *reinterpret_cast<VfsFile*>(file); }
CrashMachine& machine_of(sqlite3_file* file) { return *handle(file).machine; }
OpenFile& open_of(sqlite3_file* file) { return *handle(file).open; }
CrashMachine& machine_of(sqlite3_vfs* vfs) { return *static_cast<CrashMachine*>(vfs->pAppData); }

// SQLite is C: nothing may be thrown through it, so each function ends the process instead.

int x_close(sqlite3_file* file) noexcept {
  machine_of(file).close(open_of(file));
  delete handle(file).open;
  return SQLITE_OK;
}

int x_read(sqlite3_file* file, void* buffer, int bytes, sqlite3_int64 offset) noexcept {
  const std::span<char> span(static_cast<char*>(buffer), static_cast<std::size_t>(bytes));
  return machine_of(file).read(open_of(file), span, offset);
}

int x_write(sqlite3_file* file, const void* buffer, int bytes, sqlite3_int64 offset) noexcept {
  const std::string_view view(static_cast<const char*>(buffer), static_cast<std::size_t>(bytes));
  return machine_of(file).write(open_of(file), view, offset);
}

int x_truncate(sqlite3_file* file, sqlite3_int64 size) noexcept {
  return machine_of(file).truncate(open_of(file), size);
}

int x_sync(sqlite3_file* file, int) noexcept { return machine_of(file).sync(open_of(file)); }

int x_file_size(sqlite3_file* file, sqlite3_int64* size) noexcept {
  std::int64_t bytes = 0;
  const int code = machine_of(file).size(open_of(file), bytes);
  *size = bytes;
  return code;
}

int x_lock(sqlite3_file* file, int level) noexcept {
  return machine_of(file).lock(open_of(file), level);
}

int x_unlock(sqlite3_file* file, int level) noexcept {
  return machine_of(file).unlock(open_of(file), level);
}

int x_check_reserved_lock(sqlite3_file* file, int* answer) noexcept {
  bool is_reserved = false;
  const int code = machine_of(file).is_reserved(open_of(file), is_reserved);
  *answer = is_reserved ? 1 : 0;
  return code;
}

int x_file_control(sqlite3_file*, int, void*) noexcept { return SQLITE_NOTFOUND; }

int x_sector_size(sqlite3_file*) noexcept { return static_cast<int>(kSectorBytes); }

int x_device_characteristics(sqlite3_file* file) noexcept {
  return machine_of(file).options().powersafe_overwrite ? SQLITE_IOCAP_POWERSAFE_OVERWRITE : 0;
}

int x_shm_map(sqlite3_file* file, int region, int bytes, int extends,
              volatile void** mapped) noexcept {
  return machine_of(file).map_memory(open_of(file), region, bytes, extends != 0, mapped);
}

int x_shm_lock(sqlite3_file* file, int first, int count, int flags) noexcept {
  return machine_of(file).lock_memory(open_of(file), first, count, flags);
}

void x_shm_barrier(sqlite3_file* file) noexcept { machine_of(file).barrier(); }

int x_shm_unmap(sqlite3_file* file, int) noexcept {
  machine_of(file).unmap_memory(open_of(file));
  return SQLITE_OK;
}

const sqlite3_io_methods kMethods = {
    .iVersion = 2,
    .xClose = x_close,
    .xRead = x_read,
    .xWrite = x_write,
    .xTruncate = x_truncate,
    .xSync = x_sync,
    .xFileSize = x_file_size,
    .xLock = x_lock,
    .xUnlock = x_unlock,
    .xCheckReservedLock = x_check_reserved_lock,
    .xFileControl = x_file_control,
    .xSectorSize = x_sector_size,
    .xDeviceCharacteristics = x_device_characteristics,
    .xShmMap = x_shm_map,
    .xShmLock = x_shm_lock,
    .xShmBarrier = x_shm_barrier,
    .xShmUnmap = x_shm_unmap,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int x_open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
           int* out_flags) noexcept {
  file->pMethods = nullptr;  // tells SQLite not to close what did not open
  auto opened = std::make_unique<OpenFile>();
  const int code = machine_of(vfs).open(name, flags, *opened);
  if (code != SQLITE_OK) return code;
  new (file) VfsFile{{&kMethods}, &machine_of(vfs), opened.release()};
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int x_delete(sqlite3_vfs* vfs, const char* name, int syncs_directory) noexcept {
  return machine_of(vfs).remove(name, syncs_directory != 0);
}

int x_access(sqlite3_vfs* vfs, const char* name, int, int* answer) noexcept {
  bool exists = false;
  const int code = machine_of(vfs).exists(name, exists);
  *answer = exists ? 1 : 0;
  return code;
}

int x_full_pathname(sqlite3_vfs*, const char* name, int bytes, char* full) noexcept {
  if (static_cast<std::size_t>(bytes) <= std::strlen(name)) return SQLITE_CANTOPEN;
  std::strcpy(full, name);
  return SQLITE_OK;
}

int x_randomness(sqlite3_vfs* vfs, int bytes, char* buffer) noexcept {
  machine_of(vfs).randomness({buffer, static_cast<std::size_t>(bytes)});
  return bytes;
}

int x_sleep(sqlite3_vfs* vfs, int microseconds) noexcept {
  machine_of(vfs).sleep(microseconds);
  return microseconds;
}

int x_current_time_int64(sqlite3_vfs* vfs, sqlite3_int64* julian_ms) noexcept {
  *julian_ms = machine_of(vfs).julian_ms();
  return SQLITE_OK;
}

int x_current_time(sqlite3_vfs* vfs, double* julian_days) noexcept {
  *julian_days = static_cast<double>(machine_of(vfs).julian_ms()) / 86'400'000.0;
  return SQLITE_OK;
}

int x_get_last_error(sqlite3_vfs*, int, char*) noexcept { return 0; }

std::string unique_name() {
  static std::atomic<long> count{0};
  return "crash-disk-" + std::to_string(++count);
}

}  // namespace

void seed_sqlite_randomness(std::uint64_t seed) {
  constexpr std::uint64_t kSeedsMax = INT32_MAX;  // SQLite takes an int, and 0 for "no seed"
  sqlite3* const none = nullptr;
  sqlite3_initialize();
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, static_cast<int>(seed % kSeedsMax) + 1, none);
}

CrashDisk::CrashDisk(const DiskOptions& options) : CrashDisk(DiskImage(), options) {}

CrashDisk::CrashDisk(DiskImage image, const DiskOptions& options)
    : name_(unique_name()),
      machine_(std::make_unique<CrashMachine>(std::move(image), options)),
      vfs_(std::make_unique<sqlite3_vfs>()) {
  vfs_->iVersion = 2;
  vfs_->szOsFile = sizeof(VfsFile);
  vfs_->mxPathname = kPathBytesMax;
  vfs_->zName = name_.c_str();
  vfs_->pAppData = machine_.get();
  vfs_->xOpen = x_open;
  vfs_->xDelete = x_delete;
  vfs_->xAccess = x_access;
  vfs_->xFullPathname = x_full_pathname;
  vfs_->xRandomness = x_randomness;
  vfs_->xSleep = x_sleep;
  vfs_->xCurrentTime = x_current_time;
  vfs_->xCurrentTimeInt64 = x_current_time_int64;
  vfs_->xGetLastError = x_get_last_error;
  if (sqlite3_vfs_register(vfs_.get(), 0) != SQLITE_OK) std::abort();
}

CrashDisk::~CrashDisk() {
  if (machine_->open_files() != 0) {
    std::fprintf(stderr, "%s: a connection is still open\n", name_.c_str());
    std::abort();
  }
  sqlite3_vfs_unregister(vfs_.get());
}

DiskImage CrashDisk::after_power_loss(std::uint64_t seed) const {
  return machine_->image().after_power_loss(seed, machine_->options().powersafe_overwrite);
}

}  // namespace holdfast::test
