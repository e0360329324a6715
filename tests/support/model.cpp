#include "support/model.h"

#include <algorithm>
#include <limits>

#include <holdfast/journal/row_namespace.h>
#include <holdfast/journal/space_store.h>

namespace holdfast::test {
namespace {

const char* kind_of(const Entity&) { return "entity"; }
const char* kind_of(const Edge&) { return "edge"; }
const char* kind_of(const Note&) { return "note"; }

void check_input(const Entity&) {}
void check_input(const Note&) {}
void check_input(const Edge& edge) {
  if (edge.valid_from && edge.valid_to && *edge.valid_to <= *edge.valid_from) throw Invalid{};
}

bool same_identity(const Entity& a, const Entity& b) { return a.created_at == b.created_at; }
bool same_identity(const Note& a, const Note& b) { return a.created_at == b.created_at; }
bool same_identity(const Edge& a, const Edge& b) {
  return a.created_at == b.created_at && a.source == b.source && a.relation == b.relation &&
         a.target == b.target && a.valid_from == b.valid_from;
}

template <class Row>
Expected as_read(const Row& row) {
  return {.revision = row.revision, .deleted_at = row.deleted_at};
}

/// Whether the caller means the row as it is: then removing a deleted row changes nothing.
template <class Row>
bool names(const std::optional<Expected>& expected, const Row& row) {
  return !expected ||
         (expected->revision == row.revision && expected->deleted_at == row.deleted_at);
}

void clear_deleted_with(Entity&) {}
void clear_deleted_with(Note&) {}
void clear_deleted_with(Edge& edge) { edge.deleted_with.reset(); }

bool is_before(const std::optional<Timestamp>& from, const std::optional<Timestamp>& to) {
  return !from || !to || *from < *to;
}

}  // namespace

ModelStore::ModelStore(core::Clock& clock, std::string space)
    : clock_(clock), space_(std::move(space)) {
  append("space", journal::space_id(space_).uuid, "create");
}

template <>
std::map<EntityId, Entity>& ModelStore::rows<Entity>() {
  return state_.entities;
}
template <>
std::map<EdgeId, Edge>& ModelStore::rows<Edge>() {
  return state_.edges;
}
template <>
std::map<NoteId, Note>& ModelStore::rows<Note>() {
  return state_.notes;
}

// --- the rules that all rows share ---

Revision ModelStore::next(Revision read) const {
  if (read.us == std::numeric_limits<std::int64_t>::max()) throw Invalid{};
  return {std::max(to_us(clock_.now()), read.us + 1)};
}

Sequence ModelStore::append(const std::string& kind, const Uuid& id, const std::string& op) {
  Timestamp at = clock_.now();
  if (!state_.events.empty()) at = std::max(at, state_.events.back().at);
  state_.events.push_back({kind, id, op, at});
  return state_.events.size();
}

template <class Row>
Sequence ModelStore::store(Row row, const std::string& op) {
  row.seq = append(kind_of(row), row.id.uuid, op);
  if constexpr (std::is_same_v<Row, Edge>) {
    state_.hoods[row.source] = row.seq;
    state_.hoods[row.target] = row.seq;
  }
  const Sequence seq = row.seq;
  rows<Row>()[row.id] = std::move(row);
  return seq;
}

template <class Row>
WriteResult<Row> ModelStore::insert_if_absent(Row row) {
  check_input(row);
  row.created_at = clock_.now();
  row.revision = {std::max<std::int64_t>(to_us(row.created_at), 1)};
  row.deleted_at.reset();
  clear_deleted_with(row);
  if (const auto there = find<Row>(row.id)) return answer<Row>(Outcome::exists, there);
  if constexpr (std::is_same_v<Row, Edge>) {
    if (is_symmetric(row.relation) && row.target < row.source) std::swap(row.source, row.target);
  }
  if (const auto in_the_way = obstacle(row, Write::insert)) {
    auto refused = answer<Row>(in_the_way->outcome, in_the_way->current);
    refused.missing = in_the_way->missing;
    return refused;
  }
  const Sequence seq = store(row, "create");
  auto result = answer<Row>(Outcome::applied, find<Row>(row.id));
  result.seq = seq;
  return result;
}

template <class Row>
WriteResult<Row> ModelStore::write(Row row, const Expected& expected, Write write) {
  const auto current = find<Row>(row.id);
  if (!current) return answer<Row>(Outcome::missing, current);
  if (current->deleted_at != expected.deleted_at) {
    return answer<Row>(Outcome::deletion_changed, current);
  }
  if (current->revision != expected.revision) return answer<Row>(Outcome::revision_moved, current);
  if (row.revision <= expected.revision) return answer<Row>(Outcome::not_advanced, current);
  if (const auto in_the_way = obstacle(row, write)) {
    auto refused = answer<Row>(in_the_way->outcome, in_the_way->current);
    refused.missing = in_the_way->missing;
    return refused;
  }
  if (!same_identity(row, *current)) throw Invalid{};
  if constexpr (std::is_same_v<Row, Edge>) {  // nothing may lie in the way when it comes back
    if (row.deleted_at && write == Write::replace && row.valid_to != current->valid_to) {
      throw Invalid{};
    }
  }
  if (write == Write::restore) clear_deleted_with(row);
  static const std::map<Write, std::string> ops = {
      {Write::replace, "replace"}, {Write::remove, "delete"}, {Write::restore, "restore"}};
  const Sequence seq = store(row, ops.at(write));
  auto result = answer<Row>(Outcome::applied, find<Row>(row.id));
  result.seq = seq;
  return result;
}

template <class Row>
WriteResult<Row> ModelStore::replace_if_unchanged(Row row, const Expected& expected) {
  check_input(row);
  if (row.deleted_at != expected.deleted_at) throw Invalid{};
  if constexpr (std::is_same_v<Row, Edge>) {  // only deleting and restoring say what it went with
    const auto current = find<Edge>(row.id);
    row.deleted_with = current ? current->deleted_with : std::nullopt;
  }
  return write(std::move(row), expected, Write::replace);
}

template <class Row>
WriteResult<Row> ModelStore::replace(Row row, const Expected& expected) {
  row.revision = next(expected.revision);
  return replace_if_unchanged(std::move(row), expected);
}

template <class Row>
WriteResult<Row> ModelStore::update(IdOf<Row> id, const std::function<void(Row&)>& change) {
  const auto read = find<Row>(id);
  if (!read) return answer<Row>(Outcome::missing, read);
  if (read->deleted_at) return answer<Row>(Outcome::deletion_changed, read);
  Row edited = *read;
  change(edited);
  check_input(edited);
  if (edited == *read) return answer<Row>(Outcome::unchanged, read);
  return replace(std::move(edited), as_read(*read));
}

template <class Row>
WriteResult<Row> ModelStore::remove(IdOf<Row> id, const std::optional<Expected>& expected) {
  const auto read = find<Row>(id);
  if (!read) return answer<Row>(Outcome::missing, read);
  if (read->deleted_at && names(expected, *read)) return answer<Row>(Outcome::unchanged, read);
  const Expected named = expected.value_or(as_read(*read));
  Row row = *read;
  row.revision = next(named.revision);
  row.deleted_at = clock_.now();
  const State before = state_;
  try {
    auto result = write(std::move(row), named, Write::remove);
    if constexpr (std::is_same_v<Row, Entity>) {
      if (result.applied()) remove_edges_of(id, result.edges);
    }
    return result;
  } catch (const Invalid&) {
    state_ = before;
    throw;
  }
}

template <class Row>
WriteResult<Row> ModelStore::restore(IdOf<Row> id, const std::optional<Expected>& expected) {
  const auto read = find<Row>(id);
  if (!read) return answer<Row>(Outcome::missing, read);
  if (!read->deleted_at && names(expected, *read)) return answer<Row>(Outcome::unchanged, read);
  const Expected named = expected.value_or(as_read(*read));
  Row row = *read;
  row.revision = next(named.revision);
  row.deleted_at.reset();
  const State before = state_;
  try {
    auto result = write(std::move(row), named, Write::restore);
    if constexpr (std::is_same_v<Row, Entity>) {
      if (result.applied()) restore_edges_of(id, result);
    }
    return result;
  } catch (const Invalid&) {
    state_ = before;
    throw;
  }
}

// --- edges that go and come with an entity ---

void ModelStore::remove_edges_of(EntityId id, std::vector<EdgeId>& removed) {
  for (const auto& [edge_id, edge] : std::map(state_.edges)) {
    if (edge.deleted_at || (edge.source != id && edge.target != id)) continue;
    Edge gone = edge;
    gone.revision = next(edge.revision);
    gone.deleted_at = clock_.now();
    gone.deleted_with = id;
    store(gone, "delete");
    removed.push_back(edge_id);
  }
}

void ModelStore::restore_edges_of(EntityId id, WriteResult<Entity>& result) {
  for (const auto& [edge_id, edge] : std::map(state_.edges)) {
    if (edge.deleted_with != id) continue;
    const EntityId other = edge.source == id ? edge.target : edge.source;
    Edge back = edge;
    back.revision = next(edge.revision);
    if (!is_live(other)) {
      back.deleted_with = other;
      store(back, "hand_over");
      result.handed_over.push_back(edge_id);
      continue;
    }
    back.deleted_at.reset();
    if (obstacle(back, Write::restore)) {
      result.kept_out.push_back(edge_id);
      continue;
    }
    back.deleted_with.reset();
    store(back, "restore");
    result.edges.push_back(edge_id);
  }
}

// --- the rules of each kind ---

std::optional<ModelStore::Obstacle<Entity>> ModelStore::obstacle(const Entity&, Write) const {
  return {};
}

std::optional<ModelStore::Obstacle<Edge>> ModelStore::obstacle(const Edge& row, Write write) const {
  if (write == Write::remove || (write == Write::replace && row.deleted_at)) return {};
  if (write == Write::insert) {
    const bool is_declared = state_.relations.contains(row.relation);
    if (!is_declared && state_.policy == RelationPolicy::declared) {
      return Obstacle<Edge>{Outcome::relation_undeclared, {}, {}};
    }
  }
  if (write != Write::replace) {
    if (row.source == row.target && !may_loop(row.relation)) {
      return Obstacle<Edge>{Outcome::loop_refused, {}, {}};
    }
    if (auto dead = dead_ends(row)) return dead;
  }
  return overlap(row);
}

std::optional<ModelStore::Obstacle<Note>> ModelStore::obstacle(const Note& row, Write write) const {
  if (write == Write::remove || (write == Write::replace && row.deleted_at)) return {};
  const auto current = state_.notes.find(row.id);
  const bool about_is_new = write == Write::insert ||
                            (write == Write::replace && current->second.about != row.about);
  if (row.about && about_is_new && !is_live(*row.about)) {
    return Obstacle<Note>{Outcome::endpoint_missing, {}, {*row.about}};
  }
  return key_holder(row);
}

std::optional<ModelStore::Obstacle<Edge>> ModelStore::dead_ends(const Edge& edge) const {
  Obstacle<Edge> dead{Outcome::endpoint_missing, {}, {}};
  if (!is_live(edge.source)) dead.missing.push_back(edge.source);
  if (!is_live(edge.target) && edge.target != edge.source) dead.missing.push_back(edge.target);
  if (dead.missing.empty()) return {};
  return dead;
}

std::optional<ModelStore::Obstacle<Edge>> ModelStore::overlap(const Edge& edge) const {
  std::optional<Edge> found;
  for (const auto& [id, other] : state_.edges) {
    if (id == edge.id || other.deleted_at) continue;
    if (other.source != edge.source || other.relation != edge.relation) continue;
    if (other.target != edge.target) continue;
    if (!is_before(other.valid_from, edge.valid_to)) continue;
    if (!is_before(edge.valid_from, other.valid_to)) continue;
    // Of several the earliest; an absent start is before all others.
    if (!found || other.valid_from < found->valid_from) found = other;
  }
  if (!found) return {};
  const bool same_key = found->valid_from == edge.valid_from;
  return Obstacle<Edge>{same_key ? Outcome::key_taken : Outcome::overlaps, found, {}};
}

std::optional<ModelStore::Obstacle<Note>> ModelStore::key_holder(const Note& note) const {
  if (!note.key) return {};
  const auto holder = find_note(*note.key);
  if (!holder || holder->id == note.id) return {};
  return Obstacle<Note>{Outcome::key_taken, holder, {}};
}

bool ModelStore::is_live(EntityId id) const {
  const auto found = state_.entities.find(id);
  return found != state_.entities.end() && !found->second.deleted_at;
}

bool ModelStore::is_symmetric(const std::string& relation) const {
  const auto found = state_.relations.find(relation);
  return found != state_.relations.end() && found->second.symmetric;
}

bool ModelStore::may_loop(const std::string& relation) const {
  const auto found = state_.relations.find(relation);
  return found != state_.relations.end() && found->second.loops;
}

// --- what a space says of its relations ---

WriteResult<Relation> ModelStore::declare(Relation relation) {
  const auto found = state_.relations.find(relation.relation);
  const bool is_declared = found != state_.relations.end();
  WriteResult<Relation> result;
  if (is_declared) result.current = found->second;
  const bool has_edges =
      std::any_of(state_.edges.begin(), state_.edges.end(),
                  [&](const auto& edge) { return edge.second.relation == relation.relation; });
  const bool breaks_an_edge =
      !relation.loops &&
      std::any_of(state_.edges.begin(), state_.edges.end(), [&](const auto& entry) {
        const Edge& edge = entry.second;
        return edge.relation == relation.relation && !edge.deleted_at &&
               edge.source == edge.target;
      });
  if ((relation.symmetric != is_symmetric(relation.relation) && has_edges) || breaks_an_edge) {
    result.outcome = Outcome::in_use;
    return result;
  }
  if (is_declared && found->second.symmetric == relation.symmetric &&
      found->second.loops == relation.loops) {
    result.outcome = Outcome::unchanged;
    return result;
  }
  const Timestamp now = clock_.now();
  relation.id = {uuid_v5(journal::kRowNamespace, "relation:" + space_ + "\n" + relation.relation)};
  relation.created_at = is_declared ? found->second.created_at : now;
  relation.revision = is_declared ? next(found->second.revision)
                                  : Revision{std::max<std::int64_t>(to_us(now), 1)};
  relation.deleted_at.reset();
  relation.seq = append("relation", relation.id.uuid, is_declared ? "replace" : "create");
  state_.relations[relation.relation] = relation;
  result.outcome = Outcome::applied;
  result.seq = relation.seq;
  result.current = relation;
  return result;
}

Outcome ModelStore::set_policy(RelationPolicy policy) {
  if (state_.policy == policy) return Outcome::unchanged;
  state_.policy = policy;
  append("space", journal::space_id(space_).uuid, "replace");
  return Outcome::applied;
}

template Sequence ModelStore::store(Edge, const std::string&);

#define HOLDFAST_MODEL_OF(Row)                                                                \
  template WriteResult<Row> ModelStore::insert_if_absent(Row);                                     \
  template WriteResult<Row> ModelStore::replace_if_unchanged(Row, const Expected&);                \
  template WriteResult<Row> ModelStore::replace(Row, const Expected&);                             \
  template WriteResult<Row> ModelStore::update(IdOf<Row>, const std::function<void(Row&)>&);       \
  template WriteResult<Row> ModelStore::remove<Row>(IdOf<Row>, const std::optional<Expected>&);    \
  template WriteResult<Row> ModelStore::restore<Row>(IdOf<Row>, const std::optional<Expected>&)
HOLDFAST_MODEL_OF(Entity);
HOLDFAST_MODEL_OF(Edge);
HOLDFAST_MODEL_OF(Note);
#undef HOLDFAST_MODEL_OF

}  // namespace holdfast::test
