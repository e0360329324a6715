#include "suites/guard_fixture.h"
#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using EdgeGuard = ReplaceGuard<EdgeKind>;

EntityId another_end(EdgeGuard& guard) {
  return guard.store.add_entity("another").id;
}

}  // namespace

TEST_CASE("replacing an edge is refused when only the space is another",
          "[guard][guard:edge.replace.space]") {
  refuses_a_row_of_another_space<EdgeKind>();
}

TEST_CASE("replacing an edge is refused when only the id is another",
          "[guard][guard:edge.replace.id]") {
  EdgeGuard guard;
  // A live edge would be found by its triple, whatever the id.
  guard.aim_at(written(guard.store.space->edges().remove(guard.row.id)));
  refuses_an_unknown_id(guard);
}

TEST_CASE("replacing an edge is refused when only the revision has moved",
          "[guard][guard:edge.replace.revision]") {
  refuses_a_moved_revision<EdgeKind>();
}

TEST_CASE("replacing an edge is refused when only the deletion mark has changed",
          "[guard][guard:edge.replace.deletion]") {
  refuses_to_raise_the_dead<EdgeKind>(&Space::edges);
}

TEST_CASE("replacing an edge is refused when only its revision does not advance",
          "[guard][guard:edge.replace.advance]") {
  refuses_a_revision_that_does_not_advance<EdgeKind>();
}

TEST_CASE("replacing an edge is an error when only its time of creation differs",
          "[guard][guard:edge.replace.created_at]") {
  refuses_another_time_of_creation<EdgeKind>();
}

TEST_CASE("replacing an edge is an error when only its source differs",
          "[guard][guard:edge.replace.source]") {
  refuses_a_changed_identity<EdgeKind>(
      [](EdgeGuard& guard) { guard.write.source = another_end(guard); });
}

TEST_CASE("replacing an edge is an error when only its relation differs",
          "[guard][guard:edge.replace.relation]") {
  refuses_a_changed_identity<EdgeKind>([](EdgeGuard& guard) { guard.write.relation = "likes"; });
}

TEST_CASE("replacing an edge is an error when only its target differs",
          "[guard][guard:edge.replace.target]") {
  refuses_a_changed_identity<EdgeKind>(
      [](EdgeGuard& guard) { guard.write.target = another_end(guard); });
}

TEST_CASE("replacing an edge is an error when only its start differs",
          "[guard][guard:edge.replace.valid_from]") {
  refuses_a_changed_identity<EdgeKind>(
      [](EdgeGuard& guard) { guard.write.valid_from = at_us(1001); });
}

TEST_CASE("replacing an edge is refused when only its time would reach into another's",
          "[guard][guard:edge.replace.overlap]") {
  EdgeGuard guard;
  Edge next = edge_between(guard.row.source, guard.row.relation, guard.row.target);
  next.valid_from = guard.row.valid_to;
  next = written(guard.store.space->edges().insert_if_absent(next));
  guard.write.valid_to = *guard.row.valid_to + 1us;

  const std::string before = picture(*guard.store.store);
  const auto result = guard.attempt();
  CHECK(result.outcome == Outcome::overlaps);
  CHECK((result.current == next));
  CHECK(picture(*guard.store.store) == before);

  guard.write.valid_to = guard.row.valid_to;
  guard.require_applied();
}
