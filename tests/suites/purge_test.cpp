#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

std::uint64_t rows_of(TestStore& store) { return store.store->space_info("main").rows; }
std::uint64_t bytes_of(TestStore& store) { return store.store->space_info("main").body_bytes; }

/// A row that was written, edited and deleted.
template <class Kind>
typename Kind::Row dead_row(TestStore& store) {
  const auto& rows = Kind::in(*store.space);
  const auto added = Kind::add(store, *store.space, "secret");
  pass_time(store);
  written(rows.update(added.id, &Kind::edit));
  pass_time(store);
  const auto dead = written(rows.remove(added.id));
  pass_time(store);
  return dead;
}

}  // namespace

TEMPLATE_TEST_CASE("a purge removes the row and blanks its bodies, and its links stay", "[purge]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto& rows = TestType::in(*store.space);
  const auto dead = dead_row<TestType>(store);
  const auto before = rows.history(dead.id).items;
  const auto result = rows.purge(dead.id);
  CHECK(result.applied());
  CHECK_FALSE(result.current.has_value());
  CHECK(result.seq == store.space->tail().seq);
  CHECK_FALSE(rows.find(dead.id).has_value());

  const auto after = rows.history(dead.id).items;
  REQUIRE(after.size() == before.size() + 1);
  CHECK(after.back().op == "purge");
  CHECK(after.back().prev_seq == before.back().seq);
  CHECK(after.back().request_id == result.request_id);
  for (const Event& event : after) CHECK_FALSE(event.body.has_value());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(after[i].seq == before[i].seq);
    CHECK(after[i].prev_seq == before[i].prev_seq);
    CHECK(after[i].op == before[i].op);
    CHECK(after[i].at == before[i].at);
  }
  CHECK(broken_checks(*store.store).empty());
}

TEMPLATE_TEST_CASE("nothing of what a purged row held is left in its space", "[purge]", EntityKind,
                   EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto dead = dead_row<TestType>(store);
  const auto rows_before = rows_of(store);
  const auto bytes_before = bytes_of(store);
  std::uint64_t blanked = 0;
  for (const Event& event : TestType::in(*store.space).history(dead.id).items) {
    blanked += event.body->size();
  }
  REQUIRE(TestType::in(*store.space).purge(dead.id).applied());
  CHECK(rows_of(store) == rows_before - 1);
  CHECK(bytes_of(store) == bytes_before - blanked);
  for (const Event& event : journal_of(*store.store)) {
    if (event.id == dead.id.uuid) CHECK_FALSE(event.body.has_value());
  }
}

TEMPLATE_TEST_CASE("a purged id is never used again and says so", "[purge]", EntityKind, EdgeKind,
                   NoteKind, ScheduledKind) {
  TestStore store;
  const auto& rows = TestType::in(*store.space);
  const auto dead = dead_row<TestType>(store);
  REQUIRE(rows.purge(dead.id).applied());
  const std::string before = picture(*store.store);
  auto again = dead;
  again.deleted_at.reset();
  const auto result = rows.insert_if_absent(again);
  CHECK(result.outcome == Outcome::purged);
  CHECK_FALSE(result.current.has_value());
  CHECK(result.seq == 0);
  CHECK(rows.purge(dead.id).outcome == Outcome::purged);
  CHECK(rows.purge(dead.id, as_read(dead)).outcome == Outcome::purged);
  for (const Outcome outcome :
       {rows.update(dead.id, &TestType::edit).outcome, rows.remove(dead.id).outcome,
        rows.restore(dead.id).outcome, rows.replace(dead, as_read(dead)).outcome}) {
    CHECK(to_string(outcome) == "missing");
  }
  CHECK(picture(*store.store) == before);
  store.reopen();
  CHECK(TestType::in(*store.space).insert_if_absent(again).outcome == Outcome::purged);
  CHECK(broken_checks(*store.store).empty());
}

TEMPLATE_TEST_CASE("only a deleted row can be purged", "[purge]", EntityKind, EdgeKind, NoteKind,
                   ScheduledKind) {
  TestStore store;
  const auto& rows = TestType::in(*store.space);
  const auto row = TestType::add(store, *store.space, "row");
  const std::string before = picture(*store.store);
  for (const auto& expected : {std::optional<Expected>{}, std::optional(as_read(row))}) {
    const auto result = rows.purge(row.id, expected);
    CHECK(result.outcome == Outcome::still_live);
    CHECK((result.current == row));
  }
  CHECK(picture(*store.store) == before);
}

TEMPLATE_TEST_CASE("purging what never was is missing", "[purge]", EntityKind, EdgeKind, NoteKind,
                   ScheduledKind) {
  TestStore store;
  const auto result = TestType::in(*store.space).purge({store.environment.ids->next()});
  CHECK(result.outcome == Outcome::missing);
  CHECK_FALSE(result.current.has_value());
}

TEMPLATE_TEST_CASE("a purge that names an older row is refused with the row as it is", "[purge]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto& rows = TestType::in(*store.space);
  const auto dead = dead_row<TestType>(store);
  written(rows.restore(dead.id));
  pass_time(store);
  const auto again = written(rows.remove(dead.id));
  const auto result = rows.purge(dead.id, as_read(dead));
  CHECK(result.outcome == Outcome::deletion_changed);
  CHECK((result.current == again));
  CHECK(rows.purge(dead.id, as_read(again)).applied());
}

TEMPLATE_TEST_CASE("what a purged row once was is gone, that it was not yet there stays known",
                   "[purge]", EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto& rows = TestType::in(*store.space);
  const auto dead = dead_row<TestType>(store);
  const Sequence born = rows.history(dead.id).items.front().seq;
  REQUIRE(rows.purge(dead.id).applied());
  CHECK_THROWS_AS(rows.as_of(dead.id, born), Gone);
  CHECK_THROWS_AS(rows.as_of(dead.id, dead.seq), Gone);
  CHECK_THROWS_AS(rows.as_of(dead.id, store.space->tail().seq), Gone);
  CHECK_THROWS_AS(rows.as_of(dead.id, dead.created_at), Gone);
  CHECK_FALSE(rows.as_of(dead.id, born - 1).has_value());
}

TEMPLATE_TEST_CASE("the answer to a request is gone with its row, the purge's own is not",
                   "[purge]", EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto& rows = TestType::in(*store.space);
  const auto fresh = TestType::fresh(store, *store.space, "row");
  const auto row = written(rows.insert_if_absent(fresh, {.request_id = "insert"}));
  written(rows.remove(row.id, {}, {.request_id = "delete"}));
  const auto purged = rows.purge(row.id, {}, {.request_id = "purge"});
  REQUIRE(purged.applied());
  const std::string before = picture(*store.store);
  CHECK_THROWS_AS(rows.insert_if_absent(fresh, {.request_id = "insert"}), Gone);
  CHECK_THROWS_AS(rows.remove(row.id, {}, {.request_id = "delete"}), Gone);
  const auto again = rows.purge(row.id, {}, {.request_id = "purge"});
  CHECK(again.repeated);
  CHECK(again.applied());
  CHECK(again.seq == purged.seq);
  CHECK(store.space->find_request("insert").has_value());
  CHECK(picture(*store.store) == before);
}

TEST_CASE("a purged entity takes all its edges along, its notes stay", "[purge]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  const EntityId b = store.add_entity("b").id;
  const EntityId c = store.add_entity("c").id;
  const Edge out = store.add_edge(a, "knows", b);
  const Edge in = store.add_edge(b, "knows", a);
  const Edge older = store.add_edge(c, "knows", a);
  const Edge other = store.add_edge(b, "knows", c);
  written(store.space->edges().remove(older.id));
  const Note note = store.add_note("about a", a);
  written(store.space->entities().remove(a));

  const auto result = store.space->entities().purge(a);
  CHECK(result.applied());
  std::vector<EdgeId> gone = {out.id, in.id, older.id};
  std::sort(gone.begin(), gone.end());
  CHECK(result.edges == gone);
  for (const EdgeId id : gone) {
    CHECK_FALSE(store.space->edges().find(id).has_value());
    CHECK(store.space->edges().history(id).items.back().op == "purge");
    CHECK(store.space->edges().purge(id).outcome == Outcome::purged);
  }
  CHECK((store.space->edges().get(other.id) == other));
  CHECK_THROWS_AS(store.space->neighborhood_seq(a), NotFound);
  CHECK(rows_of(store) == 4);  // b, c, the edge between them, the note

  const Note kept = store.space->notes().get(note.id);
  CHECK(kept.content == "about a");
  CHECK(kept.about == a);
  CHECK(kept.about_is_deleted);
  NoteFilter about;
  about.about = a;
  CHECK(ids_of(store.space->notes().list(about).items) == std::vector{note.id});
  CHECK(broken_checks(*store.store).empty());
}

TEST_CASE("an edge that waits for a purged end does not wait any longer", "[purge]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  const EntityId b = store.add_entity("b").id;
  const Edge edge = store.add_edge(a, "knows", b);
  written(store.space->entities().remove(a));
  written(store.space->entities().remove(b));
  CHECK(store.space->entities().purge(b).edges == std::vector{edge.id});
  const auto restored = store.space->entities().restore(a);
  CHECK(restored.applied());
  CHECK(restored.edges.empty());
  CHECK(restored.handed_over.empty());
  CHECK(broken_checks(*store.store).empty());
}

TEST_CASE("a refused purge of an entity takes no edges along", "[purge]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  store.add_edge(a, "knows", store.add_entity("b").id);
  const Entity dead = written(store.space->entities().remove(a));
  Expected stale = as_read(dead);
  --stale.revision.us;
  const std::string before = picture(*store.store);
  CHECK(store.space->entities().purge(a, stale).outcome == Outcome::revision_moved);
  CHECK(picture(*store.store) == before);
}

TEST_CASE("the key of a purged note is free, and so is the place of a purged edge", "[purge]") {
  TestStore store;
  Note note = NoteKind::fresh(store, *store.space, "text");
  note.key = "key";
  const NoteId id = written(store.space->notes().insert_if_absent(note)).id;
  written(store.space->notes().remove(id));
  REQUIRE(store.space->notes().purge(id).applied());
  CHECK(store.space->notes().insert_if_absent(note).applied());

  const EntityId a = store.add_entity("a").id;
  const EntityId b = store.add_entity("b").id;
  const EdgeId edge = store.add_edge(a, "knows", b).id;
  written(store.space->edges().remove(edge));
  REQUIRE(store.space->edges().purge(edge).applied());
  CHECK(store.space->edges().insert_if_absent(edge_between(a, "knows", b)).applied());
  CHECK(broken_checks(*store.store).empty());
}

TEST_CASE("verify finds what a purge should have removed", "[purge]") {
  TestStore store;
  const Entity dead = dead_row<EntityKind>(store);
  REQUIRE(store.space->entities().purge(dead.id).applied());
  SECTION("a body") {
    plant(*store.store, "UPDATE events SET body = '{}' WHERE op = 'replace'");
    CHECK(broken_checks(*store.store).contains("event.purge"));
  }
  SECTION("an operation") {
    plant(*store.store, "UPDATE events SET op = 'delete' WHERE op = 'purge'");
    CHECK(broken_checks(*store.store) == std::set<std::string>{"event.body", "row.missing"});
  }
  SECTION("a count of rows") {
    plant(*store.store, "UPDATE spaces SET row_count = row_count + 1");
    CHECK(broken_checks(*store.store) == std::set<std::string>{"space.counts"});
  }
  SECTION("a count of bytes") {
    plant(*store.store, "UPDATE spaces SET body_bytes = body_bytes + 1");
    CHECK(broken_checks(*store.store) == std::set<std::string>{"space.counts"});
  }
}

TEST_CASE("what is about a purged entity can still be listed by it", "[purge]") {
  TestStore store;
  const Entity entity = store.add_entity("a");
  const Note note = store.add_note("text", entity.id);
  written(store.space->entities().remove(entity.id));
  REQUIRE(store.space->entities().purge(entity.id).applied());
  NoteFilter about;
  about.about = entity.id;
  const auto notes = store.space->notes().list(about).items;
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].id == note.id);
  CHECK(notes[0].about_is_deleted);
  EdgeFilter from;
  from.source = entity.id;
  CHECK(store.space->edges().list(from).items.empty());
  from.source = EntityId{store.environment.ids->next()};
  CHECK_THROWS_AS(store.space->edges().list(from), NotFound);
}
