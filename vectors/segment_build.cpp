#include <algorithm>
#include <utility>

#include "segment.h"
#include "strays.h"

namespace holdfast::vectors {
namespace {

std::vector<Slot> order_of(const std::vector<Member>& members, const SlotBits& dead) {
  std::vector<Slot> order;
  order.reserve(members.size() - dead.count());
  for (Slot slot = 0; slot < members.size(); ++slot) {
    if (!dead.test(slot)) order.push_back(slot);
  }
  std::sort(order.begin(), order.end(),
            [&](Slot a, Slot b) { return members[a] < members[b]; });
  return order;
}

/// The live slots that may be strays in a graph that was added to: all, when it was built anew.
std::vector<Slot> suspects(const SegmentParts& parts, const Segment* grown_from) {
  if (grown_from == nullptr) return parts.order;
  std::vector<Slot> found = find_suspects(*grown_from->graph(), *parts.graph);
  const auto strays = grown_from->strays();
  found.insert(found.end(), strays.begin(), strays.end());
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::erase_if(found, [&](Slot slot) { return parts.dead.test(slot); });
  return found;
}

/// Adds to the graph the slots that are not in it, and looks for those it does not find. Null when
/// the control stopped it.
std::unique_ptr<const Segment> finish(SegmentParts parts, const Segment* grown_from,
                                      const SegmentBuild& build) {
  parts.order = order_of(parts.contents.members, parts.dead);
  if (parts.graph) {
    const VectorArray& array = parts.contents.array;
    if (!parts.graph->add(array, array.size(), build.threads, build.control)) return nullptr;
    parts.strays = find_strays(*parts.graph, array, build.stray_ef, suspects(parts, grown_from),
                               build.threads);
    std::sort(parts.strays.begin(), parts.strays.end());
  }
  return std::make_unique<const Segment>(std::move(parts));
}

SlotBits dead_of(const Segment& segment, const IsLive& is_live) {
  SlotBits dead = segment.dead();
  for (const Slot slot : segment.order()) {
    if (!is_live(slot)) dead.set(slot);
  }
  return dead;
}

/// Copies the slots that are not dead.
void append(Contents& to, const Contents& from, const SlotBits* dead) {
  for (Slot slot = 0; slot < from.members.size(); ++slot) {
    if (dead != nullptr && dead->test(slot)) continue;
    to.members.push_back(from.members[slot]);
    to.array.add_from(from.array, slot);
  }
}

bool can_extend(const Segment& segment, std::size_t dead, const SegmentBuild& build) {
  const HnswGraph* const graph = segment.graph();
  return graph != nullptr && build.graph && graph->parameters() == *build.graph &&
         dead * 4 <= segment.size();
}

SlotBits widened(const SlotBits& bits, std::size_t count) {
  std::vector<std::uint64_t> words(bits.words().begin(), bits.words().end());
  words.resize((count + 63) / 64);
  return SlotBits(std::move(words));
}

}  // namespace

std::unique_ptr<const Segment> build_segment(Contents contents, const SegmentBuild& build) {
  const std::size_t size = contents.members.size();
  contents.members.shrink_to_fit();
  SegmentParts parts{.contents = std::move(contents),
                     .graph = std::nullopt,
                     .dead = SlotBits(size),
                     .order = {},
                     .strays = {}};
  if (build.graph) parts.graph.emplace(*build.graph);
  return finish(std::move(parts), nullptr, build);
}

std::unique_ptr<const Segment> fold(const Segment& segment, const IsLive& is_live,
                                    const Contents& tail, const SegmentBuild& build) {
  const Contents& old = segment.parts().contents;
  SlotBits dead = dead_of(segment, is_live);
  const bool extends = can_extend(segment, dead.count(), build);
  const std::size_t kept = extends ? old.members.size() : old.members.size() - dead.count();
  const std::size_t size = kept + tail.members.size();

  Contents contents{.kinds = tail.kinds,
                    .members = {},
                    .array = VectorArray(old.array.dimension(), old.array.metric(),
                                         old.array.form()),
                    .cursor = tail.cursor};
  contents.members.reserve(size);
  contents.array.reserve(size);
  append(contents, old, extends ? nullptr : &dead);
  append(contents, tail, nullptr);
  if (!extends) return build_segment(std::move(contents), build);
  return finish(SegmentParts{.contents = std::move(contents),
                             .graph = *segment.graph(),
                             .dead = widened(dead, size),
                             .order = {},
                             .strays = {}},
                &segment, build);
}

}  // namespace holdfast::vectors
