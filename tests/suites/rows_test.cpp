#include <limits>

#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// How many events the space's journal holds.
Sequence events(const TestStore& store) {
  return store.space->tail().seq;
}

}  // namespace

TEMPLATE_TEST_CASE("what an insert answers is what is read back", "[rows]", EntityKind, EdgeKind,
                   NoteKind, ScheduledKind) {
  TestStore store;
  const auto fresh = TestType::fresh(store, *store.space, "new");
  const auto result = TestType::in(*store.space).insert_if_absent(fresh);
  const auto row = written(result);
  CHECK_FALSE(row.id.uuid.is_nil());
  CHECK((TestType::find(*store.space, row) == row));
  CHECK((TestType::in(*store.space).get(row.id) == row));
  CHECK(row.properties == fresh.properties);
  CHECK(result.seq == row.seq);
  CHECK(row.seq == events(store));
}

TEMPLATE_TEST_CASE("inserting a taken id says that it exists and writes nothing", "[rows]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  auto row = TestType::add(store, *store.space, "there");
  const bool is_deleted = GENERATE(false, true);
  if (is_deleted) row = written(TestType::in(*store.space).remove(row.id));
  auto again = TestType::fresh(store, *store.space, "again");
  again.id = row.id;

  const std::string before = picture(*store.store);
  const auto result = TestType::in(*store.space).insert_if_absent(again);
  CHECK(result.outcome == Outcome::exists);
  CHECK((result.current == row));
  CHECK(picture(*store.store) == before);
}

TEMPLATE_TEST_CASE("an insert picks times, revision and sequence itself", "[rows]", EntityKind,
                   EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  auto fresh = TestType::fresh(store, *store.space, "new");
  fresh.created_at = at_us(-5);
  fresh.revision = {1};
  fresh.deleted_at = at_us(-4);
  fresh.seq = 77;
  const auto row = written(TestType::in(*store.space).insert_if_absent(fresh));
  CHECK(row.created_at == store.environment.clock.now());
  CHECK(row.revision.us == to_us(store.environment.clock.now()));
  CHECK_FALSE(row.deleted_at.has_value());
  CHECK(row.seq == events(store));
}

TEMPLATE_TEST_CASE("a replace that changes nothing still advances the revision", "[rows]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto before = events(store);
  const auto replaced = written(TestType::in(*store.space).replace(row, as_read(row)));
  CHECK(replaced.revision.us == row.revision.us + 1);
  CHECK(replaced.seq == before + 1);
  CHECK(events(store) == before + 1);
}

TEMPLATE_TEST_CASE("a replace keeps the time of creation and lands as it answers", "[rows]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  pass_time(store);
  auto edited = row;
  TestType::edit(edited);
  const auto replaced = written(TestType::in(*store.space).replace(edited, as_read(row)));
  CHECK(replaced.created_at == row.created_at);
  CHECK(replaced.revision.us == to_us(store.environment.clock.now()));
  CHECK((TestType::find(*store.space, row) == replaced));
}

TEMPLATE_TEST_CASE("revisions advance while the clock stands still or steps back", "[rows]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  auto row = TestType::add(store, *store.space, "row");
  for (int i = 0; i < 3; ++i) {
    store.environment.clock.set(at_us(-1'000'000 * i));
    auto edited = row;
    TestType::edit(edited);
    const auto replaced = written(TestType::in(*store.space).replace(edited, as_read(row)));
    CHECK(replaced.revision.us == row.revision.us + 1);
    row = replaced;
  }
}

TEMPLATE_TEST_CASE("a spent revision is an error before anything is touched", "[rows]", EntityKind,
                   EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  auto row = TestType::add(store, *store.space, "row");
  auto last = row;
  last.revision.us = std::numeric_limits<std::int64_t>::max();
  row = written(TestType::in(*store.space).replace_if_unchanged(last, as_read(row)));
  const std::string before = picture(*store.store);
  CHECK_THROWS_AS(TestType::in(*store.space).replace(row, as_read(row)), InvalidArgument);
  CHECK_THROWS_AS(TestType::in(*store.space).remove(row.id), InvalidArgument);
  CHECK(picture(*store.store) == before);
}

TEMPLATE_TEST_CASE("a replace may not change the deletion mark", "[rows]", EntityKind, EdgeKind,
                   NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  auto marked = row;
  marked.deleted_at = at_us(5);
  CHECK(refusal_of([&] { (void)TestType::in(*store.space).replace(marked, as_read(row)); }) ==
        "deleted_at: stay as expected: remove and restore change it");
}

TEMPLATE_TEST_CASE("a tombstone can be edited by who names its mark, and stays one", "[rows]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  auto dead = written(TestType::in(*store.space).remove(row.id));
  auto edited = dead;
  TestType::edit(edited);
  const auto replaced = written(TestType::in(*store.space).replace(edited, as_read(dead)));
  CHECK(replaced.deleted_at == dead.deleted_at);
  CHECK(store.store->verify().is_clean());
}

TEMPLATE_TEST_CASE("an unknown id is said to be missing by every call", "[rows]", EntityKind,
                   EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  auto row = TestType::add(store, *store.space, "row");
  const auto& rows = TestType::in(*store.space);
  row.id = {store.environment.ids->next()};
  row.deleted_at = at_us(1);  // a live edge would be found by its triple
  const std::string before = picture(*store.store);
  CHECK_FALSE(rows.find(row.id).has_value());
  CHECK_THROWS_AS(rows.get(row.id), NotFound);
  CHECK_THROWS_AS(rows.history(row.id), NotFound);
  CHECK(rows.replace(row, as_read(row)).outcome == Outcome::missing);
  CHECK(rows.update(row.id, &TestType::edit).outcome == Outcome::missing);
  CHECK(rows.patch(row.id, JsonObject::parse("patch", "{}")).outcome == Outcome::missing);
  CHECK(rows.remove(row.id).outcome == Outcome::missing);
  CHECK(rows.remove(row.id, as_read(row)).outcome == Outcome::missing);
  CHECK(rows.restore(row.id).outcome == Outcome::missing);
  CHECK(picture(*store.store) == before);
}

TEMPLATE_TEST_CASE("an answer in JSON holds every field the row has", "[rows]", EntityKind,
                   EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const std::string json = TestType::in(*store.space).to_json(row);
  const std::string body = json.substr(0, json.rfind(",\"seq\":")) + "}";
  CHECK(JsonObject::parse("row", json).text() == json);
  CHECK(TestType::in(*store.space).history(row.id).items.back().body == body);
}
