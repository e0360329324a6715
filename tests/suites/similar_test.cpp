#include <holdfast/core/error.h>

#include "suites/similar_support.h"

namespace holdfast::test {
namespace {

using Ids = std::vector<Uuid>;

TEST_CASE("the nearest rows come first, each with its distance", "[similar]") {
  SimilarStore f;
  const Uuid far = f.add({3, 4, 0, 0}).id.uuid;
  const Uuid near = f.add({1, 0, 0, 0}).id.uuid;
  f.embed();
  const auto answer = f.nearest({0, 0, 0, 0});
  REQUIRE(ids_of(answer) == Ids{near, far});
  CHECK(answer.items[0].distance == 1);
  CHECK(answer.items[1].distance == 5);
  CHECK(answer.items[0].kind == "entity");
  CHECK_FALSE(answer.items[0].is_stale);
  CHECK(answer.model == "m");
  CHECK(answer.generation == 1);
  CHECK(answer.seq == f.space->tail().seq);
  CHECK(answer.pending == 0);
}

TEST_CASE("equally distant rows come by kind, then id, in every form of the index", "[similar]") {
  for (const bool is_graph : {false, true}) {
    SimilarStore f(is_graph ? SimilarStore::in_graph() : SimilarStore::Options{});
    std::set<Uuid> entities;
    std::set<Uuid> notes;
    for (int i = 0; i < 20; ++i) {
      entities.insert(f.add({1, 1, 1, 1}).id.uuid);
      notes.insert(f.add_note({1, 1, 1, 1}).id.uuid);
    }
    f.embed();
    Ids expected(entities.begin(), entities.end());
    expected.insert(expected.end(), notes.begin(), notes.end());
    CHECK(f.ids_near({0, 0, 0, 0}, 40) == expected);  // of the rows
    CHECK(f.ids_near({0, 0, 0, 0}, 40) == expected);  // of the index
    CHECK(f.space->index_status().state == IndexState::ready);
    expected.resize(25);
    CHECK(f.ids_near({0, 0, 0, 0}, 25) == expected);
  }
}

TEST_CASE("a zero vector is found, at the distance 1 from everything by cosine", "[similar]") {
  auto options = SimilarStore::in_graph();
  options.metric = Metric::cosine;
  SimilarStore f(options);
  const Uuid zero = f.add({0, 0, 0, 0}).id.uuid;
  const Uuid other = f.add({1, 0, 0, 0}).id.uuid;
  f.embed();
  for (int i = 0; i < 2; ++i) {
    const auto answer = f.nearest({2, 0, 0, 0});
    REQUIRE(ids_of(answer) == Ids{other, zero});
    CHECK(answer.items[1].distance == 1);
    const auto by_zero = f.nearest({0, 0, 0, 0});
    REQUIRE(by_zero.items.size() == 2);
    CHECK(by_zero.items[0].distance == 1);
    CHECK(by_zero.items[1].distance == 1);
  }
}

TEST_CASE("as many rows are answered as there are, up to k", "[similar]") {
  SimilarStore f(SimilarStore::in_graph());
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) (void)f.add(random_vector(random, 4));
  f.embed();
  for (int i = 0; i < 2; ++i) {
    for (const std::size_t k : {1, 7, 299, 300, 301, 1000}) {
      CHECK(f.nearest({0, 0, 0, 0}, k).items.size() == std::min<std::size_t>(k, 300));
    }
  }
  CHECK(f.nearest({0, 0, 0, 0}, 300).searched != SearchedIn::rows);
}

TEST_CASE("a text is searched by the vector that the model's embedder makes of it", "[similar]") {
  SimilarStore f;
  const Uuid near = f.add({1, 0, 0, 0}).id.uuid;
  (void)f.add({5, 0, 0, 0});
  f.embed();
  const auto answer = f.similar({.query = "0.9 0 0 0", .k = 1});
  CHECK(ids_of(answer) == Ids{near});
}

TEST_CASE("a row is searched by its own vectors and is not among the answers", "[similar]") {
  SimilarStore f;
  const Uuid own = f.add({1, 0, 0, 0}).id.uuid;
  const Uuid near = f.add({1, 0, 0, 0}).id.uuid;
  const Uuid far = f.add_note({5, 0, 0, 0}).id.uuid;
  f.embed();
  SimilarRequest request{.query = SimilarRow{.kind = "entity", .id = own}};
  CHECK(ids_of(f.similar(request)) == Ids{near, far});
  request.query = SimilarRow{.kind = "entity", .id = far};
  CHECK_THROWS_AS(f.similar(request), NotFound);
  const Uuid pending = f.add({2, 0, 0, 0}).id.uuid;
  request.query = SimilarRow{.kind = "entity", .id = pending};
  CHECK_THROWS_AS(f.similar(request), NotFound);
  request.query = SimilarRow{.kind = "edge", .id = own};
  CHECK_THROWS_AS(f.similar(request), InvalidArgument);
}

TEST_CASE("what breaks a limit is refused by name", "[similar]") {
  SimilarStore f;
  f.embed();
  const auto refused = [&](SimilarRequest request) {
    return refusal_of([&] { (void)f.similar(request); });
  };
  CHECK(refused(request_near({1, 0, 0, 0}, 0)) == "k: be 1 to 1000");
  CHECK(refused(request_near({1, 0, 0, 0}, 1001)) == "k: be 1 to 1000");
  auto request = request_near({1, 0, 0, 0});
  request.ef = 10'001;
  CHECK(refused(request) == "ef: be 1 to 10000");
  CHECK_THAT(refused(request_near({1, 0, 0})), Catch::Matchers::ContainsSubstring("vector"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_THAT(refused(request_near({1, nan, 0, 0})), Catch::Matchers::ContainsSubstring("vector"));
  request = request_near({1, 0, 0, 0});
  request.filter.entities = EntityFilter{};
  request.filter.entities->deleted = Deleted::only;
  CHECK_THAT(refused(request), Catch::Matchers::ContainsSubstring("filter.entities.deleted"));
  request = request_near({1, 0, 0, 0});
  request.model = "other";
  CHECK_THROWS_AS(f.similar(request), NotFound);
}

TEST_CASE("without a default model, one must be named", "[similar]") {
  TestStore f;
  CHECK_THROWS_AS(f.space->similar({.query = "text"}), NotFound);
}

TEST_CASE("the exact search compares the vectors as they are stored", "[similar]") {
  SimilarStore f(SimilarStore::in_graph());
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) (void)f.add(random_vector(random, 4));
  f.embed();
  (void)f.nearest({0, 0, 0, 0});
  for (int i = 0; i < 20; ++i) {
    auto request = request_near(random_vector(random, 4));
    const auto by_graph = f.similar(request);
    request.exact = true;
    const auto exact = f.similar(request);
    CHECK(by_graph.searched == SearchedIn::graph);
    CHECK(exact.searched == SearchedIn::rows);
    CHECK(by_graph.items == exact.items);
  }
}

TEST_CASE("the vector of an earlier generation is refused by name, the model's new one taken",
          "[similar][I1][I2]") {
  SimilarStore f;
  (void)f.embedded({1, 0, 0, 0});
  auto request = request_near({1, 0, 0, 0});
  std::get<SimilarVector>(request.query).generation = f.nearest({1, 0, 0, 0}).generation;
  CHECK(f.similar(request).items.size() == 1);
  CHECK(f.space->models().rebuild("m").end == journal::RebuildEnd::swapped);
  CHECK_THROWS_AS(f.similar(request), Conflict);
  std::get<SimilarVector>(request.query).generation = f.nearest({1, 0, 0, 0}).generation;
  CHECK(f.similar(request).items.size() == 1);
}

TEST_CASE("a text whose generation is replaced while it is embedded is embedded again",
          "[similar][I2]") {
  SimilarStore f;
  const Uuid id = f.embedded({1, 0, 0, 0}).id.uuid;
  const auto before = f.nearest({1, 0, 0, 0}).generation;
  int calls = 0;
  f.embedder->before = [&] {
    if (++calls == 1) (void)f.space->models().rebuild("m");
  };
  const auto answer = f.similar({.query = "1 0 0 0"});
  CHECK(answer.generation > before);
  CHECK(ids_of(answer) == Ids{id});
}

}  // namespace
}  // namespace holdfast::test
