#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Two entities, the first with the smaller id.
struct Ends {
  Ends() : a(store.add_entity("a").id), b(store.add_entity("b").id) { REQUIRE(a < b); }
  Edge add(EntityId source, const std::string& relation, EntityId target) {
    return written(store.space->edges().insert_if_absent(edge_between(source, relation, target)));
  }
  TestStore store;
  EntityId a;
  EntityId b;
};

}  // namespace

TEST_CASE("a declaration is a row like all others: read back, journaled, guarded", "[relation]") {
  TestStore store;
  const Relation made = written(store.space->declare_relation(symmetric_relation("near")));
  CHECK(made.symmetric);
  CHECK_FALSE(made.loops);
  CHECK((store.space->relations().items == std::vector{made}));

  const std::string before = picture(*store.store);
  CHECK(store.space->declare_relation(symmetric_relation("near")).outcome == Outcome::unchanged);
  CHECK(picture(*store.store) == before);

  Relation changed = made;
  changed.loops = true;
  const Relation replaced = written(store.space->declare_relation(changed));
  CHECK(replaced.id == made.id);
  CHECK(replaced.created_at == made.created_at);
  CHECK(replaced.revision.us == made.revision.us + 1);
  CHECK((store.space->relations().items == std::vector{replaced}));
  CHECK(store.store->verify().is_clean());
}

TEST_CASE("an edge of a symmetric relation is stored once, smaller id first", "[relation]") {
  Ends f;
  written(f.store.space->declare_relation(symmetric_relation("near")));
  const Edge edge = f.add(f.b, "near", f.a);
  CHECK(edge.source == f.a);
  CHECK(edge.target == f.b);
  for (const Edge& again : {edge_between(f.a, "near", f.b), edge_between(f.b, "near", f.a)}) {
    const auto result = f.store.space->edges().insert_if_absent(again);
    CHECK(result.outcome == Outcome::key_taken);
    CHECK((result.current == edge));
  }
  CHECK(f.store.space->edges().count({}) == 1);
}

TEST_CASE("an edge of a one-way relation keeps its direction", "[relation]") {
  Ends f;
  written(f.store.space->declare_relation(relation_named("knows")));
  CHECK(f.add(f.b, "knows", f.a).source == f.b);
  CHECK(f.add(f.a, "knows", f.b).source == f.a);
}

TEST_CASE("a loop needs a relation that allows it", "[relation]") {
  Ends f;
  const Edge loop = edge_between(f.a, "knows", f.a);
  CHECK(f.store.space->edges().insert_if_absent(loop).outcome == Outcome::loop_refused);
  Relation relation = relation_named("knows");
  relation.loops = true;
  written(f.store.space->declare_relation(relation));
  CHECK(f.add(f.a, "knows", f.a).target == f.a);
  CHECK(f.store.space->neighborhood_seq(f.a) == f.store.space->tail().seq);
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("an open space takes any relation, a declared one only its own", "[relation]") {
  Ends f;
  f.add(f.a, "anything", f.b);
  written(f.store.space->configure({.relations = RelationPolicy::declared}));
  const auto refused = f.store.space->edges().insert_if_absent(edge_between(f.a, "else", f.b));
  CHECK(refused.outcome == Outcome::relation_undeclared);
  written(f.store.space->declare_relation(relation_named("else")));
  f.add(f.a, "else", f.b);
  written(f.store.space->configure({.relations = RelationPolicy::open}));
  f.add(f.a, "whatever", f.b);
}

TEST_CASE("a policy that is set already is unchanged, and survives reopening", "[relation]") {
  TestStore store;
  const std::string before = picture(*store.store);
  CHECK(store.space->configure({.relations = RelationPolicy::open}).outcome == Outcome::unchanged);
  CHECK(picture(*store.store) == before);
  const auto set = store.space->configure({.relations = RelationPolicy::declared});
  CHECK(set.current->settings.text() == R"({"relations":"declared"})");
  store.reopen();
  const auto again = store.space->configure({.relations = RelationPolicy::declared});
  CHECK(again.outcome == Outcome::unchanged);
  CHECK(store.store->verify().is_clean());
}

TEST_CASE("symmetry is frozen once edges exist, deleted ones included", "[relation]") {
  Ends f;
  const Edge edge = f.add(f.a, "near", f.b);
  written(f.store.space->edges().remove(edge.id));
  const auto undeclared = f.store.space->declare_relation(symmetric_relation("near"));
  CHECK(undeclared.outcome == Outcome::in_use);
  CHECK_FALSE(undeclared.current.has_value());
  CHECK(f.store.space->declare_relation(relation_named("near")).applied());
}

TEST_CASE("an edge of a declared relation may be replaced and restored under any policy",
          "[relation]") {
  Ends f;
  const Edge edge = f.add(f.a, "knows", f.b);
  written(f.store.space->configure({.relations = RelationPolicy::declared}));
  written(f.store.space->edges().update(edge.id, [](Edge& e) { e.weight = 2; }));
  written(f.store.space->edges().remove(edge.id));
  CHECK(f.store.space->edges().restore(edge.id).applied());
}

TEST_CASE("a relation's name obeys the rules of names", "[relation]") {
  TestStore store;
  CHECK_THROWS_AS(store.space->declare_relation(relation_named("")), InvalidArgument);
  const Relation made = written(store.space->declare_relation(relation_named("e\xCC\x81")));
  CHECK(made.relation == "\xC3\xA9");
}

TEST_CASE("a stale writer is told of its conflict before a rule it would break", "[relation]") {
  Ends f;
  Edge first = edge_between(f.a, "knows", f.b);
  first.valid_to = at_us(10);
  first = written(f.store.space->edges().insert_if_absent(first));
  Edge second = edge_between(f.a, "knows", f.b);
  second.valid_from = at_us(10);
  written(f.store.space->edges().insert_if_absent(second));
  Edge stale = first;
  stale.valid_to = at_us(20);
  const auto& edges = f.store.space->edges();
  CHECK(edges.replace(stale, as_read(first)).outcome == Outcome::overlaps);
  const Edge newer = written(edges.update(first.id, [](Edge& e) { e.weight = 2; }));
  const auto result = edges.replace(stale, as_read(first));
  CHECK(result.outcome == Outcome::revision_moved);
  CHECK((result.current == newer));
}
