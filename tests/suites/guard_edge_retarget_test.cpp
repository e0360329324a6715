#include <holdfast/graph/edge_store.h>

#include "suites/guard_edge_rules.h"
#include "suites/guard_fixture.h"
#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Edges that are moved to another relation by the store's primitive.
struct MoveKind {
  using Row = Edge;
  static Edge add(TestStore& store, const Space& space, const std::string& name) {
    return EdgeKind::add(store, space, name);
  }
  static void edit(Edge& edge) { edge.relation = "likes"; }
  static WriteResult<Edge> replace(const Space& space, const Edge& write, const Expected& read) {
    WriteResult<Edge> result;
    space.write([&](journal::Appender& appender) {
      result = graph::EdgeStore::retarget(appender, write, read);
    });
    return result;
  }
  static std::optional<Edge> find(const Space& space, const Edge& edge) {
    return space.edges().find(edge.id);
  }
};

EdgeMove to_relation(const std::string& relation) {
  EdgeMove move;
  move.relation = relation;
  return move;
}
EdgeMove to_source(EntityId source) {
  EdgeMove move;
  move.source = source;
  return move;
}
EdgeMove to_target(EntityId target) {
  EdgeMove move;
  move.target = target;
  return move;
}

}  // namespace

TEST_CASE("moving an edge leaves its namesake in another space where it is",
          "[guard][guard:edge.retarget.space]") {
  TestStore store;
  const Space other = store.store->create_space("other", "tester");
  const Edge mine =
      store.add_edge(store.add_entity("a").id, "knows", store.add_entity("b").id);
  Edge twin = edge_between(EntityKind::add(store, other, "a").id, "knows",
                           EntityKind::add(store, other, "b").id);
  twin.id = mine.id;
  twin = written(other.edges().insert_if_absent(twin));
  REQUIRE(twin.revision == mine.revision);
  REQUIRE(twin.created_at == mine.created_at);
  pass_time(store);
  CHECK(store.space->retarget_edge(mine.id, to_relation("likes")).outcome == Outcome::applied);
  CHECK((other.edges().find(twin.id) == twin));
}

TEST_CASE("moving an edge leaves another of its age where it is",
          "[guard][guard:edge.retarget.id]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  const EntityId b = store.add_entity("b").id;
  const Edge moved = store.add_edge(a, "knows", b);
  const Edge bystander = store.add_edge(b, "knows", a);
  REQUIRE(bystander.revision == moved.revision);
  REQUIRE(bystander.created_at == moved.created_at);
  pass_time(store);
  CHECK(store.space->retarget_edge(moved.id, to_relation("likes")).outcome == Outcome::applied);
  CHECK((store.space->edges().find(bystander.id) == bystander));
}

TEST_CASE("moving an edge is refused when only the revision has moved",
          "[guard][guard:edge.retarget.revision]") {
  ReplaceGuard<MoveKind> guard;
  const Edge newer =
      written(guard.store.space->edges().update(guard.row.id, &EdgeKind::edit));
  guard.write.revision.us += 1'000'000;
  guard.require_refused(Outcome::revision_moved);
  guard.read.revision = newer.revision;
  guard.require_applied();
}

TEST_CASE("moving an edge is refused when only the deletion mark has changed",
          "[guard][guard:edge.retarget.deletion]") {
  refuses_a_changed_deletion_mark<MoveKind>();
}

TEST_CASE("moving an edge is refused when only its revision does not advance",
          "[guard][guard:edge.retarget.advance]") {
  refuses_a_revision_that_does_not_advance<MoveKind>();
}

TEST_CASE("moving an edge is an error when only its time of creation differs",
          "[guard][guard:edge.retarget.created_at]") {
  refuses_another_time_of_creation<MoveKind>();
}

TEST_CASE("moving an edge is refused when it is only not live",
          "[guard][guard:edge.retarget.live]") {
  EdgeRules f;
  const Edge dead = f.deleted_edge();
  const auto result = f.require_refused(Outcome::deletion_changed, [&] {
    return f.store.space->retarget_edge(dead.id, to_relation("likes"), as_read(dead));
  });
  CHECK((result.current == dead));
  const Edge live = written(f.edges().restore(dead.id));
  CHECK(f.store.space->retarget_edge(live.id, to_relation("likes"), as_read(live)).outcome ==
        Outcome::applied);
}

TEST_CASE("moving an edge is refused when only its new relation is undeclared",
          "[guard][guard:edge.retarget.declared]") {
  EdgeRules f;
  const EdgeId id = written(f.edges().insert_if_absent(f.edge)).id;
  written(f.store.space->configure({.relations = RelationPolicy::declared}));
  CHECK_FALSE(f.require_not_moved(Outcome::relation_undeclared, id, to_relation("likes")).current);
  written(f.store.space->declare_relation(relation_named("likes")));
  CHECK(f.store.space->retarget_edge(id, to_relation("likes")).outcome == Outcome::applied);
}

TEST_CASE("moving an edge is refused when only its ends would be one entity",
          "[guard][guard:edge.retarget.loop]") {
  EdgeRules f;
  const EdgeId id = written(f.edges().insert_if_absent(f.edge)).id;
  CHECK_FALSE(f.require_not_moved(Outcome::loop_refused, id, to_target(f.source)).current);
  f.declare_loops(true);
  CHECK(f.store.space->retarget_edge(id, to_target(f.source)).outcome == Outcome::applied);
}

TEST_CASE("moving an edge is refused when only its new source is deleted",
          "[guard][guard:edge.retarget.source]") {
  EdgeRules f;
  const EdgeId id = written(f.edges().insert_if_absent(f.edge)).id;
  f.delete_and_forget(f.third);
  const auto result = f.require_not_moved(Outcome::endpoint_missing, id, to_source(f.third));
  CHECK(result.missing == std::vector<EntityId>{f.third});
  f.bring_back(f.third);
  CHECK(f.store.space->retarget_edge(id, to_source(f.third)).outcome == Outcome::applied);
}

TEST_CASE("moving an edge is refused when only its new target is deleted",
          "[guard][guard:edge.retarget.target]") {
  EdgeRules f;
  const EdgeId id = written(f.edges().insert_if_absent(f.edge)).id;
  f.delete_and_forget(f.third);
  const auto result = f.require_not_moved(Outcome::endpoint_missing, id, to_target(f.third));
  CHECK(result.missing == std::vector<EntityId>{f.third});
  f.bring_back(f.third);
  CHECK(f.store.space->retarget_edge(id, to_target(f.third)).outcome == Outcome::applied);
}

TEST_CASE("moving an edge is refused when only its new source is of a kind that is not linked",
          "[guard][guard:edge.retarget.source_kind]") {
  EdgeRules f;
  const EdgeId id = written(f.edges().insert_if_absent(f.edge)).id;
  f.declare_kinds({"person"}, {"person"});
  CHECK_FALSE(f.require_not_moved(Outcome::kind_refused, id, to_source(f.third)).current);
  f.declare_kinds({"person", "place"}, {"person"});
  CHECK(f.store.space->retarget_edge(id, to_source(f.third)).outcome == Outcome::applied);
}

TEST_CASE("moving an edge is refused when only its new target is of a kind that is not linked",
          "[guard][guard:edge.retarget.target_kind]") {
  EdgeRules f;
  const EdgeId id = written(f.edges().insert_if_absent(f.edge)).id;
  f.declare_kinds({"person"}, {"person"});
  CHECK_FALSE(f.require_not_moved(Outcome::kind_refused, id, to_target(f.third)).current);
  f.declare_kinds({"person"}, {"person", "place"});
  CHECK(f.store.space->retarget_edge(id, to_target(f.third)).outcome == Outcome::applied);
}

TEST_CASE("moving an edge is refused when only its time is taken by another there",
          "[guard][guard:edge.retarget.overlap]") {
  EdgeRules f;
  const EdgeId id = written(f.edges().insert_if_absent(f.edge)).id;
  Edge there = f.edge;
  there.target = f.third;
  there.valid_from = at_us(1999);
  there.valid_to = at_us(3000);
  there = written(f.edges().insert_if_absent(there));
  const auto result = f.require_not_moved(Outcome::overlaps, id, to_target(f.third));
  CHECK((result.current == there));
  written(f.edges().remove(there.id));
  CHECK(f.store.space->retarget_edge(id, to_target(f.third)).outcome == Outcome::applied);
}
