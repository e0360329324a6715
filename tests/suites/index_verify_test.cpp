#include <set>

#include "suites/similar_support.h"

namespace holdfast::test {
namespace {

using Ids = std::vector<Uuid>;

/// Twenty rows in a graph.
struct Twenty {
  Twenty() : f(SimilarStore::in_graph()) {
    for (int i = 0; i < 20; ++i) ids.push_back(f.add(along(i)).id);
    f.embed();
    f.space->load_index();
  }
  std::set<std::string> broken() const {
    std::set<std::string> checks;
    for (const IndexFinding& finding : f.space->verify_index().findings) {
      checks.insert(finding.check);
    }
    return checks;
  }
  /// What no program of ours would do.
  void spoil(const std::string& what) const { plant(*f.store, what); }
  SimilarStore f;
  std::vector<EntityId> ids;
};

TEST_CASE("verify compares every vector of the index with its row", "[index]") {
  Twenty twenty;
  const auto verified = twenty.f.space->verify_index();
  CHECK(verified.vectors == 20);
  CHECK(verified.searched == 20);
  CHECK(verified.findings_total == 0);
  CHECK(verified.generation == 1);
  CHECK(verified.seq == twenty.f.space->tail().seq);
}

TEST_CASE("verify finds vectors that are others than their rows", "[index]") {
  Twenty twenty;
  twenty.spoil("UPDATE vectors SET vector = zeroblob(16) WHERE vector = (SELECT vector FROM"
               " vectors ORDER BY vector DESC LIMIT 1)");
  CHECK(twenty.broken() == std::set<std::string>{"index.vector"});
}

TEST_CASE("verify finds vectors that are nobody's, and rows that have none", "[index]") {
  Twenty twenty;
  twenty.spoil("UPDATE vectors SET chunk = 7 WHERE id = (SELECT max(id) FROM vectors)");
  CHECK(twenty.broken() == std::set<std::string>{"index.missing", "index.extra"});
}

TEST_CASE("an index that differs from the rows is made anew, and nobody is told what is not there",
          "[index]") {
  Twenty twenty;
  twenty.spoil("DELETE FROM vectors WHERE id = (SELECT max(id) FROM vectors)");
  for (int i = 0; i < 2; ++i) {
    const auto answer = twenty.f.nearest(along(19), 20);
    CHECK(answer.items.size() == 19);
    CHECK(answer.items.front().distance > 0);
  }
  CHECK(twenty.broken().empty());
}

TEST_CASE("one index being made keeps no other from answering, each as of its own instant",
          "[index][H23]") {
  Twenty twenty;
  Model model{.name = "n", .dimension = 4, .metric = Metric::l2};
  model.embedder = CallerEmbedderSpec{.name = "numbers"};
  const auto parameters = SimilarStore::in_graph().parameters;
  REQUIRE(twenty.f.space->models().create(model, parameters).outcome == ModelOutcome::created);
  bool is_reached = false;
  twenty.f.at("index.swap", [&] {
    is_reached = true;
    const Uuid id = twenty.f.embedded(along(100)).id.uuid;
    const auto answer = twenty.f.nearest(along(100), 1);
    CHECK(ids_of(answer) == Ids{id});
    CHECK(answer.seq == twenty.f.space->tail().seq);
  });
  twenty.f.space->load_index("n");
  CHECK(is_reached);
  auto request = request_near(along(100), 30);
  request.model = "n";
  CHECK(twenty.f.similar(request).items.size() == 20);
  CHECK(twenty.f.similar(request).pending == 1);
}

TEST_CASE("an index is made anew by other parameters while searches go on", "[index][H13]") {
  Twenty twenty;
  IndexParameters parameters = SimilarStore::in_graph().parameters;
  parameters.m = 4;
  parameters.ef_construction = 20;
  std::size_t found = 0;
  twenty.f.at("index.swap", [&] { found = twenty.f.nearest(along(7), 20).items.size(); });
  twenty.f.space->rebuild_index("m", parameters);
  CHECK(found == 20);
  CHECK(twenty.f.space->index_status().parameters == parameters);
  CHECK(twenty.f.space->index_status().generation == 1);
  CHECK(twenty.f.nearest(along(7), 20).items.size() == 20);
  CHECK(twenty.broken().empty());
}

TEST_CASE("another process indexes by the new parameters at its next search", "[index]") {
  Twenty twenty;
  const auto another = twenty.f.open_another();
  const Space other = another->space("main", "other");
  other.load_index();
  IndexParameters parameters = SimilarStore::in_graph().parameters;
  parameters.exact_max = 100;
  twenty.f.space->rebuild_index("m", parameters);
  CHECK(other.similar(request_near(along(3), 1)).searched == SearchedIn::graph);
  CHECK(other.similar(request_near(along(3), 1)).searched == SearchedIn::exact);
}

TEST_CASE("a vector that was found can be searched by in turn", "[index][H15]") {
  Twenty twenty;
  for (const EntityId id : twenty.ids) {
    SimilarRequest request{.query = SimilarRow{.kind = "entity", .id = id.uuid}, .k = 1};
    const auto answer = twenty.f.similar(request);
    REQUIRE(answer.items.size() == 1);
    CHECK(answer.items.front().distance == 1);
  }
  CHECK(twenty.broken().empty());
}

}  // namespace
}  // namespace holdfast::test
