#include "live_index.h"

namespace holdfast::vectors {

LiveIndex::LiveIndex(std::shared_ptr<const Segment> segment)
    : segment_(std::move(segment)),
      cursor_(static_cast<std::uint64_t>(segment_->cursor())),
      dead_(segment_->dead().words().begin(), segment_->dead().words().end()),
      dead_count_(segment_->size() - segment_->live()),
      tail_(segment_->array().dimension(), segment_->array().metric(), segment_->array().form()),
      workspaces_(tail_) {}

void LiveIndex::bury(const SourceKey& source) {
  const std::size_t before = dead_count_;
  for_each_slot(source, [this](Slot slot) {
    dead_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    ++dead_count_;
  });
  const auto found = tail_of_.find(source);
  if (dead_count_ == before || found == tail_of_.end()) return;
  tail_live_ -= found->second.count;
  tail_of_.erase(found);
}

void LiveIndex::take(const SourceVectors& now) {
  bury(now.source);
  const std::size_t dimension = tail_.dimension();
  const auto first = static_cast<Slot>(size());
  for (std::size_t i = 0; i < now.members.size(); ++i) {
    tail_.add(std::span(now.vectors).subspan(i * dimension, dimension));
    members_.push_back(now.members[i]);
  }
  dead_.resize((size() + 63) / 64);
  if (!now.members.empty()) {
    const auto count = static_cast<Slot>(now.members.size());
    tail_of_[now.source] = {.first = first, .count = count};
    tail_live_ += count;
  }
  cursor_ = now.change;
}

std::unique_ptr<LiveIndex> LiveIndex::copy() const {
  auto other = std::make_unique<LiveIndex>(segment_);
  other->cursor_ = cursor_;
  other->dead_ = dead_;
  other->dead_count_ = dead_count_;
  other->tail_ = tail_;
  other->members_ = members_;
  other->tail_of_ = tail_of_;
  other->tail_live_ = tail_live_;
  return other;
}

Contents LiveIndex::tail_contents() const {
  Contents contents{.kinds = segment_->kinds(),
                    .members = {},
                    .array = VectorArray(tail_.dimension(), tail_.metric(), tail_.form()),
                    .cursor = static_cast<std::int64_t>(cursor_)};
  contents.members.reserve(tail_live_);
  contents.array.reserve(tail_live_);
  for (Slot slot = tail_begin(); slot < size(); ++slot) {
    if (is_dead(slot)) continue;
    contents.members.push_back(member(slot));
    contents.array.add_from(tail_, slot_in_array(slot));
  }
  return contents;
}

std::size_t LiveIndex::bytes() const {
  constexpr std::size_t kEntryBytes = sizeof(SourceKey) + sizeof(Run) + 2 * sizeof(void*);
  return segment_->bytes() + tail_.bytes() + members_.capacity() * sizeof(Member) +
         dead_.capacity() * sizeof(std::uint64_t) + tail_of_.size() * kEntryBytes;
}

}  // namespace holdfast::vectors
