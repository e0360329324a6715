#include "suites/requests_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Does `ask` twice, the second time through another handle on the database and much later: that is
/// answered as the first time, and writes nothing.
template <class Row>
void require_done_once(TestStore& store,
                       const std::function<WriteResult<Row>(const Space&)>& ask) {
  const WriteResult<Row> first = ask(*store.space);
  INFO("outcome " << to_string(first.outcome));
  REQUIRE(first.wrote());
  CHECK_FALSE(first.repeated);
  CHECK(first.request_id == "request");
  pass_time(store);
  const std::string before = picture(*store.store);
  const auto other = store.open_another();
  const WriteResult<Row> second = ask(other->space("main", "somebody else"));
  CHECK(second.repeated);
  CHECK((Said(second) == Said(first)));
  CHECK(picture(*store.store) == before);
  CHECK(ask(*store.space).repeated);
  const auto record = store.space->find_request("request");
  REQUIRE(record.has_value());
  CHECK(record->seq == store.space->tail().seq);
  CHECK(record->at == store.space->tail().at);
}

}  // namespace

TEMPLATE_TEST_CASE("an insert is done once, though its row gets a fresh id", "[request]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto fresh = TestType::fresh(store, *store.space, "row");
  require_done_once<typename TestType::Row>(store, [&](const Space& space) {
    return TestType::in(space).insert_if_absent(fresh, kAsked);
  });
  CHECK(events_of_request(store) == 1);
}

TEMPLATE_TEST_CASE("a replace is done once, though its revision comes from the clock", "[request]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  auto edited = row;
  TestType::edit(edited);
  require_done_once<typename TestType::Row>(store, [&](const Space& space) {
    return TestType::in(space).replace(edited, as_read(row), kAsked);
  });
}

TEMPLATE_TEST_CASE("the primitive replace is done once", "[request]", EntityKind, EdgeKind,
                   NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  auto edited = row;
  TestType::edit(edited);
  ++edited.revision.us;
  require_done_once<typename TestType::Row>(store, [&](const Space& space) {
    return TestType::in(space).replace_if_unchanged(edited, as_read(row), kAsked);
  });
}

TEMPLATE_TEST_CASE("an update is done once, and its function is not run again", "[request]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  int runs = 0;
  require_done_once<typename TestType::Row>(store, [&](const Space& space) {
    const auto edit = [&](auto& edited) {
      ++runs;
      TestType::edit(edited);
    };
    return TestType::in(space).update(row.id, edit, kUpdate);
  });
  CHECK(runs == 1);
}

TEST_CASE("an update that loses its race to itself is done once", "[request]") {
  TestStore store;
  const Entity row = store.add_entity("row");
  const auto other = store.open_another();
  const Space elsewhere = other->space("main", "somebody else");
  bool is_first = true;
  store.environment.faults.arm([&](std::string_view point) {
    if (point != "update.between_read_and_write" || !is_first) return;
    is_first = false;
    written(elsewhere.entities().update(row.id, &EntityKind::edit, kUpdate));
  });
  const auto result = store.space->entities().update(row.id, &EntityKind::edit, kUpdate);
  CHECK(result.repeated);
  CHECK(result.current->name == "row, edited");
  CHECK(store.space->entities().get(row.id).name == "row, edited");
  CHECK(events_of_request(store) == 1);
}

TEST_CASE("a patch is done once", "[request]") {
  TestStore store;
  const EntityId id = store.add_entity("row").id;
  require_done_once<Entity>(store, [&](const Space& space) {
    return space.entities().patch(id, JsonObject::parse("patch", R"({"name":"b"})"), {}, kAsked);
  });
}

TEST_CASE("a delete with the edges that go along is done once", "[request]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  store.add_edge(a, "knows", store.add_entity("b").id);
  require_done_once<Entity>(
      store, [&](const Space& space) { return space.entities().remove(a, {}, kAsked); });
  CHECK(events_of_request(store) == 2);
}

TEST_CASE("a restore with edges back, handed over and kept out is done once", "[request]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  const EntityId dead = store.add_entity("dead").id;
  const EntityId live = store.add_entity("live").id;
  Relation loops = relation_named("likes");
  loops.loops = true;
  written(store.space->declare_relation(loops));
  const EdgeId back = store.add_edge(a, "knows", live).id;
  const EdgeId waiting = store.add_edge(a, "knows", dead).id;
  const EdgeId barred = store.add_edge(a, "likes", a).id;
  written(store.space->entities().remove(a));
  written(store.space->entities().remove(dead));
  written(store.space->declare_relation(relation_named("likes")));
  require_done_once<Entity>(store, [&](const Space& space) {
    const auto result = space.entities().restore(a, {}, kAsked);
    CHECK(result.edges == std::vector{back});
    CHECK(result.handed_over == std::vector{waiting});
    CHECK(result.kept_out == std::vector{barred});
    return result;
  });
}

TEST_CASE("a purge with the edges that go along is done once", "[request]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  store.add_edge(a, "knows", store.add_entity("b").id);
  written(store.space->entities().remove(a));
  require_done_once<Entity>(
      store, [&](const Space& space) { return space.entities().purge(a, {}, kAsked); });
}

TEST_CASE("a move is done once, and so is one that is absorbed", "[request]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  const EntityId b = store.add_entity("b").id;
  const EdgeId moved = store.add_edge(a, "knows", b).id;
  const bool is_taken = GENERATE(true, false);
  EdgeMove move;
  move.relation = "likes";
  if (is_taken) store.add_edge(a, "likes", b);
  require_done_once<Edge>(store, [&](const Space& space) {
    return space.retarget_edge(moved, move, {}, kAsked);
  });
  CHECK(events_of_request(store) == 1);
}

TEST_CASE("a declaration is done once", "[request]") {
  TestStore store;
  require_done_once<Relation>(store, [](const Space& space) {
    return space.declare_relation(symmetric_relation("near"), kAsked);
  });
}

TEST_CASE("a rename is done once", "[request]") {
  TestStore store;
  const EntityId id = store.add_entity("before").id;
  require_done_once<Entity>(store, [&](const Space& space) {
    return space.rename_entity(id, "after", {}, kAsked);
  });
}

TEST_CASE("a change of settings is done once", "[request]") {
  TestStore store;
  const auto ask = [&] { return store.space->configure({.rows_max = 7}, kAsked); };
  const auto first = ask();
  REQUIRE(first.applied());
  written(store.space->configure({}));
  const auto second = ask();
  CHECK(second.repeated);
  CHECK(second.seq == first.seq);
  CHECK(second.current->settings == first.current->settings);
  CHECK(store.space->settings() == SpaceSettings{});
}
