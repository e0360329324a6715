#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Lets `rival` run each time an update has read its row and not yet written it.
template <class Rival>
void on_each_update(TestStore& store, Rival rival) {
  store.environment.faults.arm([rival](std::string_view point) {
    if (point == "update.between_read_and_write") rival();
  });
}

}  // namespace

TEMPLATE_TEST_CASE("an update lands on what it read", "[update]", EntityKind, EdgeKind, NoteKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  auto wanted = row;
  TestType::edit(wanted);
  const auto updated = written(TestType::in(*store.space).update(row.id, &TestType::edit));
  wanted.revision.us = row.revision.us + 1;
  wanted.seq = row.seq + 1;
  CHECK((updated == wanted));
  CHECK((TestType::find(*store.space, row) == wanted));
}

TEMPLATE_TEST_CASE("an update that edits nothing says so and appends nothing", "[update]",
                   EntityKind, EdgeKind, NoteKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const std::string before = picture(*store.store);
  const auto idle = TestType::in(*store.space).update(row.id, [](auto&) {});
  CHECK(idle.outcome == Outcome::unchanged);
  CHECK((idle.current == row));
  // The store's own numbers are not edits.
  const auto renumbered = TestType::in(*store.space).update(row.id, [](auto& edited) {
    edited.revision.us += 5;
    edited.seq += 5;
  });
  CHECK(renumbered.outcome == Outcome::unchanged);
  CHECK(picture(*store.store) == before);
}

TEMPLATE_TEST_CASE("an update may not change id, creation or deletion", "[update]", EntityKind,
                   EdgeKind, NoteKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto other = TestType::add(store, *store.space, "other");
  const auto& rows = TestType::in(*store.space);
  const std::string before = picture(*store.store);
  using Row = typename TestType::Row;
  CHECK_THROWS_AS(rows.update(row.id, [&](Row& edited) { edited.id = other.id; }), InvalidArgument);
  CHECK_THROWS_AS(rows.update(row.id, [](Row& edited) { edited.created_at += 1us; }),
                  InvalidArgument);
  CHECK_THROWS_AS(rows.update(row.id, [](Row& edited) { edited.deleted_at = at_us(1); }),
                  InvalidArgument);
  CHECK(picture(*store.store) == before);
}

TEMPLATE_TEST_CASE("an update of a deleted row is refused with its tombstone", "[update]",
                   EntityKind, EdgeKind, NoteKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto dead = written(TestType::in(*store.space).remove(row.id));
  const std::string before = picture(*store.store);
  const auto result = TestType::in(*store.space).update(row.id, &TestType::edit);
  CHECK(result.outcome == Outcome::deletion_changed);
  CHECK((result.current == dead));
  CHECK(picture(*store.store) == before);
}

TEMPLATE_TEST_CASE("an update that loses its race reads again, so that both edits land", "[update]",
                   EntityKind, EdgeKind, NoteKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto& rows = TestType::in(*store.space);
  int rivals = 1;
  on_each_update(store, [&] {
    if (rivals-- <= 0) return;
    auto edited = rows.get(row.id);
    TestType::edit(edited);
    written(rows.replace(edited, as_read(rows.get(row.id))));
  });
  int runs = 0;
  const auto updated = written(rows.update(row.id, [&](auto& edited) {
    ++runs;
    TestType::edit(edited);
  }));
  CHECK(runs == 2);
  CHECK(updated.revision.us > row.revision.us + 1);
  CHECK(rows.history(row.id).items.size() == 3);
}

TEMPLATE_TEST_CASE("an update that always loses ends in Conflict after its attempts", "[update]",
                   EntityKind, EdgeKind, NoteKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto& rows = TestType::in(*store.space);
  unsigned rivals = 0;
  on_each_update(store, [&] {
    ++rivals;
    const auto current = rows.get(row.id);
    written(rows.replace(current, as_read(current)));
  });
  CHECK_THROWS_AS(rows.update(row.id, &TestType::edit, {.attempts_max = 5}), Conflict);
  CHECK(rivals == 5);
  CHECK(rows.history(row.id).items.size() == 1 + 5);
  CHECK(store.store->verify().is_clean());
}

TEMPLATE_TEST_CASE("an update whose row is deleted under it reports the deletion", "[update]",
                   EntityKind, EdgeKind, NoteKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto& rows = TestType::in(*store.space);
  on_each_update(store, [&] { written(rows.remove(row.id)); });
  const auto result = rows.update(row.id, &TestType::edit);
  CHECK(result.outcome == Outcome::deletion_changed);
  CHECK(result.current->deleted_at.has_value());
}

TEST_CASE("an update whose change throws leaves everything as it was", "[update]") {
  TestStore store;
  const Entity row = store.add_entity("row");
  const std::string before = picture(*store.store);
  CHECK_THROWS_AS(
      store.space->entities().update(row.id, [](Entity&) { throw std::runtime_error("no"); }),
      std::runtime_error);
  CHECK(picture(*store.store) == before);
}
