#include "suites/guard_fixture.h"
#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

TEST_CASE("replacing an entity is refused when only the space is another",
          "[guard][guard:entity.replace.space]") {
  refuses_a_row_of_another_space<EntityKind>();
}

TEST_CASE("replacing an entity is refused when only the id is another",
          "[guard][guard:entity.replace.id]") {
  ReplaceGuard<EntityKind> guard;
  refuses_an_unknown_id(guard);
}

TEST_CASE("replacing an entity is refused when only the revision has moved",
          "[guard][guard:entity.replace.revision]") {
  refuses_a_moved_revision<EntityKind>();
}

TEST_CASE("replacing an entity is refused when only the deletion mark has changed",
          "[guard][guard:entity.replace.deletion]") {
  refuses_to_raise_the_dead<EntityKind>(&Space::entities);
}

TEST_CASE("replacing an entity is refused when only its revision does not advance",
          "[guard][guard:entity.replace.advance]") {
  refuses_a_revision_that_does_not_advance<EntityKind>();
}

TEST_CASE("replacing an entity is an error when only its time of creation differs",
          "[guard][guard:entity.replace.created_at]") {
  refuses_another_time_of_creation<EntityKind>();
}

TEST_CASE("replacing an entity is refused when only its edges do not allow its new kind",
          "[guard][guard:entity.replace.edges_allow_kind]") {
  ReplaceGuard<EntityKind> guard;
  Relation between_persons = relation_named("knows");
  between_persons.source_kinds = {"person"};
  written(guard.store.space->declare_relation(between_persons));
  const EntityId other = guard.store.add_entity("other").id;
  const EdgeId edge = guard.store.add_edge(guard.row.id, "knows", other).id;
  guard.write.kind = "place";
  guard.require_refused(Outcome::kind_refused);
  written(guard.store.space->edges().remove(edge));
  guard.require_applied();
}
