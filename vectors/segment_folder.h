#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <holdfast/core/faults.h>

#include "segment_file.h"

namespace holdfast::vectors {

/// Where the segments of a database are kept: DATABASE-vectors/, a file for each generation. What
/// is in the folder may be removed at any time. Whoever may read the database may read the files.
/// Thread safety: any thread, any number of processes.
class SegmentFolder {
 public:
  /// Makes nothing yet. `faults` must outlive it.
  SegmentFolder(const std::filesystem::path& database, const core::Faults& faults);

  const std::filesystem::path& path() const { return path_; }
  /// A name that any model has: what is readable of its own, and a digest of space and model.
  std::filesystem::path path_of(const SegmentKey& key) const;

  /// See load_segment() and write_segment(); the first write makes the folder.
  [[nodiscard]] LoadedSegment load(const SegmentIdentity& wanted) const;
  [[nodiscard]] bool write(const SegmentIdentity& identity, const Segment& segment) const;

  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    bool is_temporary = false;
  };
  /// The files that are segments or left of them, by name. Others are not ours.
  std::vector<File> list() const;

  /// Removes the segments of all but the given generations, and what killed writers left. Returns
  /// how many files are gone. A segment that another process has just written for a generation that
  /// is not among them is removed too; it costs that process's successor a build.
  std::size_t remove_others(std::span<const SegmentKey> kept) const;
  /// Removes what killed writers left. Returns how many files are gone.
  std::size_t remove_leftovers() const;

 private:
  void make() const;

  const std::filesystem::path database_;
  const std::filesystem::path path_;
  const core::Faults& faults_;
};

}  // namespace holdfast::vectors
