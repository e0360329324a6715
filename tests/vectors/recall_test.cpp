// Recall@10 of searches ordered by codes and made exact from the vectors, over data that eight bits
// might not do for.

#include <cmath>
#include <functional>
#include <string>

#include "sample.h"
#include "support/catch.h"

using namespace holdfast;
using namespace holdfast::vectors;

namespace {

constexpr std::size_t kDimension = 96;
constexpr std::size_t kVectors = 3000;
constexpr std::size_t kQueries = 50;

/// What is done to a vector, by its number, to make it difficult.
struct Data {
  std::string name;
  std::function<void(std::span<float>, std::size_t)> change;
};

const Data kData[] = {
    {"clustered", [](std::span<float>, std::size_t) {}},
    {"unnormalised",
     [](std::span<float> vector, std::size_t number) {
       const float by = std::exp2(static_cast<float>((number * 7) % 9) - 4);
       for (float& component : vector) component *= by;
     }},
    {"outlier vectors",
     [](std::span<float> vector, std::size_t number) {
       if (number % 100 != 0) return;
       for (float& component : vector) component *= 1000;
     }},
    {"outlier components",
     [](std::span<float> vector, std::size_t /*number*/) {
       vector[5] *= 50;
       vector[70] = vector[70] * 20 + 100;
     }},
    {"far from zero",
     [](std::span<float> vector, std::size_t /*number*/) {
       for (float& component : vector) component += 10;
     }},
};

Rows rows_of(const Data& data, std::size_t count, std::uint32_t part) {
  Rows rows = tests::Clustered{.dimension = kDimension, .centres = 60, .noise = 1, .seed = 3}.make(
      count, part);
  for (std::size_t i = 0; i < count; ++i) {
    data.change(std::span(rows).subspan(i * kDimension, kDimension), i + part);
  }
  return rows;
}

enum class By { scan, graph };

double mean_recall(const Data& data, Metric metric, By by, std::size_t candidates) {
  const Rows rows = rows_of(data, kVectors, 0);
  const Rows queries = rows_of(data, kQueries, 1);
  const VectorArray floats = array_of(rows, kDimension, metric, Form::floats);
  const VectorArray codes = array_of(rows, kDimension, metric, Form::codes);
  HnswGraph graph({});
  if (by == By::graph) (void)graph.add(codes, codes.size());
  SearchWorkspace exact_work(floats);
  SearchWorkspace work(codes);
  double sum = 0;
  for (std::size_t i = 0; i < kQueries; ++i) {
    const auto query = tests::row(queries, kDimension, i);
    exact_work.query.prepare(query);
    const auto exact = scan(floats, exact_work, 10, AcceptAll{});
    work.query.prepare(query);
    const auto found = by == By::scan ? scan(codes, work, candidates, AcceptAll{})
                                      : search_graph(graph, codes, work, candidates, AcceptAll{});
    sum += recall(reranked(found, rows, query, metric, 10), exact);
  }
  return sum / kQueries;
}

}  // namespace

TEST_CASE("twenty candidates by codes hold the ten nearest, whatever the data", "[vectors]") {
  for (const Data& data : kData) {
    for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
      CAPTURE(data.name, to_string(metric));
      CHECK(mean_recall(data, metric, By::scan, 20) >= 0.99);
    }
  }
}

TEST_CASE("a search of the graph finds the ten nearest, whatever the data", "[vectors]") {
  for (const Data& data : kData) {
    for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
      CAPTURE(data.name, to_string(metric));
      CHECK(mean_recall(data, metric, By::graph, 100) >= 0.97);
    }
  }
}
