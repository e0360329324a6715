#include <algorithm>
#include <tuple>

#include "support/model.h"

namespace holdfast::test {
namespace {

bool lies_in(std::int64_t us, const TimeRange& range) {
  return (!range.from || us >= to_us(*range.from)) && (!range.to || us < to_us(*range.to));
}

template <class Row>
bool matches_common(const Row& row, const RowFilter& filter) {
  if (filter.deleted == Deleted::exclude && row.deleted_at) return false;
  if (filter.deleted == Deleted::only && !row.deleted_at) return false;
  return lies_in(to_us(row.created_at), filter.created) && lies_in(row.revision.us, filter.changed);
}

template <class Wanted, class Value>
bool is_wanted(const std::optional<Wanted>& wanted, const Value& value) {
  return !wanted || *wanted == value;
}

bool holds_at(const Edge& edge, const std::optional<Timestamp>& at) {
  return !at || ((!edge.valid_from || *edge.valid_from <= *at) &&
                 (!edge.valid_to || *at < *edge.valid_to));
}

bool matches(const Entity& row, const EntityFilter& filter) {
  return matches_common(row, filter) && is_wanted(filter.kind, row.kind) &&
         is_wanted(filter.name, row.name) &&
         (!filter.name_prefix || row.name.starts_with(*filter.name_prefix));
}

bool matches(const Edge& row, const EdgeFilter& filter) {
  return matches_common(row, filter) && is_wanted(filter.relation, row.relation) &&
         is_wanted(filter.source, row.source) && is_wanted(filter.target, row.target) &&
         holds_at(row, filter.valid_at);
}

bool matches(const Note& row, const NoteFilter& filter) {
  const bool has_expired = !filter.include_expired && filter.live_at && row.expires_at &&
                           *row.expires_at <= *filter.live_at;
  return matches_common(row, filter) && is_wanted(filter.kind, row.kind) && !has_expired &&
         (!filter.key || row.key == *filter.key) && (!filter.about || row.about == *filter.about);
}

template <class Rows, class Filter>
auto matching(const Rows& rows, const Filter& filter) {
  std::vector<typename Rows::mapped_type> found;
  for (const auto& [id, row] : rows) {
    if (matches(row, filter)) found.push_back(row);
  }
  return found;
}

}  // namespace

template <>
std::optional<Entity> ModelStore::find<Entity>(EntityId id) const {
  const auto found = state_.entities.find(id);
  if (found == state_.entities.end()) return {};
  return found->second;
}

template <>
std::optional<Edge> ModelStore::find<Edge>(EdgeId id) const {
  const auto found = state_.edges.find(id);
  if (found == state_.edges.end()) return {};
  return found->second;
}

template <>
std::optional<Note> ModelStore::find<Note>(NoteId id) const {
  const auto found = state_.notes.find(id);
  if (found == state_.notes.end()) return {};
  Note note = found->second;
  look_up(note);
  return note;
}

void ModelStore::look_up(Note& note) const {
  note.about_is_deleted = note.about && !is_live(*note.about);
}

std::optional<Note> ModelStore::find_note(const std::string& key) const {
  for (const auto& [id, note] : state_.notes) {
    if (note.key == key && !note.deleted_at) return find<Note>(id);
  }
  return {};
}

std::vector<Entity> ModelStore::list(const EntityFilter& filter) const {
  auto found = matching(state_.entities, filter);
  if (filter.name || filter.name_prefix) {
    std::sort(found.begin(), found.end(), [](const Entity& a, const Entity& b) {
      return std::tie(a.name, a.id) < std::tie(b.name, b.id);
    });
  }
  return found;
}

std::vector<Edge> ModelStore::list(const EdgeFilter& filter) const {
  return matching(state_.edges, filter);
}

std::vector<Note> ModelStore::list(const NoteFilter& filter) const {
  NoteFilter at_some_time = filter;
  if (!filter.live_at) at_some_time.live_at = clock_.now();
  auto found = matching(state_.notes, at_some_time);
  for (Note& note : found) look_up(note);
  return found;
}

std::optional<std::vector<Neighbor>> ModelStore::neighbors(EntityId id,
                                                      const NeighborFilter& filter) const {
  if (!find<Entity>(id)) return {};
  std::vector<Neighbor> found;
  for (const auto& [edge_id, edge] : state_.edges) {
    if (edge.deleted_at || (edge.source != id && edge.target != id)) continue;
    if (!is_wanted(filter.relation, edge.relation) || !holds_at(edge, filter.valid_at)) continue;
    Direction side = edge.source == id ? Direction::outgoing : Direction::incoming;
    // A loop lies on both sides and is told once.
    if (edge.source == edge.target && filter.direction == Direction::incoming &&
        !is_symmetric(edge.relation)) {
      side = Direction::incoming;
    }
    if (filter.direction != Direction::both && filter.direction != side &&
        !is_symmetric(edge.relation)) {
      continue;
    }
    const EntityId other = edge.source == id ? edge.target : edge.source;
    found.push_back({.edge = edge, .direction = side, .entity = *find<Entity>(other)});
  }
  std::sort(found.begin(), found.end(), [](const Neighbor& a, const Neighbor& b) {
    return std::tie(a.direction, a.edge.relation, a.entity.id, a.edge.valid_from) <
           std::tie(b.direction, b.edge.relation, b.entity.id, b.edge.valid_from);
  });
  return found;
}

Sequence ModelStore::neighborhood_seq(EntityId id) const {
  const auto found = state_.hoods.find(id);
  return found == state_.hoods.end() ? 0 : found->second;
}

std::vector<Relation> ModelStore::relations() const {
  std::vector<Relation> all;
  for (const auto& [name, relation] : state_.relations) all.push_back(relation);
  return all;
}

}  // namespace holdfast::test
