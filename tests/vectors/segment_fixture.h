#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "vectors/segment_bytes.h"
#include "vectors/segment_file.h"

namespace holdfast::test {

using namespace holdfast::vectors;

/// A folder of its own, removed with everything in it at the end.
class SegmentTestFolder {
 public:
  SegmentTestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "holdfast-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~SegmentTestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  SegmentTestFolder(const SegmentTestFolder&) = delete;
  SegmentTestFolder& operator=(const SegmentTestFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::vector<float> random_vector(std::mt19937& random, std::size_t dimension) {
  std::normal_distribution<float> normal;
  std::vector<float> vector(dimension);
  for (float& component : vector) component = normal(random);
  return vector;
}

inline Uuid uuid_of(std::uint32_t number) {
  Uuid id;
  for (std::size_t i = 0; i < 4; ++i) {
    id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  return id;
}

struct Shape {
  std::size_t dimension = 12;
  Metric metric = Metric::cosine;
  Form form = Form::codes;
};

inline Contents empty_contents(const Shape& shape = {}) {
  return {.kinds = {"entity", "note"},
          .members = {},
          .array = VectorArray(shape.dimension, shape.metric, shape.form),
          .cursor = 0};
}

/// Random vectors of sources with two chunks each, their ids in no order.
inline Contents random_contents(std::size_t count, const Shape& shape = {},
                                std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  Contents contents = empty_contents(shape);
  contents.cursor = 7;
  for (std::uint32_t i = 0; i < count; ++i) {
    contents.array.add(random_vector(random, shape.dimension));
    contents.members.push_back({.kind = static_cast<std::uint8_t>(i % 2),
                                .id = uuid_of((i / 4) * 2654435761U),
                                .chunk = (i / 2) % 2,
                                .number = std::int64_t{i} + 1});
  }
  return contents;
}

inline SegmentBuild graph_build() {
  return {.graph = HnswParameters{.m = 4, .ef_construction = 20, .seed = 1}};
}

inline std::unique_ptr<const Segment> graph_segment(std::size_t count, const Shape& shape = {}) {
  return build_segment(random_contents(count, shape), graph_build());
}

inline SegmentIdentity identity_of(const Segment& segment) {
  return {.key = {.space = uuid_of(99), .model = "all-MiniLM L6/v2", .generation = 3},
          .database = "the database",
          .signature = {1, 2, 3},
          .dimension = segment.array().dimension(),
          .metric = segment.array().metric(),
          .form = segment.array().form(),
          .graph = graph_build().graph.value()};
}

/// Whether the slot is found, by its own vector, among the nearest that are not dead.
inline bool finds(const Segment& segment, Slot slot, std::size_t ef = 64) {
  SearchWorkspace work(segment.array());
  work.query.prepare(segment.array(), slot);
  const auto found =
      segment.search(work, ef, [&](Slot each) { return !segment.dead().test(each); });
  return std::any_of(found.begin(), found.end(),
                     [slot](const Candidate& each) { return each.slot == slot; });
}

/// Uses everything there is in a segment, whatever it is: answers must be slots, each once, live,
/// as many as there are, nearest first.
inline bool holds_together(const Segment& segment) {
  SearchWorkspace work(segment.array());
  std::mt19937 random(5);
  for (int i = 0; i < 4; ++i) {
    work.query.prepare(random_vector(random, segment.array().dimension()));
    const auto found =
        segment.search(work, 8, [&](Slot slot) { return !segment.dead().test(slot); });
    std::vector<Slot> slots;
    for (const Candidate& each : found) slots.push_back(each.slot);
    std::sort(slots.begin(), slots.end());
    if (std::adjacent_find(slots.begin(), slots.end()) != slots.end()) return false;
    if (!slots.empty() && slots.back() >= segment.size()) return false;
    for (const Slot slot : slots) {
      if (segment.dead().test(slot)) return false;
    }
    if (!std::ranges::is_sorted(found, {}, &Candidate::distance)) return false;
  }
  for (const Slot slot : segment.order()) {
    const Member& member = segment.member(slot);
    if (segment.slots_of(member.kind, member.id).empty()) return false;
    if (member.kind >= segment.kinds().size()) return false;
  }
  return true;
}

/// What the file would hold.
inline std::string written(const Segment& segment, const SegmentIdentity& identity) {
  const SegmentTestFolder folder;
  const core::Faults faults;
  REQUIRE(write_segment(folder / "a", 0600, identity, segment, faults));
  return bytes_of(folder / "a");
}

inline std::string written(const Segment& segment) {
  return written(segment, identity_of(segment));
}

inline LoadedSegment loaded(const std::string& bytes, const SegmentIdentity& identity) {
  const SegmentTestFolder folder;
  put_bytes(folder / "a", bytes);
  return load_segment(folder / "a", identity);
}

/// Null when it was not usable.
inline const Segment* segment_in(const LoadedSegment& loaded) {
  const auto* const segment = std::get_if<std::unique_ptr<const Segment>>(&loaded);
  return segment != nullptr ? segment->get() : nullptr;
}

inline std::string why_not(const LoadedSegment& loaded) {
  const auto* const reason = std::get_if<NotUsable>(&loaded);
  return reason != nullptr ? reason->why : "it is usable";
}

}  // namespace holdfast::test
