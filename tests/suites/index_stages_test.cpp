#include "suites/similar_support.h"

namespace holdfast::test {
namespace {

using Ids = std::vector<Uuid>;

/// Where the vectors of a row lie when it changes.
enum class Stage { rows, changed, tail, segment };

/// A store of some 40 rows, one of which lies where it should.
struct Staged {
  explicit Staged(Stage stage) : f(SimilarStore::in_graph()) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 40; ++i) (void)f.add(random_vector(random, 4));
    f.embed();
    if (stage != Stage::rows) f.space->load_index();
    id = f.embedded({5, 5, 5, 5}).id;
    if (stage == Stage::tail) (void)f.nearest({5, 5, 5, 5});
    if (stage == Stage::segment) (void)f.space->compact_index();
  }
  bool is_found(const Embedding& at) const {
    const auto answer = f.nearest(at, 1);
    return !answer.items.empty() && answer.items[0].id == id.uuid && answer.items[0].distance == 0;
  }
  void check_clean() const {
    const auto found = f.space->verify_index();
    CHECK(found.findings_total == 0);
    CHECK(found.vectors == f.space->index_status().stored);
  }
  SimilarStore f;
  EntityId id;
};

constexpr std::array kStages = {Stage::rows, Stage::changed, Stage::tail, Stage::segment};

TEST_CASE("a row is found at every stage of the index", "[index]") {
  for (const Stage stage : kStages) {
    const Staged staged(stage);
    CHECK(staged.is_found({5, 5, 5, 5}));
    staged.check_clean();
  }
}

TEST_CASE("a row that is changed is found where it is now, at every stage", "[index]") {
  for (const Stage stage : kStages) {
    Staged staged(stage);
    staged.f.set(staged.id, {-5, 5, 5, 5});
    staged.f.embed();
    CHECK(staged.is_found({-5, 5, 5, 5}));
    CHECK_FALSE(staged.is_found({5, 5, 5, 5}));
    staged.check_clean();
  }
}

TEST_CASE("a row that is deleted is found no longer, before its vectors are gone and after",
          "[index]") {
  for (const Stage stage : kStages) {
    Staged staged(stage);
    staged.f.remove(staged.id);
    CHECK_FALSE(staged.is_found({5, 5, 5, 5}));
    CHECK(staged.f.nearest({5, 5, 5, 5}, 1000).items.size() == 40);
    staged.f.embed();
    CHECK(staged.f.nearest({5, 5, 5, 5}, 1000).items.size() == 40);
    REQUIRE(staged.f.space->entities().purge(staged.id).applied());
    staged.f.embed();
    CHECK(staged.f.nearest({5, 5, 5, 5}, 1000).items.size() == 40);
    staged.check_clean();
  }
}

TEST_CASE("a row that is restored is found again, at every stage", "[index]") {
  for (const Stage stage : kStages) {
    Staged staged(stage);
    staged.f.remove(staged.id);
    staged.f.embed();
    (void)staged.f.nearest({5, 5, 5, 5});
    REQUIRE(staged.f.space->entities().restore(staged.id).applied());
    staged.f.embed();
    CHECK(staged.is_found({5, 5, 5, 5}));
    staged.check_clean();
  }
}

TEST_CASE("what changes while the tail is folded in is as it is now", "[index]") {
  for (const std::string_view seam : {"index.fold", "index.swap"}) {
    SimilarStore f(SimilarStore::in_graph());
    (void)f.embedded({0, 0, 0, 50});
    f.space->load_index();
    std::vector<EntityId> ids;
    for (int i = 0; i < 20; ++i) ids.push_back(f.add(along(i)).id);
    f.embed();
    bool is_reached = false;
    f.at(seam, [&] {
      is_reached = true;
      f.set(ids[3], {100, 0, 0, 0});
      f.remove(ids[4]);
      (void)f.add({200, 0, 0, 0});
      f.embed();
      CHECK(f.nearest({100, 0, 0, 0}, 1).items[0].distance == 0);
      CHECK(f.nearest({3, 0, 0, 0}, 1).items[0].distance == 1);
    });
    (void)f.nearest({0, 0, 0, 0});
    CHECK(is_reached);
    CHECK(f.nearest({100, 0, 0, 0}, 1).items[0].id == ids[3].uuid);
    CHECK(f.nearest({200, 0, 0, 0}, 1).items[0].distance == 0);
    CHECK(f.nearest({3, 0, 0, 0}, 1).items[0].distance == 1);
    CHECK(f.nearest({0, 0, 0, 0}, 1000).items.size() == 21);
    CHECK(f.space->verify_index().findings_total == 0);
  }
}

TEST_CASE("the tail is folded in when it is long, and tombstones go when they are many",
          "[index]") {
  SimilarStore f(SimilarStore::in_graph());
  std::mt19937_64 random(4);
  std::vector<EntityId> ids;
  for (int i = 0; i < 400; ++i) ids.push_back(f.add(random_vector(random, 4)).id);
  f.embed();
  f.space->load_index();
  CHECK(f.space->index_status().tail == 0);
  for (int i = 0; i < 200; ++i) f.set(ids[static_cast<std::size_t>(i)], random_vector(random, 4));
  f.embed();
  (void)f.nearest({0, 0, 0, 0});
  const auto status = f.space->index_status();
  CHECK(status.vectors == 400);
  CHECK(status.tail == 0);
  CHECK(status.tombstones == 0);
  CHECK(f.space->verify_index().findings_total == 0);
}

TEST_CASE("deleting most rows marks them, and seldom makes the index anew", "[index][H22]") {
  SimilarStore f(SimilarStore::in_graph());
  std::mt19937_64 random(8);
  std::vector<EntityId> ids;
  for (int i = 0; i < 400; ++i) ids.push_back(f.add(random_vector(random, 4)).id);
  f.embed();
  f.space->load_index();
  int folds = 0;
  bool is_deleted_meanwhile = false;
  f.environment.faults.arm([&](std::string_view point) {
    if (point != "index.fold") return;
    ++folds;
    if (is_deleted_meanwhile) return;
    is_deleted_meanwhile = true;
    f.remove(ids.back());  // does not wait for what is being made
    ids.pop_back();
  });
  for (int i = 0; i < 300; ++i) {
    f.remove(ids.back());
    ids.pop_back();
    f.embed();
    (void)f.nearest({0, 0, 0, 0});
  }
  CHECK(is_deleted_meanwhile);
  CHECK(folds == 2);  // a quarter of 400 is waste, then of 299; fewer than 256 stay as they are
  CHECK(f.nearest({0, 0, 0, 0}, 1000).items.size() == ids.size());
  CHECK(f.space->verify_index().findings_total == 0);
}

TEST_CASE("compacting drops every tombstone and folds everything in", "[index]") {
  SimilarStore f(SimilarStore::in_graph());
  std::mt19937_64 random(5);
  std::vector<EntityId> ids;
  for (int i = 0; i < 100; ++i) ids.push_back(f.add(random_vector(random, 4)).id);
  f.embed();
  f.space->load_index();
  for (int i = 0; i < 5; ++i) f.remove(ids[static_cast<std::size_t>(i)]);
  (void)f.embedded(random_vector(random, 4));
  (void)f.nearest({0, 0, 0, 0});
  CHECK(f.space->index_status().tombstones == 5);
  CHECK(f.space->index_status().tail == 1);
  const auto done = f.space->compact_index();
  CHECK(done.vectors == 96);
  CHECK(done.dropped == 5);
  CHECK(f.space->index_status().tombstones == 0);
  CHECK(f.space->index_status().tail == 0);
  CHECK(f.nearest({0, 0, 0, 0}, 1000).items.size() == 96);
}

TEST_CASE("removing in one order and adding in another finds the right rows", "[index][H3]") {
  SimilarStore f(SimilarStore::in_graph());
  std::vector<EntityId> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(f.embedded(along(i)).id);
  f.space->load_index();
  for (const std::size_t i : {1, 0, 2}) {
    f.remove(ids[i]);
    f.embed();
    (void)f.nearest({0, 0, 0, 0});
  }
  CHECK(f.nearest({0, 0, 0, 0}).items.empty());
  for (const std::size_t i : {0, 1, 2}) {
    REQUIRE(f.space->entities().restore(ids[i]).applied());
    f.embed();
    CHECK(f.ids_near(along(static_cast<int>(i)), 1) == Ids{ids[i].uuid});
  }
}

TEST_CASE("an index that would need more memory than it may have leaves searches to the rows",
          "[index]") {
  auto options = SimilarStore::in_graph();
  options.index.bytes_max = 1000;
  SimilarStore f(options);
  for (int i = 0; i < 50; ++i) (void)f.add(along(i));
  f.embed();
  for (int i = 0; i < 2; ++i) {
    const auto answer = f.nearest({7, 0, 0, 0}, 3);
    CHECK(answer.searched == SearchedIn::rows);
    CHECK(answer.items.size() == 3);
  }
  CHECK(f.space->index_status().state == IndexState::too_large);
}

TEST_CASE("indexes can be switched off", "[index]") {
  auto options = SimilarStore::in_graph();
  options.index.enabled = false;
  SimilarStore f(options);
  const Uuid id = f.embedded({1, 0, 0, 0}).id.uuid;
  for (int i = 0; i < 2; ++i) CHECK(f.ids_near({1, 0, 0, 0}) == Ids{id});
  CHECK(f.space->index_status().state == IndexState::off);
}

TEST_CASE("what fails in the index's own work fails neither a search nor a write", "[index][H9]") {
  SimilarStore f(SimilarStore::in_graph());
  const Uuid id = f.embedded({1, 0, 0, 0}).id.uuid;
  f.at("index.swap", [] { throw Unavailable("a test"); });
  CHECK(f.ids_near({1, 0, 0, 0}) == Ids{id});
  CHECK(f.space->index_status().state == IndexState::none);
  CHECK(f.space->index_status().last_error == "a test");
  CHECK(f.ids_near({1, 0, 0, 0}) == Ids{id});  // not tried again so soon
  CHECK(f.space->index_status().state == IndexState::none);
  f.environment.clock.advance(2s);
  CHECK(f.ids_near({1, 0, 0, 0}) == Ids{id});
  CHECK(f.space->index_status().state == IndexState::ready);
  CHECK(f.space->index_status().last_error.empty());
}

TEST_CASE("an index is built beside writes, never within a transaction of theirs", "[index][H11]") {
  SimilarStore f(SimilarStore::in_graph());
  for (int i = 0; i < 40; ++i) (void)f.add(along(i));
  f.embed();
  const auto other = f.open_another();
  const Space theirs = other->space("main", "other");
  Uuid meanwhile;
  f.at("index.swap", [&] {
    Entity row;
    row.kind = "person";
    row.name = numbers(along(99));
    meanwhile = written(theirs.entities().insert_if_absent(row)).id.uuid;
    (void)theirs.models().embed("m");
  });
  f.space->load_index();
  REQUIRE_FALSE(meanwhile.is_nil());
  CHECK(f.ids_near(along(99), 1) == Ids{meanwhile});
  CHECK(f.space->verify_index().findings_total == 0);
}

TEST_CASE("small sets are kept as they are, larger ones by their codes, as parameters say",
          "[index]") {
  SimilarStore::Options options;
  options.parameters.exact_max = 20;
  options.index.tail_max = 4;
  SimilarStore f(options);
  std::mt19937_64 random(6);
  for (int i = 0; i < 20; ++i) (void)f.add(random_vector(random, 4));
  f.embed();
  f.space->load_index();
  CHECK(f.nearest({0, 0, 0, 0}).searched == SearchedIn::exact);
  (void)f.embedded(random_vector(random, 4));
  (void)f.nearest({0, 0, 0, 0});
  CHECK(f.nearest({0, 0, 0, 0}).searched == SearchedIn::graph);
  auto parameters = options.parameters;
  parameters.exact_max = 100;
  f.space->rebuild_index("m", parameters);
  const auto answer = f.nearest({0, 0, 0, 0}, 100);
  CHECK(answer.searched == SearchedIn::exact);
  CHECK(answer.items.size() == 21);
  CHECK(answer.generation == 1);
}

TEST_CASE("an exact search of floats in memory looks at all, whatever graph there is",
          "[index][similar]") {
  auto options = SimilarStore::in_graph();
  options.parameters.form = IndexForm::floats;
  SimilarStore f(options);
  for (int i = 0; i < 30; ++i) (void)f.add(along(i));
  f.embed();
  f.space->load_index();
  SimilarRequest request = request_near({3, 0, 0, 0}, 5);
  REQUIRE(f.similar(request).searched == SearchedIn::graph);
  request.exact = true;
  CHECK(f.similar(request).searched == SearchedIn::exact);
  CHECK(f.similar(request).items.size() == 5);
}

}  // namespace
}  // namespace holdfast::test
