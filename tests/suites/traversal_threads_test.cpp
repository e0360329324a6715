#include <atomic>
#include <thread>

#include "suites/support.h"

using namespace holdfast;
using namespace holdfast::test;

TEST_CASE("searches of many threads never see an edge whose deletion was acknowledged before",
          "[traversal]") {
  TestStore fixture;
  const auto store = open_in_real_time(fixture);
  const Space space = store->space("main", "writer");
  const Entity hub = fixture.add_entity("hub");
  constexpr int kRounds = 60;
  std::vector<Edge> edges;
  for (int i = 0; i < kRounds; ++i) {
    edges.push_back(fixture.add_edge(hub.id, "to", fixture.add_entity("end").id));
  }
  std::atomic<int> deleted{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      TraversalOptions options;
      options.source = GraphSource::memory;
      while (deleted < kRounds) {
        const int gone = deleted;
        const auto reached = space.traverse(hub.id, options).reached;
        if (reached.size() > static_cast<std::size_t>(kRounds - gone)) ++wrong;
      }
    });
  }
  for (const Edge& edge : edges) {
    CHECK(space.edges().remove(edge.id).applied());
    ++deleted;
  }
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
  CHECK(space.adjacency_status().state == AdjacencyState::loaded);
}
