#include "vectors/strays.h"

#include <algorithm>

#include "sample.h"
#include "support/catch.h"

using namespace holdfast;
using namespace holdfast::vectors;

namespace {

constexpr std::size_t kDimension = 24;
constexpr std::size_t kEf = 20;

Rows clustered(std::size_t count) {
  return tests::Clustered{.dimension = kDimension, .centres = 30, .noise = 0.3F, .seed = 9}.make(
      count, 0);
}

HnswGraph graph_of(const VectorArray& array, std::size_t count) {
  HnswGraph graph({.m = 4, .ef_construction = 10, .seed = 1});
  REQUIRE(graph.add(array, count));
  return graph;
}

/// By a whole search.
bool is_missed(const HnswGraph& graph, const VectorArray& array, SearchWorkspace& work,
               std::size_t ef, Slot slot) {
  work.query.prepare(array, slot);
  const float own = to_distance(array.metric(), work.query.comparable(array, slot));
  const auto found = search_graph(graph, array, work, ef, AcceptAll{});
  const bool is_there = std::any_of(found.begin(), found.end(),
                                    [slot](const Candidate& one) { return one.slot == slot; });
  return !is_there && (found.size() < ef || found.back().distance > own);
}

/// No edge leads to the slot any more.
HnswGraph cut_off(const HnswGraph& graph, Slot slot) {
  std::vector<std::int32_t> neighbors(graph.raw_neighbors().begin(), graph.raw_neighbors().end());
  std::size_t at = 0;
  for (Slot from = 0; from < graph.size(); ++from) {
    for (int level = 0; level <= graph.level(from); ++level) {
      const std::size_t width = graph.neighbors(from, level).size();
      const auto begin = neighbors.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = begin + static_cast<std::ptrdiff_t>(width);
      std::fill(std::remove(begin, end, static_cast<std::int32_t>(slot)), end, -1);
      at += width;
    }
  }
  return {graph.parameters(), graph.raw_levels(), neighbors, graph.raw_entry_point()};
}

}  // namespace

TEST_CASE("strays are just those that a whole search misses", "[vectors]") {
  for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
    const VectorArray array = array_of(clustered(2000), kDimension, metric, Form::codes);
    const HnswGraph graph = graph_of(array, 2000);
    SearchWorkspace work(array);
    std::vector<Slot> missed;
    for (Slot slot = 0; slot < 2000; ++slot) {
      if (is_missed(graph, array, work, kEf, slot)) missed.push_back(slot);
    }
    CAPTURE(to_string(metric), missed.size());
    CHECK(find_strays(graph, array, kEf) == missed);
    CHECK(find_strays(graph, array, kEf, 2) == missed);
  }
}

TEST_CASE("what is no stray is found at a greater ef, and among few, too", "[vectors]") {
  const VectorArray array = array_of(clustered(2000), kDimension, Metric::l2, Form::codes);
  const HnswGraph graph = graph_of(array, 2000);
  SearchWorkspace work(array);
  const auto strays = find_strays(graph, array, kEf);
  CHECK_FALSE(strays.empty());
  for (Slot slot = 0; slot < 2000; ++slot) {
    if (std::binary_search(strays.begin(), strays.end(), slot)) continue;
    CHECK_FALSE(is_missed(graph, array, work, 2 * kEf, slot));
    work.query.prepare(array, slot);
    const auto alone =
        search_graph(graph, array, work, kEf, [slot](Slot one) { return one == slot; });
    CHECK(alone.size() == 1);
  }
}

TEST_CASE("a slot that no edge leads to is a stray, and a suspect", "[vectors]") {
  const VectorArray array = array_of(clustered(500), kDimension, Metric::l2, Form::codes);
  const HnswGraph whole = graph_of(array, 500);
  const Slot slot = whole.entry_point() == 77 ? 78 : 77;
  const HnswGraph graph = cut_off(whole, slot);
  const auto strays = find_strays(graph, array, kEf);
  CHECK(std::binary_search(strays.begin(), strays.end(), slot));
  const auto suspects = find_suspects(whole, graph);
  CHECK(std::binary_search(suspects.begin(), suspects.end(), slot));
  const auto again = find_suspects(graph, graph);
  CHECK(std::binary_search(again.begin(), again.end(), slot));
}

TEST_CASE("new slots, and those that lost an edge to them, are suspects", "[vectors]") {
  const VectorArray array = array_of(clustered(600), kDimension, Metric::l2, Form::codes);
  const HnswGraph before = graph_of(array, 500);
  HnswGraph after = before;
  REQUIRE(after.add(array, 600));
  const auto suspects = find_suspects(before, after);
  const auto is_suspect = [&](Slot slot) {
    return std::binary_search(suspects.begin(), suspects.end(), slot);
  };
  for (Slot slot = 500; slot < 600; ++slot) CHECK(is_suspect(slot));
  for (Slot slot = 0; slot < 500; ++slot) {
    for (const std::int32_t neighbor : before.neighbors(slot, 0)) {
      const auto now = after.neighbors(slot, 0);
      if (neighbor < 0 || std::find(now.begin(), now.end(), neighbor) != now.end()) continue;
      CHECK(is_suspect(static_cast<Slot>(neighbor)));
    }
  }
  CHECK(suspects.size() < 600);
}

TEST_CASE("equal vectors are no strays for one another's sake", "[vectors]") {
  Rows rows;
  for (std::size_t i = 0; i < 1000; ++i) rows.insert(rows.end(), kDimension, 0.5F);
  const VectorArray array = array_of(rows, kDimension, Metric::cosine, Form::codes);
  CHECK(find_strays(graph_of(array, 1000), array, kEf).empty());
}

TEST_CASE("an empty graph has no strays", "[vectors]") {
  const VectorArray array(kDimension, Metric::l2, Form::codes);
  const HnswGraph graph({});
  CHECK(find_strays(graph, array, kEf).empty());
  CHECK(find_suspects(graph, graph).empty());
}
