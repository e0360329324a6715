#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "segment.h"

namespace holdfast::vectors {

/// Whose vectors are meant.
struct SourceKey {
  std::uint8_t kind = 0;  ///< as in Member
  Uuid id;
  auto operator<=>(const SourceKey&) const = default;
};
inline SourceKey source_of(const Member& member) { return {member.kind, member.id}; }

struct SourceHash {
  std::size_t operator()(const SourceKey& key) const noexcept {
    return std::hash<Uuid>{}(key.id) + key.kind;
  }
};

/// A source's vectors as they are now: none when it has lost them.
struct SourceVectors {
  SourceKey source;
  std::uint64_t change = 0;
  std::vector<Member> members{};  ///< by chunk
  std::vector<float> vectors{};   ///< of each member, one behind the other
};

/// The index of one generation in memory, as of one change: a segment that never changes, a bit for
/// each slot that has died since, and a flat tail of what came later. Slots count through both, the
/// tail's behind the segment's.
/// Thread safety: any number of readers, or one take().
class LiveIndex {
 public:
  explicit LiveIndex(std::shared_ptr<const Segment> segment);

  /// From now on the source has these, as of that change, which is later than the cursor.
  void take(const SourceVectors& now);

  const Segment& segment() const { return *segment_; }
  std::shared_ptr<const Segment> shared_segment() const { return segment_; }
  std::uint64_t cursor() const { return cursor_; }
  /// Of slots, the dead ones included.
  std::size_t size() const { return segment_->size() + members_.size(); }
  std::size_t live() const { return size() - dead_count_; }
  std::size_t dead() const { return dead_count_; }
  Slot tail_begin() const { return static_cast<Slot>(segment_->size()); }
  std::size_t tail_live() const { return tail_live_; }
  const Member& member(Slot slot) const {
    return slot < tail_begin() ? segment_->member(slot) : members_[slot - tail_begin()];
  }
  bool is_dead(Slot slot) const { return (dead_[slot / 64] >> (slot % 64) & 1U) != 0; }
  /// A bit for each slot, set for the dead.
  const std::vector<std::uint64_t>& dead_words() const { return dead_; }
  bool is_in_floats() const { return tail_.form() == Form::floats; }
  const VectorArray& array_of(Slot slot) const {
    return slot < tail_begin() ? segment_->array() : tail_;
  }
  Slot slot_in_array(Slot slot) const { return slot < tail_begin() ? slot : slot - tail_begin(); }

  /// Of the source, those that are not dead.
  template <class Visit>
  void for_each_slot(const SourceKey& source, Visit visit) const {
    for (const Slot slot : segment_->slots_of(source.kind, source.id)) {
      if (!is_dead(slot)) visit(slot);
    }
    const auto found = tail_of_.find(source);
    if (found == tail_of_.end()) return;
    for (Slot i = 0; i < found->second.count; ++i) visit(found->second.first + i);
  }

  /// With the same segment, and a tail and marks of its own.
  std::unique_ptr<LiveIndex> copy() const;
  /// What is live of the tail, to be folded in.
  Contents tail_contents() const;
  WorkspacePool& workspaces() const { return workspaces_; }
  std::size_t bytes() const;

 private:
  struct Run {
    Slot first = 0;
    Slot count = 0;
  };
  void bury(const SourceKey& source);

  std::shared_ptr<const Segment> segment_;
  std::uint64_t cursor_ = 0;
  std::vector<std::uint64_t> dead_;
  std::size_t dead_count_ = 0;
  VectorArray tail_;
  std::vector<Member> members_;  ///< of the tail
  std::unordered_map<SourceKey, Run, SourceHash> tail_of_;  ///< live ones only
  std::size_t tail_live_ = 0;
  mutable WorkspacePool workspaces_;
};

}  // namespace holdfast::vectors
