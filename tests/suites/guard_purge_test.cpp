#include "suites/guard_fixture.h"
#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// A deleted row that may be purged by naming `read`, and one beside it that differs in all that a
/// guard looks at.
template <class Kind>
struct PurgeGuard {
  using Row = typename Kind::Row;

  PurgeGuard() {
    row = dead(*store.space, "attacked");
    dead(*store.space, "bystander");
    read = as_read(row);
    id = row.id;
  }

  Row dead(const Space& space, const std::string& name) {
    pass_time(store);
    const Row added = Kind::add(store, space, name);
    pass_time(store);
    return written(Kind::in(space).remove(added.id));
  }

  /// Refused with `outcome` and the row as it is; nothing else happens.
  void require_refused(Outcome outcome) const {
    const std::string before = picture(*store.store);
    const auto result = Kind::in(*store.space).purge(id, read);
    CHECK(to_string(result.outcome) == to_string(outcome));
    CHECK((result.current == Kind::in(*store.space).find(id)));
    CHECK(result.seq == 0);
    CHECK(picture(*store.store) == before);
  }

  /// The control: with what was spoiled put right, the row is purged.
  void require_applied() const {
    CHECK(Kind::in(*store.space).purge(id, read).outcome == Outcome::applied);
    CHECK_FALSE(Kind::in(*store.space).find(id).has_value());
  }

  TestStore store;
  Row row;
  decltype(Row::id) id;
  Expected read;
};

template <class Kind>
void refuses_to_purge_in_another_space() {
  PurgeGuard<Kind> guard;
  const Space other = guard.store.store->create_space("other", "tester");
  const auto theirs = guard.dead(other, "elsewhere");
  guard.id = theirs.id;
  guard.read = as_read(theirs);
  guard.require_refused(Outcome::missing);
  CHECK(Kind::in(other).purge(guard.id, guard.read).outcome == Outcome::applied);
}

template <class Kind>
void refuses_to_purge_an_unknown_id() {
  PurgeGuard<Kind> guard;
  guard.id = {guard.store.environment.ids->next()};
  guard.require_refused(Outcome::missing);
  guard.id = guard.row.id;
  guard.require_applied();
}

/// Deleted at the instant that was read, but restored and deleted again since: with the clock
/// stepped back, the mark alone does not tell.
template <class Kind>
void refuses_to_purge_at_a_moved_revision() {
  PurgeGuard<Kind> guard;
  const auto& rows = Kind::in(*guard.store.space);
  written(rows.restore(guard.id));
  guard.store.environment.clock.set(*guard.row.deleted_at);
  const auto again = written(rows.remove(guard.id));
  REQUIRE(again.deleted_at == guard.read.deleted_at);
  guard.require_refused(Outcome::revision_moved);
  guard.read.revision = again.revision;
  guard.require_applied();
}

template <class Kind>
void refuses_to_purge_under_another_deletion_mark() {
  PurgeGuard<Kind> guard;
  *guard.read.deleted_at += 1us;
  guard.require_refused(Outcome::deletion_changed);
  guard.read.deleted_at = guard.row.deleted_at;
  guard.require_applied();
}

template <class Kind>
void refuses_to_purge_a_live_row() {
  PurgeGuard<Kind> guard;
  const auto& rows = Kind::in(*guard.store.space);
  guard.read = as_read(written(rows.restore(guard.id)));
  guard.require_refused(Outcome::still_live);
  guard.read = as_read(written(rows.remove(guard.id)));
  guard.require_applied();
}

}  // namespace

TEST_CASE("purging an entity is refused when only the space is another",
          "[guard][guard:entity.purge.space]") {
  refuses_to_purge_in_another_space<EntityKind>();
}
TEST_CASE("purging an entity is refused when only the id is another",
          "[guard][guard:entity.purge.id]") {
  refuses_to_purge_an_unknown_id<EntityKind>();
}
TEST_CASE("purging an entity is refused when only the revision has moved",
          "[guard][guard:entity.purge.revision]") {
  refuses_to_purge_at_a_moved_revision<EntityKind>();
}
TEST_CASE("purging an entity is refused when only the deletion mark is another",
          "[guard][guard:entity.purge.deletion]") {
  refuses_to_purge_under_another_deletion_mark<EntityKind>();
}
TEST_CASE("purging an entity is refused when it is only not deleted",
          "[guard][guard:entity.purge.dead]") {
  refuses_to_purge_a_live_row<EntityKind>();
}

TEST_CASE("purging an edge is refused when only the space is another",
          "[guard][guard:edge.purge.space]") {
  refuses_to_purge_in_another_space<EdgeKind>();
}
TEST_CASE("purging an edge is refused when only the id is another",
          "[guard][guard:edge.purge.id]") {
  refuses_to_purge_an_unknown_id<EdgeKind>();
}
TEST_CASE("purging an edge is refused when only the revision has moved",
          "[guard][guard:edge.purge.revision]") {
  refuses_to_purge_at_a_moved_revision<EdgeKind>();
}
TEST_CASE("purging an edge is refused when only the deletion mark is another",
          "[guard][guard:edge.purge.deletion]") {
  refuses_to_purge_under_another_deletion_mark<EdgeKind>();
}
TEST_CASE("purging an edge is refused when it is only not deleted",
          "[guard][guard:edge.purge.dead]") {
  refuses_to_purge_a_live_row<EdgeKind>();
}

TEST_CASE("purging a note is refused when only the space is another",
          "[guard][guard:note.purge.space]") {
  refuses_to_purge_in_another_space<NoteKind>();
}
TEST_CASE("purging a note is refused when only the id is another",
          "[guard][guard:note.purge.id]") {
  refuses_to_purge_an_unknown_id<NoteKind>();
}
TEST_CASE("purging a note is refused when only the revision has moved",
          "[guard][guard:note.purge.revision]") {
  refuses_to_purge_at_a_moved_revision<NoteKind>();
}
TEST_CASE("purging a note is refused when only the deletion mark is another",
          "[guard][guard:note.purge.deletion]") {
  refuses_to_purge_under_another_deletion_mark<NoteKind>();
}
TEST_CASE("purging a note is refused when it is only not deleted",
          "[guard][guard:note.purge.dead]") {
  refuses_to_purge_a_live_row<NoteKind>();
}

TEST_CASE("purging a scheduled event is refused when only the space is another",
          "[guard][guard:scheduled_event.purge.space]") {
  refuses_to_purge_in_another_space<ScheduledKind>();
}
TEST_CASE("purging a scheduled event is refused when only the id is another",
          "[guard][guard:scheduled_event.purge.id]") {
  refuses_to_purge_an_unknown_id<ScheduledKind>();
}
TEST_CASE("purging a scheduled event is refused when only the revision has moved",
          "[guard][guard:scheduled_event.purge.revision]") {
  refuses_to_purge_at_a_moved_revision<ScheduledKind>();
}
TEST_CASE("purging a scheduled event is refused when only the deletion mark is another",
          "[guard][guard:scheduled_event.purge.deletion]") {
  refuses_to_purge_under_another_deletion_mark<ScheduledKind>();
}
TEST_CASE("purging a scheduled event is refused when it is only not deleted",
          "[guard][guard:scheduled_event.purge.dead]") {
  refuses_to_purge_a_live_row<ScheduledKind>();
}
