#include "segment.h"

#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include <holdfast/core/error.h>

namespace holdfast::vectors {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Corrupt("segment: " + what); }

void check_members(const Contents& contents) {
  if (contents.cursor < 0) refuse("its change is negative");
  if (contents.kinds.size() > kKindsMax) refuse("too many kinds");
  if (contents.members.size() != contents.array.size()) refuse("members and vectors differ");
  if (contents.members.size() > std::numeric_limits<std::int32_t>::max()) refuse("too many slots");
  for (const Member& member : contents.members) {
    if (member.kind >= contents.kinds.size()) refuse("a member's kind is out of range");
    if (member.number < 1) refuse("a row's number is out of range");
  }
}

void check_dead(const SegmentParts& parts) {
  const std::size_t size = parts.contents.members.size();
  const auto words = parts.dead.words();
  if (words.size() != (size + 63) / 64) refuse("the dead are not as many bits as there are slots");
  if (size % 64 != 0 && words.back() >> (size % 64) != 0) refuse("a slot out of range is dead");
  const std::size_t dead = parts.dead.count();
  if (!parts.graph && dead > 0) refuse("slots are dead without a graph");
  if (parts.order.size() != size - dead) refuse("the order is not one of all live slots");
}

/// With that, and no two of them equal, the order is one of exactly the live slots.
void check_order(const SegmentParts& parts) {
  const std::vector<Member>& members = parts.contents.members;
  const Member* last = nullptr;
  for (const Slot slot : parts.order) {
    if (slot >= members.size()) refuse("a slot of the order is out of range");
    if (parts.dead.test(slot)) refuse("a slot of the order is dead");
    const Member& member = members[slot];
    if (last != nullptr && !(*last < member)) refuse("two members are equal or out of order");
    last = &member;
  }
}

void check_strays(const SegmentParts& parts) {
  if (!parts.graph && !parts.strays.empty()) refuse("it has strays without a graph");
  for (std::size_t i = 0; i < parts.strays.size(); ++i) {
    const Slot slot = parts.strays[i];
    if (slot >= parts.contents.members.size()) refuse("a stray is out of range");
    if (parts.dead.test(slot)) refuse("a stray is dead");
    if (i > 0 && slot <= parts.strays[i - 1]) refuse("strays are out of order");
  }
}

}  // namespace

std::size_t SlotBits::count() const {
  return std::accumulate(words_.begin(), words_.end(), std::size_t{0},
                         [](std::size_t sum, std::uint64_t word) {
                           return sum + static_cast<std::size_t>(std::popcount(word));
                         });
}

Segment::Segment(SegmentParts parts) : parts_(std::move(parts)) {
  check_members(parts_.contents);
  if (parts_.graph && parts_.graph->size() != size()) refuse("graph and vectors differ");
  check_dead(parts_);
  check_order(parts_);
  check_strays(parts_);
}

std::span<const Slot> Segment::slots_of(std::uint8_t kind, const Uuid& id) const {
  const auto source = [this](Slot slot) {
    return std::pair<std::uint8_t, const Uuid&>(member(slot).kind, member(slot).id);
  };
  const std::pair<std::uint8_t, const Uuid&> wanted(kind, id);
  const auto begin = std::lower_bound(
      parts_.order.begin(), parts_.order.end(), wanted,
      [&](Slot slot, const auto& one) { return source(slot) < one; });
  const auto end = std::upper_bound(begin, parts_.order.end(), wanted,
                                    [&](const auto& one, Slot slot) { return one < source(slot); });
  return {begin, end};
}

std::size_t Segment::bytes() const {
  const Contents& contents = parts_.contents;
  return contents.array.bytes() + (parts_.graph ? parts_.graph->bytes() : 0) +
         contents.members.capacity() * sizeof(Member) + parts_.dead.words().size_bytes() +
         (parts_.order.capacity() + parts_.strays.capacity()) * sizeof(Slot);
}

}  // namespace holdfast::vectors
