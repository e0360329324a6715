#include <atomic>
#include <barrier>
#include <thread>

#include "suites/support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

const KeyDeclaration kTopic{.name = "topic", .kind = "fact", .path = "/topic"};

Entity fact(const std::string& name) {
  Entity row;
  row.kind = "fact";
  row.name = name;
  row.properties = JsonObject::parse("properties", R"({"topic":"weather"})");
  return row;
}

/// A space with the key "topic", seen through two handles as two processes would.
struct TwoHandles {
  TwoHandles() {
    REQUIRE(store.space->declare_key(kTopic).outcome == KeyOutcome::declared);
    second_store = store.open_another();
    second = std::make_unique<Space>(second_store->space("main", "second"));
  }
  TestStore store;
  std::unique_ptr<Store> second_store;
  std::unique_ptr<Space> second;
};

}  // namespace

TEST_CASE("D3: of two that supersede one fact at once one lands, and one fact is the latest",
          "[keys]") {
  TwoHandles f;
  const Entity old = written(f.store.space->entities().insert_if_absent(fact("old")));
  pass_time(f.store);
  const auto supersede = [&](const Space& space, const std::string& name) {
    Plan plan = space.plan();
    plan.remove(old.id, as_read(old));
    plan.create(fact(name));
    return plan;
  };
  // Both have read `old` before either writes.
  const Plan first = supersede(*f.store.space, "first");
  const Plan second = supersede(*f.second, "second");
  CHECK(f.store.space->apply(first).applied());
  CHECK_FALSE(f.second->apply(second).applied());
  CHECK(f.second->entities().count({}) == 1);
  CHECK(f.second->find_by_key("topic", "weather")->name == "first");
}

TEST_CASE("D4: of many who remember one thing at once one makes the row, all learn its id",
          "[keys]") {
  TwoHandles f;
  const auto real_time = open_in_real_time(f.store);
  const Space space = real_time->space("main", "racer");
  constexpr int kRacers = 8;
  std::barrier start(kRacers);
  std::atomic<int> made{0};
  std::vector<EntityId> learnt(kRacers);
  std::vector<std::thread> racers;
  for (int i = 0; i < kRacers; ++i) {
    racers.emplace_back([&, i] {
      start.arrive_and_wait();
      const auto result = space.entities().insert_if_absent(fact(std::to_string(i)));
      made += result.applied() ? 1 : 0;
      if (result.current) learnt[static_cast<std::size_t>(i)] = result.current->id;
    });
  }
  for (std::thread& racer : racers) racer.join();
  CHECK(made == 1);
  const auto winner = space.find_by_key("topic", "weather").value().id;
  for (const EntityId id : learnt) CHECK(id == winner);
  CHECK(space.entities().count({}) == 1);
}

TEST_CASE("D6: of two that draw one edge at once the second learns of the first", "[edges]") {
  TwoHandles f;
  const Entity a = f.store.add_entity("a");
  const Entity b = f.store.add_entity("b");
  const Edge first = written(
      f.store.space->edges().insert_if_absent(edge_between(a.id, "knows", b.id)));
  const auto second = f.second->edges().insert_if_absent(edge_between(a.id, "knows", b.id));
  CHECK_FALSE(second.applied());
  CHECK((second.current == first));
  CHECK(f.second->edges().count({}) == 1);
}
