#include <holdfast/graph/relation_store.h>

#include "suites/guard_fixture.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

struct RelationKind {
  using Row = Relation;
  static Relation add(TestStore&, const Space& space, const std::string& name) {
    return written(space.declare_relation(relation_named(name)));
  }
  static void edit(Relation& relation) { relation.loops = !relation.loops; }
  static WriteResult<Relation> replace(const Space& space, const Relation& write,
                                       const Expected& read) {
    WriteResult<Relation> result;
    space.write([&](journal::Appender& appender) {
      result = graph::RelationStore::replace_if_unchanged(appender, write, read);
    });
    return result;
  }
  static std::optional<Relation> find(const Space& space, const Relation& relation) {
    for (const Relation& declared : space.relations().items) {
      if (declared.id == relation.id) return declared;
    }
    return std::nullopt;
  }
};

using RelationGuard = ReplaceGuard<RelationKind>;

}  // namespace

TEST_CASE("replacing a declaration is refused when only the space is another",
          "[guard][guard:relation.replace.space]") {
  refuses_a_row_of_another_space<RelationKind>();
}

TEST_CASE("replacing a declaration is refused when only the id is another",
          "[guard][guard:relation.replace.id]") {
  RelationGuard guard;
  refuses_an_unknown_id(guard);
}

TEST_CASE("replacing a declaration is refused when only the revision has moved",
          "[guard][guard:relation.replace.revision]") {
  refuses_a_moved_revision<RelationKind>();
}

TEST_CASE("replacing a declaration is refused when only the deletion mark has changed",
          "[guard][guard:relation.replace.deletion]") {
  refuses_a_changed_deletion_mark<RelationKind>();
}

TEST_CASE("replacing a declaration is refused when only its revision does not advance",
          "[guard][guard:relation.replace.advance]") {
  refuses_a_revision_that_does_not_advance<RelationKind>();
}

TEST_CASE("replacing a declaration is an error when only its time of creation differs",
          "[guard][guard:relation.replace.created_at]") {
  refuses_another_time_of_creation<RelationKind>();
}

TEST_CASE("replacing a declaration is an error when only its relation differs",
          "[guard][guard:relation.replace.relation]") {
  refuses_a_changed_identity<RelationKind>(
      [](RelationGuard& guard) { guard.write.relation = "another"; });
}

TEST_CASE("a relation with edges is refused when only its symmetry would change",
          "[guard][guard:relation.declare.frozen]") {
  TestStore store;
  const Relation one_way = written(store.space->declare_relation(relation_named("knows")));
  pass_time(store);
  Relation symmetric = one_way;
  symmetric.symmetric = true;
  const EntityId a = store.add_entity("a").id;
  pass_time(store);
  const EntityId b = store.add_entity("b").id;
  pass_time(store);
  store.add_edge(a, "knows", b);

  const std::string before = picture(*store.store);
  const auto refused = store.space->declare_relation(symmetric);
  CHECK(refused.outcome == Outcome::in_use);
  CHECK((refused.current == one_way));
  CHECK(picture(*store.store) == before);

  symmetric.relation = "likes";  // without edges
  CHECK(store.space->declare_relation(symmetric).outcome == Outcome::applied);
}

TEST_CASE("a relation is refused a declaration that only a live edge of it would break",
          "[guard][guard:relation.declare.kept]") {
  TestStore store;
  const Relation any = written(store.space->declare_relation(relation_named("knows")));
  pass_time(store);
  const EdgeId edge =
      store.add_edge(store.add_entity("a").id, "knows", store.add_entity("b").id).id;
  Relation of_places = any;
  of_places.source_kinds = {"place"};

  const std::string before = picture(*store.store);
  const auto refused = store.space->declare_relation(of_places);
  CHECK(refused.outcome == Outcome::in_use);
  CHECK((refused.current == any));
  CHECK(picture(*store.store) == before);

  written(store.space->edges().remove(edge));
  CHECK(store.space->declare_relation(of_places).outcome == Outcome::applied);
}
