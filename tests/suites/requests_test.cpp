#include <thread>

#include <holdfast/core/error.h>

#include "suites/requests_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Texts of answers still kept.
std::uint64_t kept_answers(TestStore& store) {
  const auto snapshot = store.store->database().snapshot();
  auto count =
      snapshot->transaction().prepare("SELECT count(*) FROM requests WHERE answer <> ''");
  return count.step() ? count.get<Sequence>(0) : 0;
}

}  // namespace

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
TEST_CASE("an update under a request id counts as one write", "[request]") {
  TestStore store;
  const EntityId id = store.add_entity("row").id;
  const auto other = store.open_another();
  const Space space = other->space("main", "tester");
  written(space.entities().update(id, &EntityKind::edit, kUpdate));
  CHECK(other->stats().writes.applied == 1);
  CHECK(other->stats().writes.unchanged == 0);
}
