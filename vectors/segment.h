#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <holdfast/core/id.h>

#include "flat_scan.h"
#include "graph_search.h"
#include "hnsw_graph.h"
#include "search_workspace.h"
#include "vector_array.h"

namespace holdfast::vectors {

/// Whose vector is in a slot. 32 bytes.
struct Member {
  std::uint8_t kind = 0;  ///< of the source: its place in the list of kinds
  Uuid id;
  std::uint32_t chunk = 0;
  /// Of the row that has the vector, to read it by. A number is given again once its row has gone.
  /// Reading by it is safe all the same: a search's snapshot has, of every slot whose source has not
  /// changed since it was taken in, the row that it was taken in from, and it leaves out the others.
  std::int64_t number = 0;

  /// The order in which equally distant vectors are answered. Members of one chunk are equal,
  /// whatever the row.
  std::strong_ordering operator<=>(const Member& other) const {
    if (kind != other.kind) return kind <=> other.kind;
    if (id != other.id) return id <=> other.id;
    return chunk <=> other.chunk;
  }
  bool operator==(const Member& other) const { return (*this <=> other) == 0; }
};
static_assert(sizeof(Member) == 32);

inline constexpr std::size_t kKindsMax = 256;

/// One bit for each of many slots, in words of 64. Bits behind the last slot are 0.
/// Thread safety: any number of readers, or one set().
class SlotBits {
 public:
  SlotBits() = default;
  explicit SlotBits(std::size_t count) : words_((count + 63) / 64) {}
  explicit SlotBits(std::vector<std::uint64_t> words) : words_(std::move(words)) {}

  bool test(Slot slot) const { return (words_[slot / 64] >> (slot % 64) & 1U) != 0; }
  void set(Slot slot) { words_[slot / 64] |= std::uint64_t{1} << (slot % 64); }
  std::size_t count() const;
  std::span<const std::uint64_t> words() const { return words_; }
  bool operator==(const SlotBits&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

/// Vectors and whose they are, slot by slot: what a segment is built from.
struct Contents {
  std::vector<std::string> kinds;  ///< what Member::kind counts in
  std::vector<Member> members;     ///< of all slots; no two are equal
  VectorArray array;
  std::int64_t cursor = 0;  ///< the change that they are as of
};

/// What a segment consists of.
struct SegmentParts {
  Contents contents;
  std::optional<HnswGraph> graph;  ///< none: searches scan
  SlotBits dead;                   ///< slots of the graph that are nobody's any more
  std::vector<Slot> order;         ///< the live slots by member
  std::vector<Slot> strays;        ///< live slots that the graph does not find, ascending
};

/// The vectors of one generation as of one change, and the graph that finds them. Never changes.
///
/// Dead slots are what earlier folds left in the graph to walk through. They stay dead for good: a
/// holder that lets further slots die begins with dead() and refuses both in `accepts`.
/// Thread safety: any thread.
class Segment {
 public:
  /// Throws Corrupt when the parts do not fit together. The arrays check themselves.
  explicit Segment(SegmentParts parts);

  const std::vector<std::string>& kinds() const { return parts_.contents.kinds; }
  /// Of slots, the dead ones included.
  std::size_t size() const { return parts_.contents.members.size(); }
  std::size_t live() const { return parts_.order.size(); }
  const Member& member(Slot slot) const { return parts_.contents.members[slot]; }
  const SlotBits& dead() const { return parts_.dead; }
  const VectorArray& array() const { return parts_.contents.array; }
  /// Null when searches scan.
  const HnswGraph* graph() const { return parts_.graph ? &*parts_.graph : nullptr; }
  std::int64_t cursor() const { return parts_.contents.cursor; }

  /// The live slots of one source, by chunk. Takes a binary search.
  std::span<const Slot> slots_of(std::uint8_t kind, const Uuid& id) const;
  /// All live slots, by member.
  std::span<const Slot> order() const { return parts_.order; }
  /// Live slots that searches look at one by one, as the graph does not find them. Ascending.
  std::span<const Slot> strays() const { return parts_.strays; }

  /// The nearest slots that `accepts(slot)` is true of, at most `ef` (1 or more), nearest first.
  /// `accepts` must be false of dead slots. `work.query` is prepared; the span lies in `work`.
  template <typename Accepts>
  std::span<const Candidate> search(SearchWorkspace& work, std::size_t ef, Accepts accepts) const;

  /// Of memory, including what is reserved.
  std::size_t bytes() const;

  const SegmentParts& parts() const { return parts_; }

 private:
  SegmentParts parts_;
};

/// Searches of that much effort find every live vector by itself: what the graph does not lead to is
/// kept as a stray.
inline constexpr std::size_t kStrayEf = 64;

/// How a segment is made.
struct SegmentBuild {
  std::optional<HnswParameters> graph;  ///< none: no graph, searches scan
  std::size_t stray_ef = kStrayEf;      ///< what this does not find is a stray
  std::size_t threads = 1;              ///< with 1, equal input makes an equal segment
  /// Called now and then with the slots that are in the graph. False stops.
  BuildControl control = {};
};

/// From vectors. Null when the control stopped it. Throws Corrupt when members and vectors do not
/// fit together or two members are equal.
std::unique_ptr<const Segment> build_segment(Contents contents, const SegmentBuild& build);

/// Whether a slot of the segment is still somebody's; not asked of its dead ones.
using IsLive = std::function<bool(Slot)>;

/// The segment without what died and with the tail's vectors added: as of the tail's cursor, in the
/// tail's kinds, which begin with the segment's. The codes and the graph are copied and added to;
/// when more than a quarter of the slots would be dead, or the parameters are others, the graph is
/// built anew from the codes of the live ones. Null when the control stopped it.
std::unique_ptr<const Segment> fold(const Segment& segment, const IsLive& is_live,
                                    const Contents& tail, const SegmentBuild& build);

template <typename Accepts>
std::span<const Candidate> Segment::search(SearchWorkspace& work, std::size_t ef,
                                           Accepts accepts) const {
  if (!parts_.graph) return scan(array(), work, ef, accepts);
  search_graph(*parts_.graph, array(), work, ef, accepts);
  std::vector<Candidate>& nearest = work.nearest;
  const std::size_t found = nearest.size();
  for (const Slot slot : parts_.strays) {
    // What the search met is among the nearest already, or is farther.
    if (!work.visited.insert(slot) || !accepts(slot)) continue;
    const Candidate stray{to_distance(array().metric(), work.query.comparable(array(), slot)),
                          slot};
    if (found == ef && !(stray < nearest[found - 1])) continue;
    // It may have come with an equal, unmet itself.
    const bool is_there = std::ranges::any_of(std::span(nearest).first(found),
                                              [slot](auto& each) { return each.slot == slot; });
    if (!is_there) nearest.push_back(stray);
  }
  if (nearest.size() > found) std::sort(nearest.begin(), nearest.end());
  if (nearest.size() > ef) nearest.resize(ef);
  return nearest;
}

}  // namespace holdfast::vectors
