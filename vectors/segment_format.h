#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checksum.h"
#include "segment.h"

/// The header of a segment's file. All numbers are little-endian; what is here is frozen but for a
/// new version.
///
///   magic, version u32, bytes of the header u32, bytes of the file u64,
///   space 16, signature 32, generation i64, cursor i64,
///   dimension u32, metric u8, form u8, whether there is a graph u8, 0 u8,
///   m u32, ef_construction u32, seed u64, slots u64, entry point i32, 0 u32,
///   bytes of each section 8 x u64,
///   database, model: each length u16 and text; kinds: count u16, each length u16 and text,
///   XXH3-128 of all of the header before it.
///
/// Behind it lie the sections, without gaps, and XXH3-128 of all before it.
namespace holdfast::vectors {

/// Which vectors a file is of.
struct SegmentKey {
  Uuid space;
  std::string model;
  std::int64_t generation = 0;
  bool operator==(const SegmentKey&) const = default;
};

/// Which vectors a file is of and how they are kept. One of another identity is of no use.
struct SegmentIdentity {
  SegmentKey key;
  std::string database;  ///< which one, by whatever its holder tells databases apart with
  std::array<std::uint8_t, 32> signature{};  ///< digest of the generation's declaration
  std::size_t dimension = 0;
  Metric metric = Metric::cosine;
  Form form = Form::codes;
  HnswParameters graph;  ///< that a graph is built with, also while there is none
  bool operator==(const SegmentIdentity&) const = default;
};

inline constexpr std::size_t kSegmentDimensionMax = 8'192;
inline constexpr std::size_t kIdentityTextBytesMax = 1'024;  ///< of database, model and each kind

/// The parts of a file behind its header, in their order.
enum class Section : std::uint8_t {
  members,    ///< 32 bytes a slot: kind u8, id 16, 0 x 3, chunk u32, number of the row i64
  order,      ///< u32 a live slot
  dead,       ///< u64 for each 64 slots
  vectors,    ///< codes or floats
  factors,    ///< 12 bytes a slot: scale f32, squared norm f32, sum i32
  strays,     ///< u32 a stray
  levels,     ///< with a graph: i32 a slot
  neighbors,  ///< with a graph: i32 each
};
inline constexpr std::size_t kSections = 8;

struct SegmentHeader {
  SegmentIdentity identity;
  std::int64_t cursor = 0;
  std::vector<std::string> kinds;
  std::uint64_t slots = 0;
  bool has_graph = false;
  std::int32_t entry_point = -1;
  std::array<std::uint64_t, kSections> section_bytes{};

  std::uint64_t bytes_of(Section section) const {
    return section_bytes[static_cast<std::size_t>(section)];
  }
  bool operator==(const SegmentHeader&) const = default;
};

inline constexpr std::uint32_t kSegmentVersion = 1;
inline constexpr std::size_t kPreambleBytes = 24;  ///< of what tells the header's length
inline constexpr std::size_t kChecksumBytes = sizeof(Checksum);
inline constexpr std::size_t kHeaderBytesMax = std::size_t{1} << 19U;

/// The header's bytes. Throws InvalidArgument when the identity does not fit in.
std::string encode(const SegmentHeader& header);

/// The length of the header that begins with these kPreambleBytes, in a file of that many bytes.
/// Throws Unsupported for another version, Corrupt for anything else that is not one.
std::size_t header_bytes(std::span<const char> preamble, std::uint64_t file_bytes);
/// From as many bytes as header_bytes() said. Throws Corrupt when they are not a header, or when
/// the sections are not those of so many slots and of such a file.
SegmentHeader decode(std::span<const char> header, std::uint64_t file_bytes);

/// How a file's identity differs from the one that is wanted, as in "it is of another space".
std::optional<std::string> difference(const SegmentIdentity& file, const SegmentIdentity& wanted);

}  // namespace holdfast::vectors
