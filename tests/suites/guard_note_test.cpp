#include "suites/guard_fixture.h"
#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using NoteGuard = ReplaceGuard<NoteKind>;

/// A live note of that key.
Note add_keyed(TestStore& store, const std::string& key) {
  Note note;
  note.kind = "observation";
  note.key = key;
  pass_time(store);
  return written(store.space->notes().insert_if_absent(note));
}

/// The write is refused with this row in its way, and nothing happens.
template <class Write>
void require_refused(TestStore& store, Outcome outcome, const std::optional<Note>& in_the_way,
                     const Write& write) {
  const std::string before = picture(*store.store);
  const WriteResult<Note> result = write();
  CHECK(to_string(result.outcome) == to_string(outcome));
  CHECK((result.current == in_the_way));
  CHECK(picture(*store.store) == before);
}

}  // namespace

TEST_CASE("replacing a note is refused when only the space is another",
          "[guard][guard:note.replace.space]") {
  refuses_a_row_of_another_space<NoteKind>();
}

TEST_CASE("replacing a note is refused when only the id is another",
          "[guard][guard:note.replace.id]") {
  NoteGuard guard;
  refuses_an_unknown_id(guard);
}

TEST_CASE("replacing a note is refused when only the revision has moved",
          "[guard][guard:note.replace.revision]") {
  refuses_a_moved_revision<NoteKind>();
}

TEST_CASE("replacing a note is refused when only the deletion mark has changed",
          "[guard][guard:note.replace.deletion]") {
  refuses_to_raise_the_dead<NoteKind>(&Space::notes);
}

TEST_CASE("replacing a note is refused when only its revision does not advance",
          "[guard][guard:note.replace.advance]") {
  refuses_a_revision_that_does_not_advance<NoteKind>();
}

TEST_CASE("replacing a note is an error when only its time of creation differs",
          "[guard][guard:note.replace.created_at]") {
  refuses_another_time_of_creation<NoteKind>();
}

TEST_CASE("replacing a note is refused when only what it would be about is deleted",
          "[guard][guard:note.replace.about]") {
  NoteGuard guard;
  const EntityId about = guard.store.add_entity("about").id;
  written(guard.store.space->entities().remove(about));
  guard.write.about = about;
  const std::string before = picture(*guard.store.store);
  const auto result = guard.attempt();
  CHECK(result.outcome == Outcome::endpoint_missing);
  CHECK(result.missing == std::vector<EntityId>{about});
  CHECK(picture(*guard.store.store) == before);
  written(guard.store.space->entities().restore(about));
  guard.require_applied();
}

TEST_CASE("replacing a note is refused when only its new key is taken",
          "[guard][guard:note.replace.key]") {
  NoteGuard guard;
  const Note holder = add_keyed(guard.store, "key");
  guard.write.key = "key";
  require_refused(guard.store, Outcome::key_taken, holder, [&] { return guard.attempt(); });
  guard.write.key = "free";
  guard.require_applied();
}

TEST_CASE("a new note is refused when only what it is about is deleted",
          "[guard][guard:note.insert.about]") {
  TestStore store;
  Note note;
  note.kind = "observation";
  note.about = store.add_entity("about").id;
  pass_time(store);
  written(store.space->entities().remove(*note.about));
  require_refused(store, Outcome::endpoint_missing, std::nullopt,
                  [&] { return store.space->notes().insert_if_absent(note); });
  written(store.space->entities().restore(*note.about));
  CHECK(store.space->notes().insert_if_absent(note).outcome == Outcome::applied);
}

TEST_CASE("a new note is refused with the one that has its key", "[guard][guard:note.insert.key]") {
  TestStore store;
  const Note holder = add_keyed(store, "key");
  Note note;
  note.kind = "observation";
  note.key = "key";
  require_refused(store, Outcome::key_taken, holder,
                  [&] { return store.space->notes().insert_if_absent(note); });
  note.key = "free";
  CHECK(store.space->notes().insert_if_absent(note).outcome == Outcome::applied);
}

TEST_CASE("restoring a note is refused when only its key is taken since",
          "[guard][guard:note.restore.key]") {
  TestStore store;
  const NoteId id = add_keyed(store, "key").id;
  pass_time(store);
  written(store.space->notes().remove(id));
  const Note holder = add_keyed(store, "key");
  require_refused(store, Outcome::key_taken, holder,
                  [&] { return store.space->notes().restore(id); });
  pass_time(store);
  written(store.space->notes().remove(holder.id));
  CHECK(store.space->notes().restore(id).outcome == Outcome::applied);
}
