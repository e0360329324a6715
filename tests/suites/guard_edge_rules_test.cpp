#include "suites/guard_edge_rules.h"

using namespace holdfast;
using namespace holdfast::test;

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

TEST_CASE("a new edge is refused when only its source is of a kind that the relation does not link",
          "[guard][guard:edge.insert.source_kind]") {
  EdgeRules f;
  f.declare_kinds({"place"}, {"person"});
  CHECK_FALSE(f.require_not_inserted(Outcome::kind_refused).current);
  f.edge.source = f.third;
  CHECK(f.edges().insert_if_absent(f.edge).outcome == Outcome::applied);
}

TEST_CASE("a new edge is refused when only its target is of a kind that the relation does not link",
          "[guard][guard:edge.insert.target_kind]") {
  EdgeRules f;
  f.declare_kinds({"person"}, {"place"});
  CHECK_FALSE(f.require_not_inserted(Outcome::kind_refused).current);
  f.edge.target = f.third;
  CHECK(f.edges().insert_if_absent(f.edge).outcome == Outcome::applied);
}

TEST_CASE("restoring an edge is refused when only its relation no longer allows loops",
          "[guard][guard:edge.restore.loop]") {
  EdgeRules f;
  f.declare_loops(true);
  f.edge.target = f.source;
  const EdgeId id = f.deleted_edge().id;
  f.declare_loops(false);
  CHECK_FALSE(f.require_not_restored(Outcome::loop_refused, id).current);
  f.declare_loops(true);
  CHECK(f.edges().restore(id).outcome == Outcome::applied);
}

TEST_CASE("restoring an edge is refused when only its source's kind is no longer linked",
          "[guard][guard:edge.restore.source_kind]") {
  EdgeRules f;
  const EdgeId id = f.deleted_edge().id;
  f.declare_kinds({"place"}, {"person"});
  CHECK_FALSE(f.require_not_restored(Outcome::kind_refused, id).current);
  f.declare_kinds({"person", "place"}, {"person"});
  CHECK(f.edges().restore(id).outcome == Outcome::applied);
}

TEST_CASE("restoring an edge is refused when only its target's kind is no longer linked",
          "[guard][guard:edge.restore.target_kind]") {
  EdgeRules f;
  const EdgeId id = f.deleted_edge().id;
  f.declare_kinds({"person"}, {"place"});
  CHECK_FALSE(f.require_not_restored(Outcome::kind_refused, id).current);
  f.declare_kinds({"person"}, {"person", "place"});
  CHECK(f.edges().restore(id).outcome == Outcome::applied);
}
