#include "graph_arrays.h"

#include <algorithm>

namespace holdfast::graph {
namespace {

constexpr std::uint32_t kFoldMin = 64;
constexpr End kEnds[] = {End::out, End::in};

template <class T>
std::uint64_t held(const std::vector<T>& array) {
  return array.capacity() * sizeof(T);
}

}  // namespace

void GraphArrays::add(const EdgeId& id, const PlacedEdge& edge) {
  if (edge.source != edge.target) put(id, edge);
}

void GraphArrays::lay_out() {
  nodes_.shrink();
  edges_.shrink();
  for (auto* array : {&sources_, &targets_, &relations_}) array->shrink_to_fit();
  for (auto* array : {&valid_from_, &valid_to_}) array->shrink_to_fit();
  for (const End end : kEnds) fill(end);
  base_edges_ = live_;
}

void GraphArrays::fill(End end) {
  Side& side = sides_[static_cast<std::size_t>(end)];
  side.offsets.assign(nodes() + std::size_t{1}, 0);
  side.ends.resize(live_);
  side.slots.resize(live_);
  for (Slot slot = 0; slot < live_; ++slot) ++side.offsets[node_at(end, slot) + 1];
  for (Node node = 0; node < nodes(); ++node) side.offsets[node + 1] += side.offsets[node];
  std::vector<std::uint32_t> next(side.offsets.begin(), side.offsets.end() - 1);
  for (Slot slot = 0; slot < live_; ++slot) side.slots[next[node_at(end, slot)]++] = slot;
  for (Node node = 0; node < nodes(); ++node) {
    const auto first = side.slots.begin() + side.offsets[node];
    const auto last = side.slots.begin() + side.offsets[node + 1];
    const auto before = [&](Slot a, Slot b) { return is_before(end, a, b); };
    if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
  }
  for (std::uint32_t at = 0; at < live_; ++at) side.ends[at] = other(end, side.slots[at]);
}

bool GraphArrays::is_before(End end, Slot a, Slot b) const {
  if (relations_[a] != relations_[b]) return names_[relations_[a]] < names_[relations_[b]];
  const Node to_a = other(end, a);
  const Node to_b = other(end, b);
  if (to_a != to_b) return nodes_[to_a] < nodes_[to_b];
  return valid_from_[a] < valid_from_[b];
}

std::optional<RelationCode> GraphArrays::code(std::string_view relation) const {
  const auto found = codes_.find(relation);
  if (found == codes_.end()) return std::nullopt;
  return found->second;
}

RelationCode GraphArrays::find_or_add(std::string_view relation) {
  if (const auto known = code(relation)) return *known;
  const auto fresh = static_cast<RelationCode>(names_.size());
  names_.emplace_back(relation);
  codes_.emplace(relation, fresh);
  // Twice the text, two strings and a node of the map.
  names_bytes_ += 2 * relation.size() + 2 * sizeof(std::string) + 48;
  return fresh;
}

void GraphArrays::declare(const std::string& relation, bool symmetric) {
  if (!symmetric && !code(relation)) return;
  const RelationCode declared = find_or_add(relation);
  std::erase(symmetric_, declared);
  if (!symmetric) return;
  const auto by_name = [&](RelationCode a, RelationCode b) { return names_[a] < names_[b]; };
  symmetric_.insert(std::lower_bound(symmetric_.begin(), symmetric_.end(), declared, by_name),
                    declared);
}

Slot GraphArrays::put(const EdgeId& id, const PlacedEdge& edge) {
  Slot slot = edges_.size();
  if (free_.empty()) {
    edges_.add(id);
    for (auto* array : {&sources_, &targets_, &relations_}) array->push_back(0);
    for (auto* array : {&valid_from_, &valid_to_}) array->push_back(0);
  } else {
    slot = free_.back();
    free_.pop_back();
    edges_.reuse(slot, id);
  }
  sources_[slot] = nodes_.find_or_add(edge.source);
  targets_[slot] = nodes_.find_or_add(edge.target);
  relations_[slot] = find_or_add(edge.relation);
  valid_from_[slot] = edge.valid_from;
  valid_to_[slot] = edge.valid_to;
  ++live_;
  return slot;
}

bool GraphArrays::is_at(Slot slot, const PlacedEdge& edge) const {
  return nodes_[sources_[slot]] == edge.source && nodes_[targets_[slot]] == edge.target &&
         names_[relations_[slot]] == edge.relation && valid_from_[slot] == edge.valid_from;
}

void GraphArrays::note(std::vector<Edit>& edits, Slot slot, Slot added) const {
  for (const End end : kEnds) {
    edits.push_back({.end = end, .node = node_at(end, slot), .added = added});
  }
}

void GraphArrays::change(std::span<const EdgeChange> changes) {
  std::vector<Edit> edits;
  std::vector<Slot> left;  // reused only when no row names them any more
  for (const EdgeChange& change : changes) {
    const Slot slot = edges_.find(change.id);
    if (slot != kNoNumber && change.now && is_at(slot, *change.now)) {
      valid_to_[slot] = change.now->valid_to;
      continue;
    }
    if (slot != kNoNumber) {
      note(edits, slot, kNoNumber);
      edges_.forget(slot);
      relations_[slot] = kNoNumber;
      left.push_back(slot);
      --live_;
      ++delta_;
    }
    if (change.now && change.now->source != change.now->target) {
      const Slot added = put(change.id, *change.now);
      note(edits, added, added);
      ++delta_;
    }
  }
  rewrite_rows(edits);
  free_.insert(free_.end(), left.begin(), left.end());
  if (delta_ > std::max(kFoldMin, base_edges_ / 4)) fold();
}

void GraphArrays::rewrite_rows(std::vector<Edit>& edits) {
  if (edits.empty()) return;
  for (Side& side : sides_) side.changed.resize(nodes(), 0);
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return a.end != b.end ? a.end < b.end : a.node < b.node;
  });
  for (std::size_t first = 0; first < edits.size();) {
    std::size_t last = first;
    while (last < edits.size() && edits[last].end == edits[first].end &&
           edits[last].node == edits[first].node) {
      ++last;
    }
    rewrite(edits[first].end, edits[first].node,
            std::span<const Edit>(edits).subspan(first, last - first));
    first = last;
  }
}

void GraphArrays::rewrite(End end, Node node, std::span<const Edit> edits) {
  std::vector<Slot> slots;
  const EdgeRow old = row(end, node);
  slots.reserve(old.size + edits.size());
  const auto is_live = [&](Slot slot) { return relations_[slot] != kNoNumber; };
  std::copy_if(old.slots, old.slots + old.size, std::back_inserter(slots), is_live);
  const auto kept = static_cast<std::ptrdiff_t>(slots.size());
  for (const Edit& edit : edits) {
    // One that was added and removed in one go never was.
    if (edit.added != kNoNumber && is_live(edit.added)) slots.push_back(edit.added);
  }
  const auto before = [&](Slot a, Slot b) { return is_before(end, a, b); };
  std::sort(slots.begin() + kept, slots.end(), before);
  // Whoever stands behind the first newcomer is compared with; in a long row that is for one edge
  // a binary search.
  if (kept > 0 && static_cast<std::size_t>(kept) < slots.size()) {
    const auto from = std::lower_bound(slots.begin(), slots.begin() + kept,
                                       slots[static_cast<std::size_t>(kept)], before);
    std::inplace_merge(from, slots.begin() + kept, slots.end(), before);
  }
  std::vector<std::uint32_t> fresh;
  fresh.reserve(2 * slots.size());
  for (const Slot slot : slots) fresh.push_back(other(end, slot));
  fresh.insert(fresh.end(), slots.begin(), slots.end());

  Side& side = sides_[static_cast<std::size_t>(end)];
  if (side.changed[node] == 0) {
    side.rows.emplace_back();
    side.changed[node] = static_cast<std::uint32_t>(side.rows.size());
  }
  std::vector<std::uint32_t>& stored = side.rows[side.changed[node] - 1];
  rows_bytes_ += held(fresh) - held(stored);
  stored = std::move(fresh);
}

void GraphArrays::fold() {
  for (const End end : kEnds) fold(end);
  rows_bytes_ = 0;
  delta_ = 0;
  base_edges_ = live_;
}

void GraphArrays::fold(End end) {
  Side fresh;
  fresh.offsets.reserve(nodes() + std::size_t{1});
  fresh.ends.reserve(live_);
  fresh.slots.reserve(live_);
  for (Node node = 0; node < nodes(); ++node) {
    const EdgeRow old = row(end, node);
    fresh.offsets.push_back(static_cast<std::uint32_t>(fresh.ends.size()));
    fresh.ends.insert(fresh.ends.end(), old.ends, old.ends + old.size);
    fresh.slots.insert(fresh.slots.end(), old.slots, old.slots + old.size);
  }
  fresh.offsets.push_back(static_cast<std::uint32_t>(fresh.ends.size()));
  sides_[static_cast<std::size_t>(end)] = std::move(fresh);
}

std::uint64_t GraphArrays::bytes_to_be() const {
  constexpr std::uint64_t kRowPlaces = 2 * (sizeof(Node) + sizeof(Slot));
  constexpr std::uint64_t kEdge = sizeof(EdgeId) + 3 * sizeof(Node) + 2 * sizeof(std::int64_t);
  constexpr std::uint64_t kNode = sizeof(EntityId) + 2 * sizeof(std::uint32_t);
  return edges() * (kRowPlaces + kEdge) + nodes() * kNode + names_bytes_;
}

std::uint64_t GraphArrays::bytes() const {
  std::uint64_t sum = nodes_.bytes() + edges_.bytes() + names_bytes_ + rows_bytes_ +
                      held(sources_) + held(targets_) + held(relations_) + held(valid_from_) +
                      held(valid_to_) + held(free_) + held(symmetric_);
  for (const Side& side : sides_) {
    sum += held(side.offsets) + held(side.ends) + held(side.slots) + held(side.changed) +
           held(side.rows);
  }
  return sum;
}

}  // namespace holdfast::graph
