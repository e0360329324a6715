#include <map>
#include <thread>

#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

const WriteOptions kAsked{.request_id = "request"};
const UpdateOptions kUpdate{.request_id = "request"};

/// What an answer says, so that two can be compared.
template <class Row>
struct Said {
  explicit Said(const WriteResult<Row>& result)
      : outcome(result.outcome),
        current(result.current),
        seq(result.seq),
        request_id(result.request_id),
        edges(result.edges),
        handed_over(result.handed_over),
        kept_out(result.kept_out) {}
  bool operator==(const Said&) const = default;
  Outcome outcome;
  std::optional<Row> current;
  Sequence seq;
  std::string request_id;
  std::vector<EdgeId> edges, handed_over, kept_out;
};

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

/// Everything that one event after another says of the request.
std::size_t events_of_request(TestStore& store) {
  std::size_t count = 0;
  for (const Event& event : journal_of(*store.store)) count += event.request_id == "request";
  return count;
}

/// Texts of answers still kept.
std::uint64_t kept_answers(TestStore& store) {
  const auto snapshot = store.store->database().snapshot();
  auto count =
      snapshot->transaction().prepare("SELECT count(*) FROM requests WHERE answer <> ''");
  return count.step() ? count.get<Sequence>(0) : 0;
}

}  // namespace

TEMPLATE_TEST_CASE("an insert is done once, though its row gets a fresh id", "[request]",
                   EntityKind, EdgeKind, NoteKind) {
  TestStore store;
  const auto fresh = TestType::fresh(store, *store.space, "row");
  require_done_once<typename TestType::Row>(store, [&](const Space& space) {
    return TestType::in(space).insert_if_absent(fresh, kAsked);
  });
  CHECK(events_of_request(store) == 1);
}

TEMPLATE_TEST_CASE("a replace is done once, though its revision comes from the clock", "[request]",
                   EntityKind, EdgeKind, NoteKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  auto edited = row;
  TestType::edit(edited);
  require_done_once<typename TestType::Row>(store, [&](const Space& space) {
    return TestType::in(space).replace(edited, as_read(row), kAsked);
  });
}

TEMPLATE_TEST_CASE("the primitive replace is done once", "[request]", EntityKind, EdgeKind,
                   NoteKind) {
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
                   EntityKind, EdgeKind, NoteKind) {
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

TEST_CASE("a repeated request shows its row as it was then, whatever came later", "[request]") {
  TestStore store;
  const auto& entities = store.space->entities();
  const Entity fresh = EntityKind::fresh(store, *store.space, "row");
  const Entity first = written(entities.insert_if_absent(fresh, kAsked));
  written(entities.update(first.id, &EntityKind::edit));
  written(entities.remove(first.id));
  const auto again = entities.insert_if_absent(fresh, kAsked);
  CHECK(again.repeated);
  CHECK((again.current == first));
}

TEST_CASE("an id stands for one request, whatever differs in another", "[request]") {
  TestStore store;
  const auto& entities = store.space->entities();
  const Entity row = store.add_entity("row");
  const Entity other = store.add_entity("other");
  const Entity read = written(entities.remove(row.id, {}, kAsked));
  const std::string before = picture(*store.store);
  const auto require_error = [&](const std::function<void()>& ask) {
    CHECK_THAT(refusal_of(ask),
               Catch::Matchers::ContainsSubstring("request_id: be a new one"));
  };
  require_error([&] { (void)entities.remove(other.id, {}, kAsked); });
  require_error([&] { (void)entities.remove(row.id, as_read(row), kAsked); });
  require_error([&] { (void)entities.restore(row.id, {}, kAsked); });
  require_error([&] { (void)entities.purge(row.id, {}, kAsked); });
  require_error([&] { (void)entities.insert_if_absent(row, kAsked); });
  require_error([&] { (void)entities.replace(read, as_read(read), kAsked); });
  require_error([&] { (void)entities.update(row.id, &EntityKind::edit, kUpdate); });
  require_error([&] { (void)entities.patch(row.id, JsonObject(), {}, kAsked); });
  require_error([&] { (void)store.space->notes().remove({row.id.uuid}, {}, kAsked); });
  require_error([&] { (void)store.space->configure({.rows_max = 1}, kAsked); });
  require_error([&] { (void)store.space->declare_relation(relation_named("r"), kAsked); });
  CHECK(picture(*store.store) == before);
}

TEST_CASE("one id stands for another request in each space", "[request]") {
  TestStore store;
  const Space other = store.store->create_space("other", "tester");
  const Entity row = EntityKind::fresh(store, *store.space, "row");
  CHECK_FALSE(store.space->entities().insert_if_absent(row, kAsked).repeated);
  CHECK_FALSE(other.entities().insert_if_absent(row, kAsked).repeated);
  CHECK_FALSE(other.find_request("another").has_value());
}

TEST_CASE("an answer that wrote nothing is not kept: asking again asks afresh", "[request]") {
  TestStore store;
  const auto& entities = store.space->entities();
  const Entity row = store.add_entity("row");
  CHECK(entities.restore(row.id, {}, kAsked).outcome == Outcome::unchanged);
  CHECK(entities.insert_if_absent(row, kAsked).outcome == Outcome::exists);
  CHECK(entities.update(row.id, [](Entity&) {}, kUpdate).outcome == Outcome::unchanged);
  CHECK(entities.purge(row.id, {}, kAsked).outcome == Outcome::still_live);
  CHECK_FALSE(store.space->find_request("request").has_value());
  const auto removed = entities.remove(row.id, {}, kAsked);
  CHECK(removed.applied());
  CHECK_FALSE(removed.repeated);
}

TEST_CASE("a request that failed was not applied", "[request]") {
  TestStore store;
  written(store.space->configure({.rows_max = 0}));
  const Entity row = EntityKind::fresh(store, *store.space, "row");
  CHECK_THROWS_AS(store.space->entities().insert_if_absent(row, kAsked), Full);
  CHECK_FALSE(store.space->find_request("request").has_value());
  written(store.space->configure({}));
  CHECK_FALSE(store.space->entities().insert_if_absent(row, kAsked).repeated);
}

TEST_CASE("a request id obeys the rules of ids", "[request]") {
  TestStore store;
  const Entity row = EntityKind::fresh(store, *store.space, "row");
  const auto ask = [&](const std::string& id) {
    return store.space->entities().insert_if_absent(row, {.request_id = id});
  };
  CHECK_THROWS_AS(ask(std::string(257, 'x')), InvalidArgument);
  CHECK_THROWS_AS(ask("a\nb"), InvalidArgument);
  CHECK_THROWS_AS(ask("\xff"), InvalidArgument);
  CHECK_THROWS_AS(store.space->find_request(""), InvalidArgument);
  CHECK(ask(std::string(256, 'x')).applied());
}

TEST_CASE("an answer is kept for the space's retention and gone after it", "[request]") {
  TestStore store;
  written(store.space->configure({.request_retention = 60s}));
  const Entity row = EntityKind::fresh(store, *store.space, "row");
  const auto ask = [&] { return store.space->entities().insert_if_absent(row, kAsked); };
  const Sequence seq = ask().seq;
  store.environment.clock.advance(60s);
  CHECK(ask().repeated);
  store.environment.clock.advance(1us);
  CHECK_THROWS_AS(ask(), Gone);
  CHECK(store.space->find_request("request")->seq == seq);
  written(store.space->configure({.request_retention = 61s}));
  CHECK(ask().repeated);
}

TEST_CASE("old answers are swept by later requests, their ids and digests stay", "[request]") {
  TestStore store;
  written(store.space->configure({.request_retention = 60s}));
  const auto ask = [&](const std::string& id) {
    Entity row = EntityKind::fresh(store, *store.space, id);
    return store.space->entities().insert_if_absent(row, {.request_id = id});
  };
  for (int i = 0; i < 10; ++i) written(ask("old " + std::to_string(i)));
  store.environment.clock.advance(61s);
  CHECK(kept_answers(store) == 10);
  written(ask("new 1"));
  CHECK(kept_answers(store) == 3);
  written(ask("new 2"));
  CHECK(kept_answers(store) == 2);
  CHECK(store.store->space_info("main").requests == 12);
  // However long answers are kept from now on.
  written(store.space->configure({}));
  for (int i = 0; i < 10; ++i) CHECK_THROWS_AS(ask("old " + std::to_string(i)), Gone);
  Entity another = EntityKind::fresh(store, *store.space, "another");
  CHECK_THROWS_AS(store.space->entities().insert_if_absent(another, {.request_id = "old 1"}),
                  InvalidArgument);
  CHECK(ask("new 1").repeated);
}

TEST_CASE("a delete that takes edges along is found by the id that was made for it", "[request]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  store.add_edge(a, "knows", store.add_entity("b").id);
  const auto removed = store.space->entities().remove(a);
  const auto record = store.space->find_request(removed.request_id);
  REQUIRE(record.has_value());
  CHECK(record->seq == store.space->tail().seq);
  const auto restored = store.space->entities().restore(a);
  CHECK(store.space->find_request(restored.request_id).has_value());
  // One row's own history tells of it.
  const auto alone = store.space->entities().update(a, &EntityKind::edit);
  CHECK_FALSE(store.space->find_request(alone.request_id).has_value());
  CHECK(store.space->entities().history(a).items.back().request_id == alone.request_id);
}

TEST_CASE("of eight threads that ask the same, one writes and all get its answer", "[request]") {
  TestStore store;
  const EntityId id = store.add_entity("row").id;
  const auto one = open_in_real_time(store);
  const auto other = open_in_real_time(store);
  const Space here = one->space("main", "somebody");
  const Space elsewhere = other->space("main", "somebody else");
  std::vector<std::optional<WriteResult<Entity>>> answers(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Space& space = i % 2 == 0 ? here : elsewhere;
    threads.emplace_back([&answers, &space, id, i] {
      answers[i] = space.entities().remove(id, {}, kAsked);
    });
  }
  for (std::thread& thread : threads) thread.join();
  int wrote = 0;
  for (const auto& answer : answers) {
    CHECK((Said(*answer) == Said(*answers.front())));
    wrote += !answer->repeated;
  }
  CHECK(wrote == 1);
  CHECK(events_of_request(store) == 1);
}

// As it is, the look for a kept answer is counted as a write that ended `unchanged`.
TEST_CASE("an update under a request id counts as one write", "[request][!shouldfail]") {
  TestStore store;
  const EntityId id = store.add_entity("row").id;
  const auto other = store.open_another();
  const Space space = other->space("main", "tester");
  written(space.entities().update(id, &EntityKind::edit, kUpdate));
  CHECK(other->stats().writes.applied == 1);
  CHECK(other->stats().writes.unchanged == 0);
}
