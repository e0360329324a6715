#include <limits>

#include <holdfast/core/error.h>
#include <holdfast/core/limits.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using Bound = std::optional<Timestamp>;

struct Facts {
  Facts() : a(store.add_entity("a").id), b(store.add_entity("b").id) {}
  WriteResult<Edge> add(const Bound& from, const Bound& to) {
    Edge edge = edge_between(a, "knows", b);
    edge.valid_from = from;
    edge.valid_to = to;
    return store.space->edges().insert_if_absent(edge);
  }
  std::uint64_t held_at(Timestamp at) const {
    EdgeFilter filter;
    filter.valid_at = at;
    return store.space->edges().count(filter);
  }
  TestStore store;
  EntityId a;
  EntityId b;
};

}  // namespace

TEST_CASE("an edge holds from its start to before its end", "[validity]") {
  Facts f;
  written(f.add(at_us(10), at_us(20)));
  CHECK(f.held_at(at_us(9)) == 0);
  CHECK(f.held_at(at_us(10)) == 1);
  CHECK(f.held_at(at_us(19)) == 1);
  CHECK(f.held_at(at_us(20)) == 0);
}

TEST_CASE("an edge without bounds holds always, and reads back without bounds", "[validity]") {
  Facts f;
  const Edge edge = written(f.add({}, {}));
  CHECK_FALSE(edge.valid_from.has_value());
  CHECK_FALSE(edge.valid_to.has_value());
  CHECK(f.held_at(from_us(core::kTimeMin + 1)) == 1);
  CHECK(f.held_at(from_us(core::kTimeMax - 1)) == 1);
  CHECK((f.store.space->edges().get(edge.id) == edge));
}

TEST_CASE("an edge without bounds holds at the first and the last time that there is",
          "[validity]") {
  Facts f;
  written(f.add({}, {}));
  for (const std::int64_t us : {std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max()}) {
    CAPTURE(us);
    CHECK(f.held_at(from_us(us)) == 1);
    NeighborFilter neighbors;
    neighbors.valid_at = from_us(us);
    CHECK(f.store.space->neighbors(f.a, neighbors).items.size() == 1);
    for (const GraphSource source : {GraphSource::sql, GraphSource::memory}) {
      TraversalOptions options;
      options.valid_at = from_us(us);
      options.source = source;
      CHECK(f.store.space->traverse(f.a, options).reached.size() == 1);
    }
  }
}

TEST_CASE("an end that is not after its start is an error", "[validity]") {
  Facts f;
  CHECK_THROWS_AS(f.add(at_us(10), at_us(10)), InvalidArgument);
  CHECK_THROWS_AS(f.add(at_us(10), at_us(9)), InvalidArgument);
  CHECK(f.add(at_us(10), at_us(11)).applied());
}

TEST_CASE("a time that the open ends are stored as is an error", "[validity]") {
  Facts f;
  CHECK_THROWS_AS(f.add(from_us(core::kTimeMin), {}), InvalidArgument);
  CHECK_THROWS_AS(f.add({}, from_us(core::kTimeMax)), InvalidArgument);
  CHECK_THROWS_AS(f.add(from_us(std::numeric_limits<std::int64_t>::min()), {}), InvalidArgument);
  CHECK(f.add(from_us(core::kTimeMin + 1), from_us(core::kTimeMax - 1)).applied());
}

TEST_CASE("one triple may hold over times that touch", "[validity]") {
  Facts f;
  written(f.add(at_us(10), at_us(20)));
  CHECK(f.add(at_us(20), {}).applied());
  CHECK(f.add({}, at_us(10)).applied());
  CHECK(f.held_at(at_us(20)) == 1);
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("one triple may not hold twice at any time", "[validity]") {
  Facts f;
  const Edge there = written(f.add(at_us(10), at_us(20)));
  const std::string before = picture(*f.store.store);
  struct Clash {
    Bound from;
    Bound to;
    Outcome outcome;
  };
  for (const Clash& clash :
       {Clash{at_us(9), at_us(11), Outcome::overlaps},
        Clash{at_us(19), at_us(21), Outcome::overlaps},
        Clash{at_us(12), at_us(13), Outcome::overlaps},
        Clash{at_us(1), at_us(99), Outcome::overlaps}, Clash{{}, {}, Outcome::overlaps},
        Clash{at_us(10), {}, Outcome::key_taken}}) {
    const auto result = f.add(clash.from, clash.to);
    CHECK(to_string(result.outcome) == to_string(clash.outcome));
    CHECK((result.current == there));
  }
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("another triple and the reverse one may hold at the same time", "[validity]") {
  Facts f;
  written(f.add({}, {}));
  CHECK(f.store.space->edges().insert_if_absent(edge_between(f.a, "likes", f.b)).applied());
  CHECK(f.store.space->edges().insert_if_absent(edge_between(f.b, "knows", f.a)).applied());
}

TEST_CASE("ending a fact is an edit of its end, and nothing else ends it", "[validity]") {
  Facts f;
  const Edge edge = written(f.add(at_us(10), {}));
  written(f.add({}, at_us(10)));
  CHECK((f.store.space->edges().get(edge.id) == edge));
  const Edge ended =
      written(f.store.space->edges().update(edge.id, [](Edge& e) { e.valid_to = at_us(30); }));
  CHECK(f.held_at(at_us(30)) == 0);
  CHECK(ended.valid_from == at_us(10));
  CHECK(f.add(at_us(30), {}).applied());
  // Its old time is taken now.
  CHECK(f.store.space->edges().update(edge.id, [](Edge& e) { e.valid_to.reset(); }).outcome ==
        Outcome::overlaps);
}

TEST_CASE("the triple and start of a stored edge are errors to name", "[validity]") {
  Facts f;
  const Edge edge = written(f.add(at_us(10), {}));
  const auto& edges = f.store.space->edges();
  const auto change = [&](const std::function<void(Edge&)>& spoil) {
    return refusal_of([&] { (void)edges.update(edge.id, spoil); });
  };
  const std::string rule =
      "edge: keep its created_at, source, relation, target, valid_from: this does not change "
      "them";
  CHECK(change([](Edge& e) { e.relation = "likes"; }) == rule);
  CHECK(change([](Edge& e) { e.valid_from.reset(); }) == rule);
  CHECK(change([](Edge& e) { std::swap(e.source, e.target); }) == rule);
}

TEST_CASE("weights and ends that make no sense are errors", "[validity]") {
  Facts f;
  Edge edge = edge_between(f.a, "knows", f.b);
  edge.weight = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(f.store.space->edges().insert_if_absent(edge), InvalidArgument);
  edge.weight = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(f.store.space->edges().insert_if_absent(edge), InvalidArgument);
  edge.weight = 0;
  CHECK_THROWS_AS(f.store.space->edges().insert_if_absent(edge_between({}, "knows", f.b)),
                  InvalidArgument);
  CHECK_THROWS_AS(f.store.space->edges().insert_if_absent(edge_between(f.a, "knows", {})),
                  InvalidArgument);
  CHECK(f.store.space->edges().insert_if_absent(edge).applied());
}
