#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Lets `rival` run once, when the call of that fault point has read its row.
template <class Rival>
void once_at(TestStore& store, std::string_view wanted, Rival rival) {
  auto is_done = std::make_shared<bool>(false);
  store.environment.faults.arm([wanted, rival, is_done](std::string_view point) {
    if (point != wanted || *is_done) return;
    *is_done = true;
    rival();
  });
}

template <class Row>
void check_refused(TestStore& store, const WriteResult<Row>& result, Outcome outcome,
                   const Row& current, const std::string& before) {
  CHECK(to_string(result.outcome) == to_string(outcome));
  CHECK((result.current == current));
  CHECK(result.seq == 0);
  CHECK(picture(*store.store) == before);
}

}  // namespace

TEMPLATE_TEST_CASE("a delete leaves a tombstone and a restore brings the row back", "[delete]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto& rows = TestType::in(*store.space);
  pass_time(store);
  const auto dead = written(rows.remove(row.id));
  CHECK(dead.deleted_at == store.environment.clock.now());
  CHECK(dead.revision > row.revision);
  CHECK((rows.find(row.id) == dead));

  auto back = written(rows.restore(row.id));
  CHECK(back.revision > dead.revision);
  CHECK(back.seq == dead.seq + 1);
  back.revision = row.revision;
  back.seq = row.seq;
  CHECK((back == row));
}

TEMPLATE_TEST_CASE("deleting or restoring twice says unchanged and appends nothing", "[delete]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto& rows = TestType::in(*store.space);
  auto before = picture(*store.store);
  check_refused(store, rows.restore(row.id), Outcome::unchanged, row, before);
  check_refused(store, rows.restore(row.id, as_read(row)), Outcome::unchanged, row, before);

  const auto dead = written(rows.remove(row.id));
  before = picture(*store.store);
  check_refused(store, rows.remove(row.id), Outcome::unchanged, dead, before);
  check_refused(store, rows.remove(row.id, as_read(dead)), Outcome::unchanged, dead, before);
}

TEMPLATE_TEST_CASE("a delete that names a stale revision is a conflict", "[delete]", EntityKind,
                   EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto& rows = TestType::in(*store.space);
  const auto newer = written(rows.update(row.id, &TestType::edit));
  const auto before = picture(*store.store);
  check_refused(store, rows.remove(row.id, as_read(row)), Outcome::revision_moved, newer, before);
  CHECK(rows.remove(row.id, as_read(newer)).applied());
}

TEMPLATE_TEST_CASE("a delete that names a row as live is a conflict once it is deleted", "[delete]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto& rows = TestType::in(*store.space);
  const auto dead = written(rows.remove(row.id));
  const auto before = picture(*store.store);
  check_refused(store, rows.remove(row.id, as_read(row)), Outcome::deletion_changed, dead, before);
}

TEMPLATE_TEST_CASE("a restore that names an older tombstone is a conflict", "[delete]", EntityKind,
                   EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto& rows = TestType::in(*store.space);
  const auto dead = written(rows.remove(row.id));
  const auto back = written(rows.restore(row.id, as_read(dead)));
  auto before = picture(*store.store);
  check_refused(store, rows.restore(row.id, as_read(dead)), Outcome::deletion_changed, back,
                before);
  pass_time(store);
  const auto again = written(rows.remove(row.id));
  before = picture(*store.store);
  check_refused(store, rows.restore(row.id, as_read(dead)), Outcome::deletion_changed, again,
                before);
}

TEMPLATE_TEST_CASE("a delete without a name takes what a rival has just written", "[delete]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto& rows = TestType::in(*store.space);
  once_at(store, "remove.between_read_and_write",
          [&] { written(rows.update(row.id, &TestType::edit)); });
  const auto dead = written(rows.remove(row.id));
  auto edited = row;
  TestType::edit(edited);
  edited.revision = dead.revision;
  edited.deleted_at = dead.deleted_at;
  edited.seq = dead.seq;
  CHECK((dead == edited));
  CHECK(rows.history(row.id).items.size() == 3);
}

TEMPLATE_TEST_CASE("a delete that names what it read loses to a rival", "[delete]", EntityKind,
                   EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto& rows = TestType::in(*store.space);
  once_at(store, "remove.between_read_and_write",
          [&] { written(rows.update(row.id, &TestType::edit)); });
  const auto result = rows.remove(row.id, as_read(row));
  CHECK(result.outcome == Outcome::revision_moved);
  CHECK_FALSE(rows.get(row.id).deleted_at.has_value());
}

TEMPLATE_TEST_CASE("of two deletes or restores at once, one lands and one finds it done",
                   "[delete]", EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto& rows = TestType::in(*store.space);
  once_at(store, "remove.between_read_and_write", [&] { written(rows.remove(row.id)); });
  CHECK(rows.remove(row.id).outcome == Outcome::unchanged);
  once_at(store, "restore.between_read_and_write", [&] { written(rows.restore(row.id)); });
  CHECK(rows.restore(row.id).outcome == Outcome::unchanged);
  CHECK(rows.history(row.id).items.size() == 3);
  CHECK(store.store->verify().is_clean());
}

TEMPLATE_TEST_CASE("a restore that names its tombstone loses to a rival's", "[delete]", EntityKind,
                   EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const auto& rows = TestType::in(*store.space);
  const auto dead = written(rows.remove(row.id));
  once_at(store, "restore.between_read_and_write", [&] { written(rows.restore(row.id)); });
  CHECK(rows.restore(row.id, as_read(dead)).outcome == Outcome::deletion_changed);
}
