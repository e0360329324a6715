#include <map>
#include <mutex>
#include <string>

#include <holdfast/core/error.h>
#include <holdfast/space/stats.h>

#include "suites/support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// What a host would count.
class Host final : public Metrics {
 public:
  void on_write(std::string_view kind, Outcome outcome) override {
    add(std::string(kind) + " " + std::string(to_string(outcome)));
  }
  void on_retry(std::string_view kind) override { add(std::string(kind) + " retry"); }
  void on_repeated_request(std::string_view kind) override { add(std::string(kind) + " repeated"); }
  std::map<std::string, int> seen;

 private:
  void add(const std::string& what) {
    const std::lock_guard lock(mutex_);
    ++seen[what];
  }
  std::mutex mutex_;
};

/// A store that tells `host` of its writes.
struct Watched {
  Watched() {
    StoreOptions options = base.options();
    options.metrics = &host;
    base.space.reset();
    base.store = Store::open(options);
    base.space = std::make_unique<Space>(base.store->space("main", "tester"));
  }
  const Space& space() const { return *base.space; }

  Host host;
  TestStore base;
};

void mark_up(Entity& row) { row.name += "!"; }

}  // namespace

TEST_CASE("a host is told of each write, conflict, retry and repeated request", "[stats]") {
  Watched f;
  const Entity row = f.base.add_entity("row");
  const Entity newer = written(f.space().entities().update(row.id, &mark_up));
  CHECK(f.space().entities().replace(row, as_read(row)).outcome == Outcome::revision_moved);
  bool is_first = true;
  f.base.environment.faults.arm([&](std::string_view point) {
    if (point != "update.between_read_and_write" || !is_first) return;
    is_first = false;
    written(f.space().rename_entity(row.id, "rival"));
  });
  written(f.space().entities().update(row.id, &mark_up));
  f.base.environment.faults.arm({});
  written(f.space().entities().remove(row.id, {}, {.request_id = "r"}));
  CHECK(f.space().entities().remove(row.id, {}, {.request_id = "r"}).repeated);
  Plan plan = f.space().plan();
  plan.expect_unchanged(row.id, as_read(newer));
  CHECK(f.space().apply(plan).outcome == PlanOutcome::refused);

  CHECK(f.host.seen == std::map<std::string, int>{{"entity applied", 5},
                                                  {"entity revision_moved", 2},
                                                  {"entity retry", 1},
                                                  {"entity repeated", 1},
                                                  {"plan revision_moved", 1}});
  const auto counts = f.base.store->stats().writes;
  CHECK(counts.applied == 5);
  CHECK(counts.conflicts == 3);
  CHECK(counts.retries == 1);
  CHECK(counts.repeated_requests == 1);
}

TEST_CASE("stats tell what the store holds and what its writer did", "[stats]") {
  TestStore store;
  const auto before = store.store->stats();
  const Entity ada = store.add_entity("Ada");
  const Entity bob = store.add_entity("Bob");
  store.add_edge(ada.id, "knows", bob.id);
  store.add_note("text", ada.id);
  written(store.space->entities().remove(bob.id));
  (void)store.store->create_space("other", "tester");
  const auto after = store.store->stats();
  CHECK(after.spaces == 2);
  CHECK(after.rows == before.rows + 4);
  CHECK(after.body_bytes > before.body_bytes);
  CHECK(after.writer.commits == before.writer.commits + 6);
  CHECK(after.writer.commit_us.count == after.writer.commits);
  CHECK(after.writer.batch_sizes.count == after.writer.commits);
  CHECK(after.database_bytes > 0);
  CHECK(after.log_bytes > 0);
  {
    const auto snapshot = store.store->database().snapshot();
    store.environment.clock.advance(5s);
    CHECK(store.store->stats().oldest_reader == 5s);
  }
  CHECK(store.store->stats().oldest_reader == 0s);

  const SpaceInfo info = store.store->space_info("main");
  CHECK(info.rows == 4);
  CHECK(info.kinds.at("entity").live == 1);
  CHECK(info.kinds.at("entity").deleted == 1);
  CHECK(info.kinds.at("edge").deleted == 1);
  CHECK(info.kinds.at("note").live == 1);
  CHECK(info.tail.seq == store.space->tail().seq);
  CHECK(info.requests == 1);  // the delete that took an edge along
}

TEST_CASE("the bytes of a row are those of its table and indexes over its rows", "[stats]") {
  TestStore store;
  Plan plan = store.space->plan();
  for (int i = 0; i < 2000; ++i) {
    Entity entity;
    entity.kind = "person";
    entity.name = std::to_string(i);
    plan.create(entity);
  }
  REQUIRE(store.space->apply(plan).applied());
  const auto bytes = store.store->row_bytes();
  CHECK(bytes.at("entity") > 100);
  CHECK(bytes.at("entity") < 1000);
  CHECK(bytes.at("event") > bytes.at("entity"));
  CHECK_FALSE(bytes.contains("edge"));  // there is none
}

TEST_CASE("no list is longer than its limit, however much there is", "[stats][K9]") {
  TestStore store;
  for (int i = 0; i < 15; ++i) {
    const Entity entity = store.add_entity(std::to_string(i));
    store.add_note("text", entity.id);
    REQUIRE(store.space->declare_relation(relation_named("r" + std::to_string(i))).applied());
    (void)store.store->create_space("s" + std::to_string(i), "tester");
    if (i > 0) store.add_edge(entity.id, "knows", store.space->entities().list({}).items[0].id);
  }
  const PageRequest ten{.limit = 10, .cursor = {}};
  const EntityId first = store.space->entities().list({}).items[0].id;
  CHECK(store.space->entities().list({}, ten).items.size() == 10);
  CHECK(store.space->edges().list({}, ten).items.size() == 10);
  CHECK(store.space->notes().list({}, ten).items.size() == 10);
  CHECK(store.space->neighbors(first, {}, ten).items.size() == 10);
  CHECK(store.space->relations(ten).items.size() == 10);
  CHECK(store.space->tail(0, 10).size() == 10);
  CHECK(store.store->spaces(ten).items.size() == 10);
  CHECK(store.store->spaces(ten).left_out == 6);
  for (int i = 0; i < 12; ++i) written(store.space->entities().update(first, &mark_up));
  CHECK(store.space->entities().history(first, ten).items.size() == 10);
  CHECK_THROWS_AS(store.space->tail(0, 10'001), InvalidArgument);
  CHECK_THROWS_AS(store.store->spaces({.limit = 0, .cursor = {}}), InvalidArgument);
}
