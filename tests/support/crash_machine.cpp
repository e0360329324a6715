#include "support/crash_machine.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "support/crash_order.h"

namespace holdfast::test {
namespace {

constexpr std::int64_t kStartJulianMs = 212'602'449'600'000;  // 2025-01-01 00:00 UTC

int error_code(Operation operation) {
  switch (operation) {
    case Operation::write: return SQLITE_IOERR_WRITE;
    case Operation::truncate: return SQLITE_IOERR_TRUNCATE;
    case Operation::sync: return SQLITE_IOERR_FSYNC;
    case Operation::remove: return SQLITE_IOERR_DELETE;
    case Operation::read: return SQLITE_IOERR_READ;
  }
  return SQLITE_IOERR;
}

/// The live object of that name, or a new one.
template <typename T>
std::shared_ptr<T> shared_by_name(std::map<std::string, std::weak_ptr<T>>& all,
                                  const std::string& name) {
  std::weak_ptr<T>& known = all[name];
  std::shared_ptr<T> object = known.lock();
  if (!object) known = object = std::make_shared<T>();
  return object;
}

}  // namespace

CrashMachine::CrashMachine(DiskImage image, const DiskOptions& options)
    : options_(options),
      disk_(std::move(image)),
      random_(options.seed),
      capacity_bytes_(options.capacity_bytes),
      clock_us_(kStartJulianMs * 1000) {}

int CrashMachine::begin(Operation operation, const std::string& name,
                        std::optional<FaultKind>& struck) {
  if (has_crashed_) return error_code(operation);
  if (operation != Operation::read) ++operations_;
  struck = faults_.strike(operation, name);
  if (!struck) return SQLITE_OK;
  switch (*struck) {
    case FaultKind::crash:
    case FaultKind::torn_write: has_crashed_ = true; return error_code(operation);
    case FaultKind::disk_full: return SQLITE_FULL;
    case FaultKind::short_read: return SQLITE_IOERR_SHORT_READ;
    default: return error_code(operation);
  }
}

int CrashMachine::open(const char* name, int flags, OpenFile& opened) {
  const std::lock_guard guard(mutex_);
  if (has_crashed_) return SQLITE_IOERR;
  opened.flags = flags;
  if (name == nullptr) {
    opened.file = std::make_shared<StoredFile>();
  } else {
    opened.name = name;
    opened.file = disk_.find(opened.name);
    const bool creates = (flags & SQLITE_OPEN_CREATE) != 0;
    if (opened.file ? (flags & SQLITE_OPEN_EXCLUSIVE) != 0 : !creates) return SQLITE_CANTOPEN;
    if (!opened.file) opened.file = disk_.create(opened.name);
    // As in SQLite's own VFS for Unix: only journals and logs sync the directory.
    constexpr int kJournals =
        SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
    opened.syncs_directory = creates && (flags & kJournals) != 0;
    opened.lock = shared_by_name(locks_, opened.name);
  }
  ++open_files_;
  return SQLITE_OK;
}

void CrashMachine::close(OpenFile& file) {
  const std::lock_guard guard(mutex_);
  if (file.memory) file.memory->release_all(file.slots);
  if (file.lock) file.lock->unlock(&file, file.lock_level, SQLITE_LOCK_NONE);
  if ((file.flags & SQLITE_OPEN_DELETEONCLOSE) != 0 && !has_crashed_) disk_.remove(file.name);
  file.memory.reset();
  file.lock.reset();
  file.file.reset();
  --open_files_;
}

int CrashMachine::read(OpenFile& file, std::span<char> buffer, std::int64_t offset) {
  const std::lock_guard guard(mutex_);
  std::optional<FaultKind> struck;
  const int code = begin(Operation::read, file.name, struck);
  if (code != SQLITE_OK && struck != FaultKind::short_read) return code;
  const std::size_t wanted = struck ? buffer.size() / 2 : buffer.size();
  const std::string& image = file.file->now;
  const std::size_t begins = std::min(image.size(), static_cast<std::size_t>(offset));
  const std::size_t count = std::min(wanted, image.size() - begins);
  std::memcpy(buffer.data(), image.data() + begins, count);
  if (count == buffer.size()) return SQLITE_OK;
  // SQLite demands zeros where the file has nothing.
  std::memset(buffer.data() + count, 0, buffer.size() - count);
  return SQLITE_IOERR_SHORT_READ;
}

bool CrashMachine::fits(const StoredFile& file, std::int64_t new_size) const {
  const std::int64_t growth = new_size - static_cast<std::int64_t>(file.now.size());
  return growth <= 0 || growth <= capacity_bytes_ - disk_.total_bytes();
}

void CrashMachine::tear(OpenFile& file, std::string_view bytes, std::int64_t offset) {
  const std::int64_t end = offset + static_cast<std::int64_t>(bytes.size());
  const std::int64_t sectors = (end - 1) / kSectorBytes - offset / kSectorBytes + 1;
  const auto kept = static_cast<std::int64_t>(draw(random_, static_cast<std::uint64_t>(sectors)));
  if (kept == 0) return;
  const std::int64_t torn_at = (offset / kSectorBytes + kept) * kSectorBytes;
  DiskImage::write(*file.file, offset, bytes.substr(0, static_cast<std::size_t>(torn_at - offset)));
}

int CrashMachine::write(OpenFile& file, std::string_view bytes, std::int64_t offset) {
  const std::lock_guard guard(mutex_);
  std::optional<FaultKind> struck;
  const int code = begin(Operation::write, file.name, struck);
  if (struck == FaultKind::torn_write) tear(file, bytes, offset);
  if (code != SQLITE_OK) return code;
  if (!fits(*file.file, offset + static_cast<std::int64_t>(bytes.size()))) return SQLITE_FULL;
  if ((file.flags & SQLITE_OPEN_MAIN_DB) != 0) {
    auto violation = journal_order_violation(disk_, file.name, offset, bytes);
    if (violation) violations_.push_back(std::move(*violation));
  }
  DiskImage::write(*file.file, offset, bytes);
  return SQLITE_OK;
}

int CrashMachine::truncate(OpenFile& file, std::int64_t size) {
  const std::lock_guard guard(mutex_);
  std::optional<FaultKind> struck;
  const int code = begin(Operation::truncate, file.name, struck);
  if (code != SQLITE_OK) return code;
  if (!fits(*file.file, size)) return SQLITE_FULL;
  DiskImage::truncate(*file.file, size);
  return SQLITE_OK;
}

int CrashMachine::sync(OpenFile& file) {
  const std::lock_guard guard(mutex_);
  std::optional<FaultKind> struck;
  const int code = begin(Operation::sync, file.name, struck);
  if (struck == FaultKind::sync_error && options_.failed_sync_forgets) {
    DiskImage::forget_unsynced(*file.file);
  }
  if (code != SQLITE_OK) return code;
  DiskImage::sync(*file.file);
  if (std::exchange(file.syncs_directory, false)) disk_.sync_directory(file.name);
  return SQLITE_OK;
}

int CrashMachine::size(OpenFile& file, std::int64_t& bytes) {
  const std::lock_guard guard(mutex_);
  if (has_crashed_) return SQLITE_IOERR_FSTAT;
  bytes = static_cast<std::int64_t>(file.file->now.size());
  return SQLITE_OK;
}

int CrashMachine::remove(const std::string& name, bool syncs_directory) {
  const std::lock_guard guard(mutex_);
  std::optional<FaultKind> struck;
  const int code = begin(Operation::remove, name, struck);
  if (code != SQLITE_OK) return code;
  if (!disk_.find(name)) return SQLITE_IOERR_DELETE_NOENT;
  disk_.remove(name);
  if (syncs_directory) disk_.sync_directory(name);
  return SQLITE_OK;
}

int CrashMachine::exists(const std::string& name, bool& answer) {
  const std::lock_guard guard(mutex_);
  if (has_crashed_) return SQLITE_IOERR_ACCESS;
  const auto file = disk_.find(name);
  // As in SQLite's own VFS for Unix, an empty file is no journal.
  answer = file && !file->now.empty();
  return SQLITE_OK;
}

int CrashMachine::lock(OpenFile& file, int level) {
  const std::lock_guard guard(mutex_);
  if (has_crashed_) return SQLITE_IOERR_LOCK;
  return file.lock ? file.lock->lock(&file, file.lock_level, level) : SQLITE_OK;
}

int CrashMachine::unlock(OpenFile& file, int level) {
  const std::lock_guard guard(mutex_);
  if (file.lock) file.lock->unlock(&file, file.lock_level, level);
  return SQLITE_OK;
}

int CrashMachine::is_reserved(OpenFile& file, bool& answer) {
  const std::lock_guard guard(mutex_);
  if (has_crashed_) return SQLITE_IOERR_CHECKRESERVEDLOCK;
  answer = file.lock && file.lock->is_reserved();
  return SQLITE_OK;
}

int CrashMachine::map_memory(OpenFile& file, int region, int bytes, bool extends,
                             volatile void** mapped) {
  const std::lock_guard guard(mutex_);
  if (has_crashed_) return SQLITE_IOERR_SHMMAP;
  if (!file.memory) file.memory = shared_by_name(memories_, file.name);
  *mapped = file.memory->region(region, bytes, extends);
  return SQLITE_OK;
}

int CrashMachine::lock_memory(OpenFile& file, int first, int count, int flags) {
  const std::lock_guard guard(mutex_);
  const bool releases = (flags & SQLITE_SHM_UNLOCK) != 0;
  if ((has_crashed_ && !releases) || !file.memory) return SQLITE_IOERR_SHMLOCK;
  return file.memory->lock(file.slots, first, count, flags);
}

void CrashMachine::barrier() { const std::lock_guard guard(mutex_); }

void CrashMachine::unmap_memory(OpenFile& file) {
  const std::lock_guard guard(mutex_);
  if (file.memory) file.memory->release_all(file.slots);
  file.memory.reset();
}

void CrashMachine::randomness(std::span<char> buffer) {
  const std::lock_guard guard(mutex_);
  for (char& byte : buffer) byte = static_cast<char>(draw(random_, 256));
}

void CrashMachine::sleep(int microseconds) {
  {
    const std::lock_guard guard(mutex_);
    clock_us_ += microseconds;
    if (has_crashed_ || !options_.sleeps) return;
  }
  // SQLite's busy handler must let the other thread run.
  const std::chrono::microseconds pause(microseconds);
  std::this_thread::sleep_for(pause);  // lint: allow(time-and-chance) a VFS has no Clock
}

std::int64_t CrashMachine::julian_ms() {
  const std::lock_guard guard(mutex_);
  clock_us_ += 1000;  // two readings differ, as they would on a slow machine
  return clock_us_ / 1000;
}

void CrashMachine::arm(const Fault& fault) {
  const std::lock_guard guard(mutex_);
  faults_.arm(fault);
}

void CrashMachine::disarm() {
  const std::lock_guard guard(mutex_);
  faults_.disarm();
}

void CrashMachine::set_capacity(std::int64_t bytes) {
  const std::lock_guard guard(mutex_);
  capacity_bytes_ = bytes;
}

void CrashMachine::crash() {
  const std::lock_guard guard(mutex_);
  has_crashed_ = true;
}

bool CrashMachine::has_crashed() const {
  const std::lock_guard guard(mutex_);
  return has_crashed_;
}

long CrashMachine::operations() const {
  const std::lock_guard guard(mutex_);
  return operations_;
}

long CrashMachine::faults_struck() const {
  const std::lock_guard guard(mutex_);
  return faults_.struck();
}

int CrashMachine::open_files() const {
  const std::lock_guard guard(mutex_);
  return open_files_;
}

DiskImage CrashMachine::image() const {
  const std::lock_guard guard(mutex_);
  return disk_;
}

std::vector<std::string> CrashMachine::violations() const {
  const std::lock_guard guard(mutex_);
  return violations_;
}

}  // namespace holdfast::test
