#include <holdfast/core/error.h>

#include "suites/traversal_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// a -to-> b -to-> c, in memory.
struct Chain {
  explicit Chain(std::uint64_t bytes_max = AdjacencyOptions{}.bytes_max) {
    StoreOptions options = store.options();
    options.adjacency.bytes_max = bytes_max;
    reopen(options);
    for (EntityId* id : {&a, &b, &c, &d}) *id = store.add_entity("entity").id;
    ab = store.add_edge(a, "to", b);
    bc = store.add_edge(b, "to", c);
  }
  void reopen(const StoreOptions& options) {
    store.space.reset();
    store.store.reset();
    store.store = Store::open(options);
    store.space = std::make_unique<Space>(store.store->create_space("main", "tester"));
  }
  const Space& space() const { return *store.space; }
  AdjacencyStatus status() const { return space().adjacency_status(); }
  /// How many entities a reaches, from memory.
  std::uint64_t reach() const { return reach_of(space()); }
  std::uint64_t reach_of(const Space& handle) const {
    const auto traversal = BothWays(handle).traverse(a, hops(9));
    return traversal.reached.size();
  }

  TestStore store;
  EntityId a, b, c, d;
  Edge ab, bc;
};

TraversalOptions from_memory() {
  TraversalOptions options = hops(9);
  options.source = GraphSource::memory;
  return options;
}

}  // namespace

TEST_CASE("each kind of change is seen by the next search in memory", "[adjacency]") {
  Chain f;
  const auto& edges = f.space().edges();
  CHECK(f.reach() == 2);
  written(edges.remove(f.bc.id));
  CHECK(f.reach() == 1);
  written(edges.restore(f.bc.id));
  CHECK(f.reach() == 2);
  EdgeMove move;
  move.source = f.c;
  move.target = f.d;
  written(f.space().retarget_edge(f.bc.id, move));
  CHECK(f.reach() == 1);
  f.store.add_edge(f.b, "to", f.c);
  CHECK(f.reach() == 3);
  written(f.space().entities().remove(f.b));
  CHECK(f.reach() == 0);
  written(f.space().entities().restore(f.b));
  CHECK(f.reach() == 3);
}

TEST_CASE("a purge that blanks the delete before it is taken in all the same", "[adjacency]") {
  Chain f;
  CHECK(f.reach() == 2);
  written(f.space().edges().remove(f.bc.id));
  CHECK(f.space().edges().purge(f.bc.id).applied());
  CHECK(f.reach() == 1);
  written(f.space().entities().remove(f.b));
  CHECK(f.space().entities().purge(f.b).applied());
  CHECK(f.reach() == 0);
  CHECK(f.status().edges == 0);
}

TEST_CASE("a change of validity is taken in without a new row", "[adjacency]") {
  Chain f;
  CHECK(f.reach() == 2);
  written(f.space().edges().update(f.ab.id, [](Edge& edge) { edge.valid_to = at_us(50); }));
  TraversalOptions options = hops(9);
  options.valid_at = at_us(50);
  CHECK(BothWays(f.space()).traverse(f.a, options).reached.empty());
  options.valid_at = at_us(49);
  CHECK(BothWays(f.space()).traverse(f.a, options).reached.size() == 2);
  CHECK(f.status().delta_edges == 0);
}

TEST_CASE("a relation that turns symmetric is followed back from then on", "[adjacency]") {
  Chain f;
  CHECK(f.reach() == 2);
  written(f.space().declare_relation(symmetric_relation("near")));
  f.store.add_edge(f.a, "near", f.d);
  CHECK(BothWays(f.space()).traverse(f.d, hops(9)).reached.size() == 3);
}

TEST_CASE("writes through another handle on the database are seen at once", "[adjacency]") {
  Chain f;
  const auto other = f.store.open_another();
  const Space there = other->space("main", "other");
  CHECK(f.reach() == 2);
  CHECK(f.reach_of(there) == 2);
  written(there.edges().remove(f.bc.id));
  CHECK(f.reach() == 1);
  written(f.space().edges().restore(f.bc.id));
  CHECK(f.reach_of(there) == 2);
  written(there.edges().insert_if_absent(edge_between(f.c, "to", f.d)));
  CHECK(f.reach() == 3);
}

TEST_CASE("a database opened read-only is followed too", "[adjacency]") {
  Chain f;
  StoreOptions options = f.store.options();
  options.database.access = storage::OpenMode::read_only;
  const auto reader = Store::open(options);
  const Space there = reader->space("main", "reader");
  CHECK(f.reach_of(there) == 2);
  written(f.space().edges().remove(f.bc.id));
  CHECK(f.reach_of(there) == 1);
}

TEST_CASE("memory is loaded once SQL has looked at as many edges as the space has rows",
          "[adjacency]") {
  Chain f;
  // Two edges at a time, and never before 10,000.
  for (int i = 0; i < 5'000; ++i) {
    if (f.space().traverse(f.a, hops(9)).answered_by != GraphSource::sql) FAIL("loaded early");
  }
  CHECK(f.status().state == AdjacencyState::not_loaded);
  CHECK(f.space().traverse(f.a, hops(9)).answered_by == GraphSource::memory);
  CHECK(f.status().state == AdjacencyState::loaded);
}

TEST_CASE("unloading frees the graph, and asking for memory loads it again", "[adjacency]") {
  Chain f;
  CHECK(f.status().state == AdjacencyState::not_loaded);
  CHECK(f.reach() == 2);
  const auto loaded = f.status();
  CHECK(loaded.state == AdjacencyState::loaded);
  CHECK(loaded.edges == 2);
  CHECK(loaded.nodes == 3);
  CHECK(loaded.bytes > 0);
  CHECK(loaded.seq == f.space().tail().seq);
  f.space().unload_adjacency();
  CHECK(f.status().state == AdjacencyState::not_loaded);
  CHECK(f.status().bytes == 0);
  CHECK(f.reach() == 2);
}

TEST_CASE("a graph beyond its bound is answered from SQL, and says so", "[adjacency]") {
  Chain f(200);
  const auto answer = f.space().traverse(f.a, from_memory());
  CHECK(answer.answered_by == GraphSource::sql);
  CHECK(answer.reached.size() == 2);
  CHECK(f.status().state == AdjacencyState::too_large);
  CHECK(f.status().bytes == 0);
}

TEST_CASE("a graph that outgrows its bound is dropped", "[adjacency]") {
  Chain f(4'000);
  CHECK(f.space().traverse(f.a, from_memory()).answered_by == GraphSource::memory);
  for (int i = 0; i < 100; ++i) f.store.add_edge(f.a, "r" + std::to_string(i), f.d);
  const auto answer = f.space().traverse(f.a, from_memory());
  CHECK(answer.answered_by == GraphSource::sql);
  CHECK(answer.reached.size() == 3);
  CHECK(f.status().state == AdjacencyState::too_large);
}

TEST_CASE("a store without memory answers from SQL", "[adjacency]") {
  Chain f;
  StoreOptions options = f.store.options();
  options.adjacency.enabled = false;
  f.reopen(options);
  CHECK(f.space().traverse(f.a, from_memory()).answered_by == GraphSource::sql);
  CHECK(f.status().state == AdjacencyState::off);
}

TEST_CASE("a space deleted and made again under its name is another graph", "[adjacency]") {
  Chain f;
  CHECK(f.reach() == 2);
  f.store.store->delete_space("main");
  CHECK_THROWS_AS(f.space().traverse(f.a, from_memory()), NotFound);
  f.store.space = std::make_unique<Space>(f.store.store->create_space("main", "tester"));
  const EntityId x = f.store.add_entity("x").id;
  for (int i = 0; i < 20; ++i) f.store.add_edge(x, "to", f.store.add_entity("y").id);
  CHECK(BothWays(f.space()).traverse(x, hops(9)).reached.size() == 20);
  CHECK_THROWS_AS(f.space().traverse(f.a, from_memory()), NotFound);
}

TEST_CASE("a loaded space that is deleted and made again between two searches is another graph",
          "[adjacency]") {
  Chain f;
  CHECK(f.reach() == 2);
  f.store.store->delete_space("main");
  f.store.space = std::make_unique<Space>(f.store.store->create_space("main", "tester"));
  const EntityId x = f.store.add_entity("x").id;
  for (int i = 0; i < 20; ++i) f.store.add_edge(x, "to", f.store.add_entity("y").id);
  CHECK_THROWS_AS(f.space().traverse(f.a, from_memory()), NotFound);
  CHECK(BothWays(f.space()).traverse(x, hops(9)).reached.size() == 20);
}
