#pragma once

#include <functional>
#include <string>
#include <vector>

#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/graph/neighbors.h>
#include <holdfast/graph/policy.h>
#include <holdfast/graph/relation_store.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/space_store.h>
#include <holdfast/notes/note_store.h>
#include <holdfast/space/collection.h>

namespace holdfast {

/// One namespace of a store, bound for the life of the handle: nothing here reaches another space.
/// Thread safety: any thread. Must not outlive its Store.
class Space {
 public:
  Space(Access access, const journal::Registry& registry);

  const std::string& name() const { return access_.space; }

  const Collection<graph::EntityStore>& entities() const { return entities_; }
  const Collection<graph::EdgeStore>& edges() const { return edges_; }
  const Collection<notes::NoteStore>& notes() const { return notes_; }

  /// For write(): notes' rules need to know the other stores.
  const notes::NoteStore& note_store() const { return note_store_; }

  /// The live note that has this key, expired or not: it keeps the key until it is deleted.
  std::optional<Note> find_note(std::string_view key) const;

  /// The live edges at an entity with their other ends. Throws NotFound for an unknown entity.
  Page<Neighbor> neighbors(EntityId entity, const NeighborFilter& filter = {},
                           const PageRequest& page = {}) const;
  /// Sequence of the last change to any edge at the entity: names its neighbourhood as read.
  Sequence neighborhood_seq(EntityId entity) const;

  /// Declares what edges of a relation may do. Outcomes: applied, unchanged, in_use.
  WriteResult<Relation> declare_relation(const Relation& relation) const;
  std::vector<Relation> relations() const;
  /// Whether edges need a declared relation. Outcomes: applied, unchanged.
  WriteResult<SpaceRow> set_relation_policy(RelationPolicy policy) const;

  journal::Tail tail() const;

  /// One transaction over this space's line of history, for importers: what `change` does lands
  /// whole or, when it throws, not at all. It may run more than once; see storage::Writer.
  void write(const std::function<void(journal::Appender&)>& change) const;

 private:
  Access access_;
  Collection<graph::EntityStore> entities_;
  Collection<graph::EdgeStore> edges_;
  Collection<notes::NoteStore> notes_;
  notes::NoteStore note_store_;
};

}  // namespace holdfast
