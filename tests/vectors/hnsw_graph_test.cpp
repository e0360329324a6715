#include <algorithm>
#include <limits>
#include <stdexcept>

#include <holdfast/core/error.h>

#include "sample.h"
#include "support/catch.h"

using namespace holdfast;
using namespace holdfast::vectors;

namespace {

constexpr std::size_t kDimension = 24;

Rows clustered(std::size_t count, std::uint32_t part = 0) {
  return tests::Clustered{.dimension = kDimension, .centres = 30, .noise = 1, .seed = 9}.make(
      count, part);
}

struct Fixture {
  explicit Fixture(const Rows& rows, Metric metric = Metric::l2, Form form = Form::codes)
      : array(array_of(rows, kDimension, metric, form)), graph({}), work(array) {
    REQUIRE(graph.add(array, array.size()));
  }
  std::vector<Slot> find(std::span<const float> query, std::size_t ef) {
    return find(query, ef, AcceptAll{});
  }
  template <typename Accepts>
  std::vector<Slot> find(std::span<const float> query, std::size_t ef, Accepts accepts) {
    work.query.prepare(query);
    std::vector<Slot> slots;
    for (const Candidate& one : search_graph(graph, array, work, ef, accepts)) {
      slots.push_back(one.slot);
    }
    return slots;
  }

  VectorArray array;
  HnswGraph graph;
  SearchWorkspace work;
};

/// The arrays of a graph, to be spoiled.
struct Raw {
  explicit Raw(const HnswGraph& graph)
      : parameters(graph.parameters()),
        levels(graph.raw_levels().begin(), graph.raw_levels().end()),
        neighbors(graph.raw_neighbors().begin(), graph.raw_neighbors().end()),
        entry_point(graph.raw_entry_point()) {}
  HnswGraph make() const { return {parameters, levels, neighbors, entry_point}; }
  bool operator==(const Raw&) const = default;

  HnswParameters parameters;
  std::vector<std::int32_t> levels;
  std::vector<std::int32_t> neighbors;
  std::int32_t entry_point;
};

}  // namespace

TEST_CASE("an empty graph finds nothing", "[vectors]") {
  Fixture f(Rows{});
  CHECK(f.find(std::vector<float>(kDimension, 1.0F), 10).empty());
}

TEST_CASE("graphs of one, two and three vectors find all of them", "[vectors]") {
  for (std::size_t count = 1; count <= 3; ++count) {
    const Rows rows = clustered(count);
    Fixture f(rows);
    for (std::size_t i = 0; i < count; ++i) {
      auto found = f.find(tests::row(rows, kDimension, i), 10);
      REQUIRE(found.size() == count);
      CHECK(found.front() == i);
      std::sort(found.begin(), found.end());
      for (std::size_t j = 0; j < count; ++j) CHECK(found[j] == j);
    }
  }
}

TEST_CASE("one thread makes the same graph to the last bit every time", "[vectors]") {
  const Rows rows = clustered(1500);
  const Fixture once(rows);
  const Fixture twice(rows);
  CHECK(Raw(once.graph) == Raw(twice.graph));
}

TEST_CASE("a graph that grows in steps has the levels of one made at once", "[vectors]") {
  const Rows rows = clustered(600);
  const Fixture f(rows);
  HnswGraph steps({});
  for (const std::size_t last : {1U, 2U, 100U, 600U}) REQUIRE(steps.add(f.array, last));
  CHECK(Raw(steps).levels == Raw(f.graph).levels);
}

TEST_CASE("another seed makes another graph", "[vectors]") {
  const Fixture f(clustered(300));
  HnswGraph other({.m = 16, .ef_construction = 100, .seed = 2});
  REQUIRE(other.add(f.array, f.array.size()));
  CHECK_FALSE(Raw(other).levels == Raw(f.graph).levels);
}

TEST_CASE("a copy is added to while the original stays as it was", "[vectors]") {
  const Rows rows = clustered(800);
  const Fixture f(rows);
  HnswGraph half({});
  REQUIRE(half.add(f.array, 400));
  const Raw before(half);
  HnswGraph whole = half;
  REQUIRE(whole.add(f.array, 800));
  CHECK(Raw(half) == before);
  CHECK(whole.size() == 800);
}

TEST_CASE("what is found comes nearest first, ties by slot", "[vectors]") {
  Rows rows = clustered(300);
  const Rows again = rows;
  rows.insert(rows.end(), again.begin(), again.end());
  for (const Form form : {Form::codes, Form::floats}) {
    Fixture f(rows, Metric::cosine, form);
    f.work.query.prepare(tests::row(rows, kDimension, 17));
    const auto found = search_graph(f.graph, f.array, f.work, 50, AcceptAll{});
    CHECK(std::is_sorted(found.begin(), found.end()));
    REQUIRE(found.size() == 50);
    CHECK(found[0].slot == 17);
    CHECK(found[1].slot == 317);
  }
}

TEST_CASE("distances found from floats are those of the metric", "[vectors]") {
  const Rows rows = clustered(300);
  for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
    Fixture f(rows, metric, Form::floats);
    const auto query = tests::row(rows, kDimension, 3);
    f.work.query.prepare(query);
    for (const Candidate& one : search_graph(f.graph, f.array, f.work, 10, AcceptAll{})) {
      CHECK(one.distance == distance(metric, query, tests::row(rows, kDimension, one.slot)));
    }
  }
}

TEST_CASE("a thousand equal vectors are found, and hide nothing else", "[vectors]") {
  Rows rows = clustered(1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    rows.insert(rows.end(), rows.begin(), rows.begin() + kDimension);
  }
  Fixture f(rows);
  const auto found = f.find(tests::row(rows, kDimension, 0), 10);
  REQUIRE(found.size() == 10);
  for (const Slot slot : found) CHECK((slot == 0 || slot >= 1000));
  std::size_t missed = 0;
  for (std::size_t i = 1; i < 1000; ++i) {
    if (f.find(tests::row(rows, kDimension, i), 64).front() != i) ++missed;
  }
  CHECK(missed <= 10);
}

TEST_CASE("what a predicate refuses is walked through and never returned", "[vectors]") {
  const Rows rows = clustered(3000);
  Fixture f(rows);
  const auto few = [](Slot slot) { return slot % 300 == 7; };
  const auto found = f.find(tests::row(rows, kDimension, 1), 10, few);
  CHECK(found.size() == 10);
  CHECK(std::all_of(found.begin(), found.end(), few));
  CHECK(f.find(tests::row(rows, kDimension, 1), 10, [](Slot) { return false; }).empty());
}

TEST_CASE("all are found when every slot but the wanted ones is refused", "[vectors]") {
  const Rows rows = clustered(2000);
  Fixture f(rows);
  // As if all had been deleted but the last few, then but the first few.
  const auto last = [](Slot slot) { return slot >= 1990; };
  const auto first = [](Slot slot) { return slot < 10; };
  CHECK(f.find(tests::row(rows, kDimension, 5), 10, last).size() == 10);
  CHECK(f.find(tests::row(rows, kDimension, 1995), 10, first).size() == 10);
}

TEST_CASE("a search gives up when it has looked at more slots than it may", "[vectors]") {
  const Rows rows = clustered(3000);
  Fixture f(rows);
  f.work.query.prepare(tests::row(rows, kDimension, 1));
  const auto few = [](Slot slot) { return slot % 1000 == 7; };
  CHECK_FALSE(try_search_graph(f.graph, f.array, f.work, 10, few, 500));
  CHECK(try_search_graph(f.graph, f.array, f.work, 10, few, 3000)->size() == 3);
  CHECK(try_search_graph(f.graph, f.array, f.work, 10, AcceptAll{}, 1000)->size() == 10);
}

TEST_CASE("few are scanned, and many are searched", "[vectors]") {
  CHECK(should_scan(0, 0, 10));
  CHECK(should_scan(500, 100'000, 64));
  CHECK(should_scan(5'000, 100'000, 64));
  CHECK_FALSE(should_scan(50'000, 100'000, 64));
  CHECK_FALSE(should_scan(100'000, 100'000, 64));
  CHECK(should_scan(1'000, 1'000, 64));
  CHECK_FALSE(should_scan(4'000'000'000, 4'000'000'000, 10'000));
}

TEST_CASE("a build that is stopped says so", "[vectors]") {
  const Rows rows = clustered(1000);
  const VectorArray array = array_of(rows, kDimension, Metric::l2, Form::codes);
  for (const std::size_t threads : {1U, 2U}) {
    HnswGraph graph({});
    std::size_t calls = 0;
    CHECK_FALSE(graph.add(array, 1000, threads, [&](std::size_t done) {
      CHECK(done <= 1000);
      return ++calls < 3;
    }));
    CHECK(calls == 3);
  }
}

TEST_CASE("what a build's control throws comes out of the build", "[vectors]") {
  const VectorArray array = array_of(clustered(1000), kDimension, Metric::l2, Form::codes);
  HnswGraph graph({});
  CHECK_THROWS_AS(
      graph.add(array, 1000, 2, [](std::size_t) -> bool { throw std::logic_error("stop"); }),
      std::logic_error);
}

TEST_CASE("two threads make a graph that finds as well", "[vectors]") {
  const Rows rows = clustered(2000);
  Fixture f(rows);
  HnswGraph graph({});
  REQUIRE(graph.add(f.array, 2000, 2));
  std::size_t missed = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    f.work.query.prepare(f.array, static_cast<Slot>(i));
    const auto found = search_graph(graph, f.array, f.work, 64, AcceptAll{});
    if (found.front().slot != i) ++missed;
  }
  CHECK(missed <= 4);
}

TEST_CASE("parameters out of range are refused by name", "[vectors]") {
  for (const int m : {-1, 0, 1, 65}) {
    CHECK_THROWS_AS(HnswGraph({.m = m, .ef_construction = 100, .seed = 1}), InvalidArgument);
  }
  for (const int ef : {-1, 0, 10'001}) {
    CHECK_THROWS_AS(HnswGraph({.m = 16, .ef_construction = ef, .seed = 1}), InvalidArgument);
  }
}

TEST_CASE("the least and the most neighbours there may be make graphs that find", "[vectors]") {
  const Rows rows = clustered(500);
  for (const int m : {kHnswMMin, kHnswMMax}) {
    Fixture f(rows);
    f.graph = HnswGraph({.m = m, .ef_construction = 100, .seed = 1});
    REQUIRE(f.graph.add(f.array, 500));
    CHECK(f.find(tests::row(rows, kDimension, 77), 100).front() == 77);
  }
}

TEST_CASE("a graph is made again from its raw arrays, and can be added to", "[vectors]") {
  const Rows rows = clustered(700);
  Fixture f(rows);
  HnswGraph half({});
  REQUIRE(half.add(f.array, 350));
  HnswGraph again = Raw(half).make();
  CHECK(Raw(again) == Raw(half));
  REQUIRE(half.add(f.array, 700));
  REQUIRE(again.add(f.array, 700));
  CHECK(Raw(again) == Raw(half));
  CHECK(Raw(HnswGraph({})).make().empty());
}

TEST_CASE("raw arrays that would lead a search astray are refused", "[vectors]") {
  const Fixture f(clustered(200));
  const Raw good(f.graph);
  REQUIRE(good.make().size() == 200);
  const auto refused = [&](auto spoil) {
    Raw raw = good;
    spoil(raw);
    CHECK_THROWS_AS(raw.make(), Corrupt);
  };
  for (const std::int32_t bad : {200, -2, std::numeric_limits<std::int32_t>::max(),
                                 std::numeric_limits<std::int32_t>::min()}) {
    refused([&](Raw& raw) { raw.neighbors[40] = bad; });
    refused([&](Raw& raw) { raw.entry_point = bad; });
    if (bad != -2) refused([&](Raw& raw) { raw.neighbors.back() = bad; });
  }
  for (const std::int32_t bad : {0, -1, 33, std::numeric_limits<std::int32_t>::max()}) {
    refused([&](Raw& raw) { raw.levels[0] = bad; });
  }
  refused([](Raw& raw) { raw.neighbors.pop_back(); });
  refused([](Raw& raw) { raw.neighbors.push_back(-1); });
  refused([](Raw& raw) { raw.levels.pop_back(); });
  refused([](Raw& raw) { raw.entry_point = -1; });
  refused([](Raw& raw) { raw.parameters.m = 15; });
  // A neighbour that is not on its edge's level.
  const auto low = std::find(good.levels.begin(), good.levels.end(), 1) - good.levels.begin();
  refused([&](Raw& raw) {
    std::size_t at = 0;
    for (Slot slot = 0; raw.levels[slot] == 1; ++slot) at += 32;
    raw.neighbors[at + 32] = static_cast<std::int32_t>(low);
  });
}

TEST_CASE("raw chains of equals that have no end, or meet, are refused", "[vectors]") {
  Rows rows;
  for (int i = 0; i < 6; ++i) rows.insert(rows.end(), kDimension, 1.0F);
  const Fixture f(rows);
  const Raw good(f.graph);
  std::vector<std::size_t> last;  // of each slot's places on level 0
  std::size_t at = 0;
  for (const std::int32_t levels : good.levels) {
    last.push_back(at + 31);
    at += static_cast<std::size_t>(levels + 1) * 16;
  }
  for (Slot slot = 0; slot < 6; ++slot) {
    const std::int32_t next = f.graph.next_equal(slot);
    if (next < 0) continue;
    for (Slot other = 0; other < 6; ++other) {
      if (other == slot) continue;
      Raw raw = good;
      raw.neighbors[last[other]] = -2 - next;
      CHECK_THROWS_AS(raw.make(), Corrupt);
    }
    Raw raw = good;
    raw.neighbors[last[slot]] = -2 - static_cast<std::int32_t>(slot);
    CHECK_THROWS_AS(raw.make(), Corrupt);
  }
}

TEST_CASE("of equal vectors all are found, and just one has edges", "[vectors]") {
  Rows rows = clustered(100);
  for (int i = 0; i < 50; ++i) rows.insert(rows.end(), kDimension, 1.0F);
  for (const Form form : {Form::codes, Form::floats}) {
    Fixture f(rows, Metric::l2, form);
    auto found = f.find(std::vector<float>(kDimension, 1.0F), 50);
    std::sort(found.begin(), found.end());
    REQUIRE(found.size() == 50);
    CHECK(found.front() == 100);
    CHECK(found.back() == 149);
    std::size_t with_edges = 0;
    for (Slot slot = 100; slot < 150; ++slot) {
      with_edges += f.graph.neighbors(slot, 0).front() >= 0 ? 1U : 0U;
    }
    CHECK(with_edges == 1);
    const auto only = [](Slot slot) { return slot == 111; };
    CHECK(f.find(tests::row(rows, kDimension, 5), 10, only).size() == 1);
  }
}

TEST_CASE("any neighbours within range are searched to an end", "[vectors]") {
  const Rows rows = clustered(200);
  Fixture f(rows);
  Raw raw(f.graph);
  for (std::size_t i = 0; i < raw.neighbors.size(); ++i) {
    auto& neighbor = raw.neighbors[i];
    const auto other = static_cast<std::int32_t>((i * 7919) % 200);
    // On upper levels only what was there stays in range.
    if (neighbor >= 0 && raw.levels[static_cast<std::size_t>(other)] >= f.graph.max_level() + 1) {
      neighbor = other;
    }
  }
  f.graph = raw.make();
  CHECK_FALSE(f.find(tests::row(rows, kDimension, 9), 20).empty());
}
