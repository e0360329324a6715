#include <algorithm>

#include "suites/similar_support.h"

namespace holdfast::test {
namespace {

using Ids = std::vector<Uuid>;

SimilarRequest request_of(Staleness staleness) {
  auto request = request_near({0, 0, 0, 0});
  request.staleness = staleness;
  return request;
}

/// Ten rows at distances 1 to 10, with and without an index.
struct Ten {
  explicit Ten(bool is_graph) : f(is_graph ? SimilarStore::in_graph() : SimilarStore::Options{}) {
    for (int i = 1; i <= 10; ++i) ids.push_back(f.add(along(i)).id);
    f.embed();
    f.space->load_index();
  }
  SimilarStore f;
  std::vector<EntityId> ids;
};

TEST_CASE("a row whose text has changed is left out, flagged, or all that is answered",
          "[similar]") {
  for (const bool is_graph : {false, true}) {
    Ten ten(is_graph);
    ten.f.set(ten.ids[2], {50, 0, 0, 0});
    const auto excluded = ten.f.similar(request_of(Staleness::exclude));
    CHECK(excluded.items.size() == 9);
    CHECK(excluded.stale_excluded == 1);
    CHECK(excluded.pending == 1);
    const auto flagged = ten.f.similar(request_of(Staleness::flag));
    REQUIRE(flagged.items.size() == 10);
    CHECK(flagged.items[2].id == ten.ids[2].uuid);
    CHECK(flagged.items[2].distance == 3);
    for (std::size_t i = 0; i < 10; ++i) CHECK(flagged.items[i].is_stale == (i == 2));
    CHECK(flagged.stale_excluded == 0);
    CHECK(ids_of(ten.f.similar(request_of(Staleness::only))) == Ids{ten.ids[2].uuid});
    ten.f.embed();
    CHECK(ten.f.similar(request_of(Staleness::only)).items.empty());
    CHECK(ten.f.similar(request_of(Staleness::exclude)).items.size() == 10);
  }
}

TEST_CASE("a change that leaves the text as it is makes nothing stale", "[similar]") {
  for (const bool is_graph : {false, true}) {
    Ten ten(is_graph);
    (void)written(ten.f.space->entities().update(
        ten.ids[2], [](Entity& entity) { entity.tags = {"other"}; }));
    CHECK(ten.f.similar(request_of(Staleness::exclude)).items.size() == 10);
    CHECK(ten.f.similar(request_of(Staleness::only)).items.empty());
  }
}

TEST_CASE("only stale rows farther than the last answer are not counted as left out",
          "[similar]") {
  Ten ten(true);
  ten.f.set(ten.ids[0], {50, 0, 0, 0});
  ten.f.set(ten.ids[9], {50, 0, 0, 0});
  auto request = request_of(Staleness::exclude);
  request.k = 3;
  const auto answer = ten.f.similar(request);
  CHECK(ids_of(answer) == Ids{ten.ids[1].uuid, ten.ids[2].uuid, ten.ids[3].uuid});
  CHECK(answer.stale_excluded == 1);
}

TEST_CASE("a query by a row whose own text has changed says so", "[similar]") {
  Ten ten(true);
  const SimilarRequest request{.query = SimilarRow{.kind = "entity", .id = ten.ids[2].uuid}};
  CHECK_FALSE(ten.f.similar(request).is_query_stale);
  ten.f.set(ten.ids[2], {50, 0, 0, 0});
  CHECK(ten.f.similar(request).is_query_stale);
}

TEST_CASE("where vectors come with the writes, a text that came without is stale", "[similar]") {
  SimilarStore f(SimilarStore::in_graph());
  Model model{.name = "given", .dimension = 4, .metric = Metric::l2};
  model.embedder = CallerEmbedderSpec{};
  REQUIRE(f.space->models().create(model, {.exact_max = 0}).outcome == ModelOutcome::created);
  const auto given = [](int distance) {
    return WriteOptions{.vectors = {{.model = "given", .vectors = {along(distance)}}}};
  };
  std::vector<Uuid> ids;
  for (int i = 1; i <= 5; ++i) {
    Entity entity;
    entity.kind = "person";
    entity.name = std::to_string(i);
    ids.push_back(written(f.space->entities().insert_if_absent(entity, given(i))).id.uuid);
  }
  SimilarRequest request = request_near({0, 0, 0, 0});
  request.model = "given";
  for (int i = 0; i < 3; ++i) CHECK(ids_of(f.similar(request)) == ids);
  const auto rename = [](Entity& entity) { entity.name = "another"; };
  (void)written(f.space->entities().update({ids[2]}, rename));
  for (int i = 0; i < 3; ++i) {
    CHECK(f.similar(request).items.size() == 4);
    CHECK(f.similar(request).stale_excluded == 1);
    (void)f.space->models().embed("given");
  }
  const auto patch = JsonObject::parse("patch", R"({"tags":["new"]})");
  REQUIRE(f.space->entities().patch({ids[2]}, patch, {}, given(2)).applied());
  CHECK(f.similar(request).items.size() == 5);
  CHECK(f.similar(request).items[2].id == std::max(ids[1], ids[2]));
}

TEST_CASE("an answer never mixes what is before a write with what is behind it", "[similar]") {
  Ten ten(true);
  // Between taking in what has changed and the search's own instant.
  for (int i = 0; i < 5; ++i) {
    ten.f.at("index.take_in", [&] {
      ten.f.set(ten.ids[0], {0.25F, 0, 0, 0});
      ten.f.embed();
    });
    ten.f.set(ten.ids[5], {0.5F, 0, 0, 0});
    ten.f.embed();
    const auto answer = ten.f.nearest({0, 0, 0, 0}, 1);
    INFO("round " << i << " distance " << answer.items.at(0).distance);
    CHECK(ids_of(answer) == Ids{ten.ids[0].uuid});
    CHECK(answer.seq == ten.f.space->tail().seq);
    ten.f.set(ten.ids[0], {1, 0, 0, 0});
    ten.f.set(ten.ids[5], {6, 0, 0, 0});
    ten.f.embed();
  }
}

}  // namespace
}  // namespace holdfast::test
