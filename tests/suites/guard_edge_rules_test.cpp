#include "suites/support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Two live entities, and an edge between them that may be written.
struct EdgeRules {
  EdgeRules() {
    pass_time(store);
    source = store.add_entity("source").id;
    pass_time(store);
    target = store.add_entity("target").id;
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

  void delete_and_forget(EntityId id) { written(store.space->entities().remove(id)); }
  void bring_back(EntityId id) { written(store.space->entities().restore(id)); }

  TestStore store;
  EntityId source;
  EntityId target;
  Edge edge;
};

}  // namespace

TEST_CASE("a new edge is refused when only its relation is undeclared",
          "[guard][guard:edge.insert.declared]") {
  EdgeRules f;
  written(f.store.space->configure({.relations = RelationPolicy::declared}));
  CHECK_FALSE(f.require_not_inserted(Outcome::relation_undeclared).current);
  written(f.store.space->declare_relation(relation_named(f.edge.relation)));
  CHECK(f.edges().insert_if_absent(f.edge).outcome == Outcome::applied);
}

TEST_CASE("a new edge is refused when only its ends are one entity",
          "[guard][guard:edge.insert.loop]") {
  EdgeRules f;
  f.edge.target = f.source;
  CHECK_FALSE(f.require_not_inserted(Outcome::loop_refused).current);
  Relation loops = relation_named(f.edge.relation);
  loops.loops = true;
  written(f.store.space->declare_relation(loops));
  CHECK(f.edges().insert_if_absent(f.edge).outcome == Outcome::applied);
}

TEST_CASE("a new edge is refused when only its source is deleted",
          "[guard][guard:edge.insert.source]") {
  EdgeRules f;
  f.delete_and_forget(f.source);
  const auto result = f.require_not_inserted(Outcome::endpoint_missing);
  CHECK(result.missing == std::vector<EntityId>{f.source});
  f.bring_back(f.source);
  CHECK(f.edges().insert_if_absent(f.edge).outcome == Outcome::applied);
}

TEST_CASE("a new edge is refused when only its target is deleted",
          "[guard][guard:edge.insert.target]") {
  EdgeRules f;
  f.delete_and_forget(f.target);
  const auto result = f.require_not_inserted(Outcome::endpoint_missing);
  CHECK(result.missing == std::vector<EntityId>{f.target});
  f.bring_back(f.target);
  CHECK(f.edges().insert_if_absent(f.edge).outcome == Outcome::applied);
}

TEST_CASE("a new edge is refused when only its time reaches into another's",
          "[guard][guard:edge.insert.overlap]") {
  EdgeRules f;
  const Edge there = written(f.edges().insert_if_absent(f.edge));
  f.edge.valid_from = at_us(1999);
  f.edge.valid_to = at_us(3000);
  const auto result = f.require_not_inserted(Outcome::overlaps);
  CHECK((result.current == there));
  f.edge.valid_from = there.valid_to;
  CHECK(f.edges().insert_if_absent(f.edge).outcome == Outcome::applied);
}

TEST_CASE("restoring an edge is refused when only its source is deleted",
          "[guard][guard:edge.restore.source]") {
  EdgeRules f;
  const EdgeId id = f.deleted_edge().id;
  f.delete_and_forget(f.source);
  const auto result = f.require_not_restored(Outcome::endpoint_missing, id);
  CHECK(result.missing == std::vector<EntityId>{f.source});
  f.bring_back(f.source);
  CHECK(f.edges().restore(id).outcome == Outcome::applied);
}

TEST_CASE("restoring an edge is refused when only its target is deleted",
          "[guard][guard:edge.restore.target]") {
  EdgeRules f;
  const EdgeId id = f.deleted_edge().id;
  f.delete_and_forget(f.target);
  const auto result = f.require_not_restored(Outcome::endpoint_missing, id);
  CHECK(result.missing == std::vector<EntityId>{f.target});
  f.bring_back(f.target);
  CHECK(f.edges().restore(id).outcome == Outcome::applied);
}

TEST_CASE("restoring an edge is refused when only its time is taken by another",
          "[guard][guard:edge.restore.overlap]") {
  EdgeRules f;
  const EdgeId id = f.deleted_edge().id;
  f.edge.valid_from = at_us(1999);
  f.edge.valid_to = at_us(3000);
  const Edge there = written(f.edges().insert_if_absent(f.edge));
  const auto result = f.require_not_restored(Outcome::overlaps, id);
  CHECK((result.current == there));
  written(f.edges().remove(there.id));
  CHECK(f.edges().restore(id).outcome == Outcome::applied);
}
