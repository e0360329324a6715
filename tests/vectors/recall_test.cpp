// Recall@10 of searches ordered by codes and made exact from the vectors, over data that eight bits
// might not do for.

#include "sample.h"
#include "support/catch.h"

using namespace holdfast;
using namespace holdfast::vectors;

namespace {

constexpr std::size_t kDimension = 96;
constexpr std::size_t kVectors = 3000;
constexpr std::size_t kQueries = 50;

Rows rows_of(const tests::Difficulty& data, std::size_t count, std::uint32_t part) {
  return tests::make_difficult(
      {.dimension = kDimension, .centres = 60, .noise = 1, .seed = 3}, data, count, part);
}

enum class By { scan, graph };

double mean_recall(const tests::Difficulty& data, Metric metric, By by, std::size_t candidates) {
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

TEST_CASE("the candidates to be made exact hold the ten nearest, whatever the data", "[vectors]") {
  for (const tests::Difficulty& data : tests::kDifficulties) {
    for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
      CAPTURE(data.name, to_string(metric));
      CHECK(mean_recall(data, metric, By::scan, rerank_count(10)) >= 0.98);
    }
  }
}

TEST_CASE("a search of the graph finds the ten nearest, whatever the data", "[vectors]") {
  for (const tests::Difficulty& data : tests::kDifficulties) {
    for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
      CAPTURE(data.name, to_string(metric));
      CHECK(mean_recall(data, metric, By::graph, 100) >= 0.97);
    }
  }
}
