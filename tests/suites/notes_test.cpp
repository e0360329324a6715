#include <cmath>
#include <limits>

#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

Note note_of(const std::string& content) {
  Note note;
  note.kind = "observation";
  note.content = content;
  return note;
}

Note keyed(const std::string& key) {
  Note note = note_of("about " + key);
  note.key = key;
  return note;
}

}  // namespace

TEST_CASE("a key finds its live note, and none once that is deleted", "[note]") {
  TestStore store;
  const auto& notes = store.space->notes();
  CHECK_FALSE(store.space->find_note("key").has_value());
  const Note note = written(notes.insert_if_absent(keyed("key")));
  CHECK((store.space->find_note("key") == note));
  written(notes.remove(note.id));
  CHECK_FALSE(store.space->find_note("key").has_value());
  written(notes.restore(note.id));
  CHECK(store.space->find_note("key")->id == note.id);
}

TEST_CASE("a key can move to another note once it is given up", "[note]") {
  TestStore store;
  const auto& notes = store.space->notes();
  const Note first = written(notes.insert_if_absent(keyed("key")));
  const Note second = written(notes.insert_if_absent(note_of("other")));
  const auto take = [](Note& note) { note.key = "key"; };
  CHECK(notes.update(second.id, take).outcome == Outcome::key_taken);
  written(notes.update(first.id, [](Note& note) { note.key.reset(); }));
  written(notes.update(second.id, take));
  CHECK(store.space->find_note("key")->id == second.id);
}

TEST_CASE("a note keeps its key through edits, deletion and restore", "[note]") {
  TestStore store;
  const auto& notes = store.space->notes();
  const Note note = written(notes.insert_if_absent(keyed("key")));
  CHECK(written(notes.update(note.id, &NoteKind::edit)).key == "key");
  written(notes.remove(note.id));
  CHECK(written(notes.restore(note.id)).key == "key");
}

TEST_CASE("keys are compared as NFC", "[note]") {
  TestStore store;
  const Note note = written(store.space->notes().insert_if_absent(keyed("e\xCC\x81")));
  CHECK(note.key == "\xC3\xA9");
  CHECK(store.space->find_note("e\xCC\x81")->id == note.id);
  CHECK(store.space->notes().insert_if_absent(keyed("\xC3\xA9")).outcome == Outcome::key_taken);
}

TEST_CASE("notes without keys are never in each other's way", "[note]") {
  TestStore store;
  store.add_note("same");
  store.add_note("same");
  CHECK(store.space->notes().count({}) == 2);
}

TEST_CASE("content is kept verbatim up to 1 MiB", "[note]") {
  TestStore store;
  const auto& notes = store.space->notes();
  const std::string verbatim = "e\xCC\x81\r\n\t ";
  CHECK(written(notes.insert_if_absent(note_of(verbatim))).content == verbatim);
  CHECK(notes.insert_if_absent(note_of("")).applied());
  const std::string largest(std::size_t{1} << 20, 'x');
  CHECK(written(notes.insert_if_absent(note_of(largest))).content.size() == largest.size());
  CHECK(refusal_of([&] { (void)notes.insert_if_absent(note_of(largest + "x")); }) ==
        "content: be at most 1,048,576 bytes");
}

TEST_CASE("lists leave out notes that have expired by now or by the time asked for", "[note]") {
  TestStore store;
  Note note = note_of("expires");
  note.expires_at = at_us(100);
  note = written(store.space->notes().insert_if_absent(note));
  store.add_note("stays");
  NoteFilter filter;
  CHECK(store.space->notes().count(filter) == 2);
  store.environment.clock.set(at_us(100));
  CHECK(store.space->notes().count(filter) == 1);
  filter.include_expired = true;
  CHECK(store.space->notes().count(filter) == 2);
  filter.include_expired = false;
  filter.live_at = at_us(99);
  CHECK(store.space->notes().count(filter) == 2);
  filter.live_at = at_us(100);
  CHECK(store.space->notes().count(filter) == 1);
  CHECK((store.space->notes().get(note.id) == note));
}

TEST_CASE("a cursor stays good while the time of expiry moves on", "[note]") {
  TestStore store;
  for (int i = 0; i < 3; ++i) store.add_note("stays");
  NoteFilter filter;
  filter.live_at = at_us(0);
  const auto paged = all_pages<Note>(
      1, [&](const PageRequest& page) { return store.space->notes().list(filter, page); },
      [&] { *filter.live_at += 1s; });
  CHECK(paged.size() == 3);
}

TEST_CASE("notes are filtered by kind, key and what they are about", "[note]") {
  TestStore store;
  const EntityId about = store.add_entity("about").id;
  const Note first = store.add_note("text", about);
  const Note second = written(store.space->notes().insert_if_absent(keyed("key")));
  const auto listed = [&](const NoteFilter& filter) {
    return ids_of(store.space->notes().list(filter).items);
  };
  NoteFilter filter;
  filter.about = about;
  CHECK(listed(filter) == std::vector{first.id});
  filter.about.reset();
  filter.key = "key";
  CHECK(listed(filter) == std::vector{second.id});
  filter.key.reset();
  filter.kind = "message";
  CHECK(listed(filter).empty());
}

TEST_CASE("a note about a deleted entity stays readable and says so everywhere", "[note]") {
  TestStore store;
  const EntityId about = store.add_entity("about").id;
  const Note note = store.add_note("text", about);
  CHECK_FALSE(store.space->notes().get(note.id).about_is_deleted);
  written(store.space->entities().remove(about));
  const auto& notes = store.space->notes();
  CHECK(notes.get(note.id).about_is_deleted);
  CHECK(notes.list({}).items.front().about_is_deleted);
  CHECK(notes.replace(note, {.revision = {1}, .deleted_at = {}}).current->about_is_deleted);
  const Note edited = written(notes.update(note.id, [](Note& n) { n.content = "edited"; }));
  CHECK(edited.about_is_deleted);
  CHECK((notes.get(note.id) == edited));
  CHECK_FALSE(notes.to_json(edited).find("\"about_is_deleted\":true") == std::string::npos);
  written(store.space->entities().restore(about));
  CHECK_FALSE(notes.get(note.id).about_is_deleted);
}

TEST_CASE("a note about a deleted entity can be deleted and restored", "[note]") {
  TestStore store;
  const EntityId about = store.add_entity("about").id;
  const Note note = store.add_note("text", about);
  written(store.space->entities().remove(about));
  written(store.space->notes().remove(note.id));
  CHECK(written(store.space->notes().restore(note.id)).about_is_deleted);
}

TEST_CASE("a note cannot become about an entity that is absent", "[note]") {
  TestStore store;
  Note note = note_of("text");
  note.about = EntityId{store.environment.ids->next()};
  const auto refused = store.space->notes().insert_if_absent(note);
  CHECK(refused.outcome == Outcome::endpoint_missing);
  CHECK(refused.missing == std::vector{*note.about});
  const Note there = store.add_note("there");
  const auto moved = store.space->notes().update(there.id, [&](Note& n) { n.about = note.about; });
  CHECK(moved.outcome == Outcome::endpoint_missing);
}

TEST_CASE("an answer does not believe the caller about what is deleted", "[note]") {
  TestStore store;
  Note note = note_of("text");
  note.about = store.add_entity("about").id;
  note.about_is_deleted = true;
  const Note row = written(store.space->notes().insert_if_absent(note));
  CHECK_FALSE(row.about_is_deleted);
  CHECK((store.space->notes().get(row.id) == row));
}

TEST_CASE("a salience that is no number is an error", "[note]") {
  TestStore store;
  Note note = note_of("text");
  note.salience = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(store.space->notes().insert_if_absent(note), InvalidArgument);
}

TEST_CASE("inserting a keyed note again under its id says that it exists", "[note]") {
  TestStore store;
  const Note note = written(store.space->notes().insert_if_absent(keyed("key")));
  const auto again = store.space->notes().insert_if_absent(note);
  CHECK(again.outcome == Outcome::exists);
  CHECK((again.current == note));
}

TEST_CASE("minus zero is stored as zero and the journal agrees", "[note]") {
  TestStore store;
  Note note = note_of("x");
  note.salience = -0.0;
  note = written(store.space->notes().insert_if_absent(note));
  CHECK_FALSE(std::signbit(note.salience));
  Edge edge;
  edge.source = store.add_entity("a").id;
  edge.target = store.add_entity("b").id;
  edge.relation = "knows";
  edge.weight = -1e-320 * 1e-10;
  edge = written(store.space->edges().insert_if_absent(edge));
  CHECK_FALSE(std::signbit(edge.weight));
  CHECK(store.store->verify().is_clean());
}

TEST_CASE("an expiry at the end of time is refused, not taken for never", "[note]") {
  TestStore store;
  Note note = note_of("x");
  note.expires_at = from_us(std::numeric_limits<std::int64_t>::max());
  CHECK_THROWS_AS(store.space->notes().insert_if_absent(note), InvalidArgument);
}

TEST_CASE("a list by an entity that never was is NotFound, not empty", "[note]") {
  TestStore store;
  const EntityId unknown{Uuid{{7}}};
  NoteFilter notes;
  notes.about = unknown;
  EdgeFilter edges;
  edges.target = unknown;
  CHECK_THROWS_AS(store.space->notes().list(notes), NotFound);
  CHECK_THROWS_AS(store.space->notes().count(notes), NotFound);
  CHECK_THROWS_AS(store.space->edges().list(edges), NotFound);
  CHECK_THROWS_AS(store.space->edges().count(edges), NotFound);
  CHECK_THROWS_AS(store.space->neighborhood_seq(unknown), NotFound);
}
