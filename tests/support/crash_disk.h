#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// A draw from 0 to bound - 1. Ours, since the standard distributions differ between libraries.
inline std::uint64_t draw(std::mt19937_64& random, std::uint64_t bound) { return random() % bound; }

inline constexpr std::int64_t kSectorBytes = 512;

/// One change of a file that no sync has made durable yet.
struct UnsyncedChange {
  bool is_truncation = false;
  std::int64_t offset = 0;  ///< of a truncation: the new size
  std::string bytes;
  /// A failed sync made the page cache forget that the change still has to be written, so that a
  /// later sync succeeds without it.
  bool forgotten = false;
};

/// A file as the running machine sees it, and as the platter holds it. A file outlives its name
/// for as long as a handle is open.
struct StoredFile {
  std::string now;
  std::string durable;
  std::vector<UnsyncedChange> unsynced;
};

/// Everything a disk holds: files, their names, and what of both would not survive a power loss.
///
/// A value: a copy shares nothing with the original, so one image can start any number of disks.
/// Names are byte strings; the text before the last '/' is the directory.
/// Thread safety: none.
class DiskImage {
 public:
  using FileRef = std::shared_ptr<StoredFile>;

  DiskImage() = default;
  DiskImage(const DiskImage& other);
  DiskImage& operator=(const DiskImage& other);
  DiskImage(DiskImage&&) = default;
  DiskImage& operator=(DiskImage&&) = default;
  ~DiskImage() = default;

  /// Contents of a file as a live process sees them; none when the name is missing.
  [[nodiscard]] std::optional<std::string> bytes(const std::string& name) const;
  /// Creates or replaces a file and makes it durable: for tests that prepare or damage one.
  void put(const std::string& name, std::string bytes);
  [[nodiscard]] std::vector<std::string> names() const;
  /// Bytes of all named files together.
  [[nodiscard]] std::int64_t total_bytes() const;

  /// Null when the name is missing.
  [[nodiscard]] FileRef find(const std::string& name) const;
  FileRef create(const std::string& name);
  /// The name is gone at once, but comes back at a power loss unless its directory was synced.
  void remove(const std::string& name);

  static void write(StoredFile& file, std::int64_t offset, std::string_view bytes);
  static void truncate(StoredFile& file, std::int64_t size);
  static void sync(StoredFile& file);
  /// What Linux does when write-back fails: the changes stay visible and count as written.
  static void forget_unsynced(StoredFile& file);
  /// Makes creations and removals beside `name` durable.
  void sync_directory(const std::string& name);

  /// What the machine finds after its power came back. Each unsynced change is dropped, kept,
  /// kept in some sectors, or damaged; each unsynced name is old or new. Same seed, same result.
  /// With `powersafe_overwrite`, bytes beside a write in its sector are never damaged.
  [[nodiscard]] DiskImage after_power_loss(std::uint64_t seed, bool powersafe_overwrite) const;

 private:
  std::map<std::string, FileRef> now_;
  std::map<std::string, FileRef> durable_;
};

}  // namespace holdfast::test
