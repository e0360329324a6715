#pragma once

#include <memory>
#include <string>
#include <variant>

#include <holdfast/core/faults.h>

#include "segment.h"
#include "segment_format.h"

/// A segment in a file: a cache, which is used only while nothing about it is in doubt.
/// Thread safety: any thread; a file that is being written is not written by another.
namespace holdfast::vectors {

/// Why a file was not used.
struct NotUsable {
  enum class Kind {
    missing,     ///< there is none
    other,       ///< of another identity, or of another version of the format
    damaged,     ///< not what was written
    unreadable,  ///< the system refused: no permission, an I/O error, no file
  };
  Kind kind = Kind::missing;
  std::string why;  ///< reads on from "not usable, because "
};

using LoadedSegment = std::variant<std::unique_ptr<const Segment>, NotUsable>;

/// The segment that was written to the file. Whatever the file holds, it is either that or
/// NotUsable; memory is taken for no more than its length.
[[nodiscard]] LoadedSegment load_segment(const std::string& path, const SegmentIdentity& wanted);

/// The file's header, and how long the file is; nothing behind the header has been looked at.
struct SegmentLook {
  SegmentHeader header;
  std::uint64_t bytes = 0;
};
[[nodiscard]] std::variant<SegmentLook, NotUsable> look_at_segment(const std::string& path);

/// Replaces the file as a whole: killed at any point, the old one or the new one is there, and at
/// most one other, temporary_path(). False when another writer has that in hand. The identity is
/// that of the segment's array and graph; `mode` are the file's permissions. Throws Full and
/// Unavailable, and then the old file is there and the temporary one is not; only when the folder
/// could not be synced may it be the new one.
[[nodiscard]] bool write_segment(const std::string& path, unsigned mode,
                                 const SegmentIdentity& identity, const Segment& segment,
                                 const core::Faults& faults);

std::string temporary_path(const std::string& path);
/// Removes what a killed writer left. False when a writer is at work on it.
bool remove_temporary(const std::string& path);

/// Makes renames, removals and new folders in a folder durable.
void sync_folder(const std::string& path);

}  // namespace holdfast::vectors
