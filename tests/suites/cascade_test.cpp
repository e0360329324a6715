#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// a -knows-> b -knows-> c, and a loop at b.
struct Chain {
  Chain() {
    a = store.add_entity("a").id;
    b = store.add_entity("b").id;
    c = store.add_entity("c").id;
    Relation loops = relation_named("knows");
    loops.loops = true;
    written(store.space->declare_relation(loops));
    ab = store.add_edge(a, "knows", b);
    bc = store.add_edge(b, "knows", c);
    bb = store.add_edge(b, "knows", b);
  }
  const Collection<graph::EntityStore>& entities() const { return store.space->entities(); }
  Edge edge(const Edge& as_added) const { return store.space->edges().get(as_added.id); }
  bool is_live(const Edge& as_added) const { return !edge(as_added).deleted_at.has_value(); }

  TestStore store;
  EntityId a, b, c;
  Edge ab, bc, bb;
};

std::vector<EdgeId> sorted(std::vector<EdgeId> ids) {
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

TEST_CASE("deleting an entity takes its live edges along and lists them", "[cascade]") {
  Chain f;
  const auto result = f.entities().remove(f.b);
  written(result);
  CHECK(result.edges == sorted({f.ab.id, f.bc.id, f.bb.id}));
  for (const Edge& edge : {f.edge(f.ab), f.edge(f.bc), f.edge(f.bb)}) {
    CHECK(edge.deleted_at.has_value());
    CHECK(edge.deleted_with == f.b);
  }
  CHECK(f.store.space->tail().seq == result.seq + 3);
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("restoring an entity brings back what went with it and lists it", "[cascade]") {
  Chain f;
  written(f.entities().remove(f.b));
  const auto result = f.entities().restore(f.b);
  written(result);
  CHECK(result.edges == sorted({f.ab.id, f.bc.id, f.bb.id}));
  CHECK(result.handed_over.empty());
  for (const Edge& was : {f.ab, f.bc, f.bb}) {
    Edge now = f.edge(was);
    CHECK(now.revision > was.revision);
    now.revision = was.revision;
    now.seq = was.seq;
    CHECK((now == was));
  }
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("an edge that was deleted by itself stays deleted when its end comes back", "[cascade]") {
  Chain f;
  written(f.store.space->edges().remove(f.ab.id));
  const auto removed = f.entities().remove(f.b);
  CHECK(removed.edges == sorted({f.bc.id, f.bb.id}));
  const auto restored = f.entities().restore(f.b);
  CHECK(restored.edges == sorted({f.bc.id, f.bb.id}));
  CHECK_FALSE(f.is_live(f.ab));
  CHECK(f.store.space->edges().restore(f.ab.id).applied());
}

TEST_CASE("an edge whose other end is dead is handed over to it", "[cascade]") {
  Chain f;
  written(f.entities().remove(f.b));
  CHECK(f.entities().remove(f.c).edges.empty());

  const auto first = f.entities().restore(f.b);
  CHECK(first.edges == sorted({f.ab.id, f.bb.id}));
  CHECK(first.handed_over == std::vector{f.bc.id});
  CHECK_FALSE(f.is_live(f.bc));
  CHECK(f.edge(f.bc).deleted_with == f.c);
  CHECK(f.store.space->edges().history(f.bc.id).items.back().op == "hand_over");

  const auto second = f.entities().restore(f.c);
  CHECK(second.edges == std::vector{f.bc.id});
  CHECK(f.is_live(f.bc));
  CHECK_FALSE(f.edge(f.bc).deleted_with.has_value());
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("both ends may come back in either order", "[cascade]") {
  const bool source_first = GENERATE(true, false);
  Chain f;
  written(f.entities().remove(f.a));
  written(f.entities().remove(f.b));
  const EntityId first = source_first ? f.a : f.b;
  const EntityId second = source_first ? f.b : f.a;
  written(f.entities().restore(first));
  CHECK_FALSE(f.is_live(f.ab));
  written(f.entities().restore(second));
  CHECK(f.is_live(f.ab));
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("a refused delete of an entity takes no edges along", "[cascade]") {
  Chain f;
  const Entity read = f.entities().get(f.b);
  written(f.entities().update(f.b, [](Entity& entity) { entity.name = "renamed"; }));
  const std::string before = picture(*f.store.store);
  const auto result = f.entities().remove(f.b, as_read(read));
  CHECK(result.outcome == Outcome::revision_moved);
  CHECK(result.edges.empty());
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("an edge of a dead entity cannot come back without it", "[cascade]") {
  Chain f;
  written(f.entities().remove(f.a));
  written(f.entities().remove(f.b));
  const auto result = f.store.space->edges().restore(f.ab.id);
  CHECK(result.outcome == Outcome::endpoint_missing);
  CHECK(result.missing == std::vector{f.a, f.b});
}

TEST_CASE("a deletion stamps the neighbourhoods at the far ends", "[cascade]") {
  Chain f;
  written(f.entities().remove(f.b));
  CHECK(f.store.space->neighborhood_seq(f.a) == f.edge(f.ab).seq);
  CHECK(f.store.space->neighborhood_seq(f.c) == f.edge(f.bc).seq);
  written(f.entities().restore(f.b));
  CHECK(f.store.space->neighborhood_seq(f.a) == f.edge(f.ab).seq);
  CHECK(f.store.space->neighborhood_seq(f.c) == f.edge(f.bc).seq);
}

TEST_CASE("a new edge may be made from a deleted one's copy", "[cascade]") {
  Chain f;
  written(f.entities().remove(f.b));
  written(f.entities().restore(f.b));
  written(f.entities().remove(f.c));
  Edge copy = f.edge(f.bc);
  REQUIRE(copy.deleted_with.has_value());
  copy.id = {};
  copy.target = f.a;
  CHECK(f.store.space->edges().insert_if_absent(copy).applied());
}
