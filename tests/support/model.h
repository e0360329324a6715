#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <holdfast/core/clock.h>
#include <holdfast/graph/edge.h>
#include <holdfast/graph/entity.h>
#include <holdfast/journal/space_settings.h>
#include <holdfast/graph/relation.h>
#include <holdfast/journal/write_result.h>
#include <holdfast/notes/note.h>
#include <holdfast/space/plan.h>

namespace holdfast::test {

/// The model's answer where the store throws InvalidArgument.
struct Invalid {};

struct ModelEvent {
  std::string kind;
  Uuid id;
  std::string op;
  Timestamp at;
  bool operator==(const ModelEvent&) const = default;
};

/// The oracle: one space as plain maps, by the rules of the design and nothing else. It knows no
/// transactions, no SQL and no other space; a write is one call.
class ModelStore {
 public:
  /// As the space is right after its creation. The clock must outlive the model.
  ModelStore(core::Clock& clock, std::string space);

  template <class Row>
  using IdOf = decltype(Row::id);

  /// Row is Entity, Edge or Note. `row.id` is given.
  template <class Row>
  WriteResult<Row> insert_if_absent(Row row);
  template <class Row>
  WriteResult<Row> replace_if_unchanged(Row row, const Expected& expected);
  template <class Row>
  WriteResult<Row> replace(Row row, const Expected& expected);
  template <class Row>
  WriteResult<Row> update(IdOf<Row> id, const std::function<void(Row&)>& change);
  template <class Row>
  WriteResult<Row> remove(IdOf<Row> id, const std::optional<Expected>& expected);
  template <class Row>
  WriteResult<Row> restore(IdOf<Row> id, const std::optional<Expected>& expected);
  WriteResult<Edge> retarget(EdgeId id, const EdgeMove& to,
                             const std::optional<Expected>& expected);
  WriteResult<Relation> declare(Relation relation);
  Outcome set_policy(RelationPolicy policy);

  /// How each step ends; a plan with a refused step leaves nothing behind. Patches name
  /// `properties` alone.
  std::vector<Outcome> apply(const std::vector<PlanStep>& steps);

  template <class Row>
  std::optional<Row> find(IdOf<Row> id) const;
  std::optional<Note> find_note(const std::string& key) const;
  std::vector<Entity> list(const EntityFilter& filter) const;
  std::vector<Edge> list(const EdgeFilter& filter) const;
  std::vector<Note> list(const NoteFilter& filter) const;
  /// Absent for an entity that never was.
  std::optional<std::vector<Neighbor>> neighbors(EntityId id, const NeighborFilter& filter) const;
  Sequence neighborhood_seq(EntityId id) const;
  std::vector<Relation> relations() const;
  /// The journal: the event of sequence n is at n - 1.
  const std::vector<ModelEvent>& events() const { return state_.events; }

 private:
  struct State {
    std::map<EntityId, Entity> entities;
    std::map<EdgeId, Edge> edges;
    std::map<NoteId, Note> notes;
    std::map<std::string, Relation> relations;
    std::map<EntityId, Sequence> hoods;
    RelationPolicy policy = RelationPolicy::open;
    std::vector<ModelEvent> events;
  };
  enum class Write { insert, replace, remove, restore };
  /// A rule of the row's kind that stands in the way.
  template <class Row>
  struct Obstacle {
    Outcome outcome;
    std::optional<Row> current;
    std::vector<EntityId> missing;
  };

  template <class Row>
  std::map<IdOf<Row>, Row>& rows();
  template <class Row>
  WriteResult<Row> write(Row row, const Expected& expected, Write write);
  template <class Row>
  WriteResult<Row> answer(Outcome outcome, const std::optional<Row>& current) const {
    WriteResult<Row> result;
    result.outcome = outcome;
    result.current = current;
    if (result.current) look_up(*result.current);
    return result;
  }
  Sequence append(const std::string& kind, const Uuid& id, const std::string& op);
  template <class Row>
  Sequence store(Row row, const std::string& op);
  Outcome look(const PlanStep& step) const;
  template <class Row>
  Outcome look(const PlanStep& step) const;
  template <class Row>
  Outcome make(const PlanStep& step);
  void remove_edges_of(EntityId id, std::vector<EdgeId>& removed);
  void restore_edges_of(EntityId id, WriteResult<Entity>& result);

  Revision next(Revision read) const;
  bool is_live(EntityId id) const;
  bool is_symmetric(const std::string& relation) const;
  bool may_loop(const std::string& relation) const;
  std::optional<Obstacle<Entity>> obstacle(const Entity& row, Write write) const;
  std::optional<Obstacle<Edge>> obstacle(const Edge& row, Write write) const;
  std::optional<Obstacle<Note>> obstacle(const Note& row, Write write) const;
  std::optional<Obstacle<Edge>> dead_ends(const Edge& edge) const;
  std::optional<Obstacle<Edge>> overlap(const Edge& edge) const;
  std::optional<Obstacle<Note>> key_holder(const Note& note) const;
  void look_up(Entity&) const {}
  void look_up(Edge&) const {}
  void look_up(Note& note) const;

  core::Clock& clock_;
  std::string space_;
  State state_;
};

template <>
std::optional<Entity> ModelStore::find<Entity>(EntityId id) const;
template <>
std::optional<Edge> ModelStore::find<Edge>(EdgeId id) const;
template <>
std::optional<Note> ModelStore::find<Note>(NoteId id) const;

}  // namespace holdfast::test
