#pragma once

#include "suites/support.h"

namespace holdfast::test {

/// Live entities, and an edge between the first two that may be written.
struct EdgeRules {
  EdgeRules() {
    pass_time(store);
    source = store.add_entity("source").id;
    pass_time(store);
    target = store.add_entity("target").id;
    pass_time(store);
    third = store.add_entity("third", "place").id;
    pass_time(store);
    edge = edge_between(source, "knows", target);
    edge.valid_from = at_us(1000);
    edge.valid_to = at_us(2000);
  }

  const Collection<graph::EdgeStore>& edges() const { return store.space->edges(); }

  /// Writes the edge and takes it away again, so that it can be restored.
  Edge deleted_edge() {
    const Edge added = written(edges().insert_if_absent(edge));
    pass_time(store);
    return written(edges().remove(added.id));
  }

  /// The edge is refused: nothing is written, and what is in the way comes back.
  template <class Write>
  WriteResult<Edge> require_refused(Outcome outcome, const Write& write) const {
    const std::string before = picture(*store.store);
    auto result = write();
    CHECK(to_string(result.outcome) == to_string(outcome));
    CHECK(result.seq == 0);
    CHECK(picture(*store.store) == before);
    return result;
  }
  WriteResult<Edge> require_not_inserted(Outcome outcome) const {
    return require_refused(outcome, [this] { return edges().insert_if_absent(edge); });
  }
  WriteResult<Edge> require_not_restored(Outcome outcome, EdgeId id) const {
    return require_refused(outcome, [this, id] { return edges().restore(id); });
  }

  WriteResult<Edge> require_not_moved(Outcome outcome, EdgeId id, const EdgeMove& move) const {
    return require_refused(outcome, [&] { return store.space->retarget_edge(id, move); });
  }

  /// Declares the edge's relation anew: the kinds that its sources, its targets may be of.
  void declare_kinds(const std::vector<std::string>& sources,
                     const std::vector<std::string>& targets) {
    pass_time(store);
    Relation relation = relation_named(edge.relation);
    relation.source_kinds = sources;
    relation.target_kinds = targets;
    written(store.space->declare_relation(relation));
  }
  void declare_loops(bool loops) {
    pass_time(store);
    Relation relation = relation_named(edge.relation);
    relation.loops = loops;
    written(store.space->declare_relation(relation));
  }

  void delete_and_forget(EntityId id) { written(store.space->entities().remove(id)); }
  void bring_back(EntityId id) { written(store.space->entities().restore(id)); }

  TestStore store;
  EntityId source;
  EntityId target;
  EntityId third;  ///< a place, where the others are persons
  Edge edge;
};

}  // namespace holdfast::test
