// Scans beside the speed of memory, what codes keep of the order of difficult vectors, and filtered
// searches of the graph beside scans of what the filter leaves.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include <holdfast/core/json_text.h>

#include "support.h"
#include "tests/support/clustered.h"
#include "vectors/flat_scan.h"
#include "vectors/graph_search.h"

namespace holdfast::bench {
namespace {

using namespace vectors;

constexpr std::size_t kDimension = 384;
constexpr std::size_t kNearest = 10;

VectorArray array_of(const std::vector<float>& rows, Metric metric, Form form) {
  VectorArray array(kDimension, metric, form);
  array.reserve(rows.size() / kDimension);
  for (std::size_t i = 0; i < rows.size() / kDimension; ++i) {
    array.add(tests::row(rows, kDimension, i));
  }
  return array;
}

/// Reads all of it, and does as little as can be with it.
std::uint64_t read_all(std::span<const std::byte> bytes) {
  std::uint64_t sums[8] = {};
  for (std::size_t at = 0; at + sizeof sums <= bytes.size(); at += sizeof sums) {
    std::uint64_t words[8];
    std::memcpy(words, bytes.data() + at, sizeof words);
    for (std::size_t i = 0; i < 8; ++i) sums[i] += words[i];
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t one : sums) sum += one;
  return sum;
}

class Bench {
 public:
  Bench(std::size_t rounds, std::size_t count) : rounds_(rounds), count_(count) {}

  void run() {
    const tests::Clustered clustered{.noise = 1};
    rows_ = clustered.make(count_, 0);
    queries_ = clustered.make(kQueries, 1);
    run_scan(Form::floats, "exact scan of floats");
    run_scan(Form::codes, "scan of codes");
    run_filters();
    rows_ = {};
    run_recall();
  }

 private:
  static constexpr std::size_t kQueries = 20;

  std::span<const float> query(std::size_t number) const {
    return tests::row(queries_, kDimension, number);
  }

  void run_scan(Form form, const std::string& name) {
    const VectorArray array = array_of(rows_, Metric::l2, form);
    SearchWorkspace work(array);
    Measurement measured = begin(name + ", " + std::to_string(count_) + " vectors",
                                 "adding up the same memory as 64-bit words");
    measured.target = Target{Target::Kind::at_most, 1.5};
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round <= rounds_; ++round) {
      const Cost ours = measure(1, Cpu::thread, [&] {
        work.query.prepare(query(round % kQueries));
        sum += scan(array, work, kNearest, AcceptAll{}).front().slot;
      });
      const Cost floor = measure(1, Cpu::thread, [&] { sum += read_all(array.raw_vectors()); });
      if (round == 0) continue;
      measured.ours.push_back(ours);
      measured.floor.push_back(floor);
    }
    require(sum != 0, "nothing was read");
    print(measured, folder_);
  }

  static Measurement begin(std::string name, std::string_view floor_is) {
    return {.bench = "vector_scan",
            .name = std::move(name),
            .operation = "query",
            .floor_is = floor_is,
            .target = {},
            .cpu_target = {},
            .ours = {},
            .floor = {},
            .also = {}};
  }

  void run_filters() {
    const VectorArray array = array_of(rows_, Metric::l2, Form::codes);
    HnswGraph graph({});
    (void)graph.add(array, array.size(), 2);
    SearchWorkspace work(array);
    for (const std::size_t ef : {20U, 100U}) {
      for (const std::size_t per_thousand : {1000U, 500U, 300U, 200U, 100U, 50U, 20U, 5U}) {
        run_filter(array, graph, work, ef, per_thousand);
      }
    }
  }

  /// A filter that knows nothing of distances.
  void run_filter(const VectorArray& array, const HnswGraph& graph, SearchWorkspace& work,
                  std::size_t ef, std::size_t per_thousand) {
    std::vector<char> is_in(count_);
    std::vector<Slot> matching;
    for (Slot slot = 0; slot < count_; ++slot) {
      is_in[slot] = (slot * 2654435761U >> 8U) % 1000 < per_thousand ? 1 : 0;
      if (is_in[slot] != 0) matching.push_back(slot);
    }
    Measurement measured = begin("graph, filter of " + std::to_string(per_thousand) +
                                     " in 1000, ef " + std::to_string(ef),
                                 "scan of the codes that match");
    std::size_t found = 0;
    for (std::size_t round = 0; round <= rounds_; ++round) {
      measured.ours.push_back(measure(kQueries, Cpu::thread, [&] {
        for (std::size_t i = 0; i < kQueries; ++i) {
          work.query.prepare(query(i));
          found += search_graph(graph, array, work, ef,
                                [&](Slot slot) { return is_in[slot] != 0; }).size();
        }
      }));
      measured.floor.push_back(measure(kQueries, Cpu::thread, [&] {
        for (std::size_t i = 0; i < kQueries; ++i) {
          work.query.prepare(query(i));
          found += scan_slots(array, work, matching, ef).size();
        }
      }));
    }
    require(found > 0, "nothing was found");
    measured.also = {{"should_scan", should_scan(matching.size(), count_, ef) ? 1.0 : 0.0}};
    print(measured, folder_);
  }

  void run_recall() {
    constexpr std::size_t kVectors = 20'000;
    for (const tests::Difficulty& difficulty : tests::kDifficulties) {
      const tests::Clustered clustered{.centres = 200, .noise = 1};
      const auto rows = tests::make_difficult(clustered, difficulty, kVectors, 0);
      const auto queries = tests::make_difficult(clustered, difficulty, 100, 1);
      for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
        print_recall(difficulty.name, rows, queries, metric);
      }
    }
  }

  /// The share of the true ten nearest that the first candidates by codes hold.
  static void print_recall(std::string_view name, const std::vector<float>& rows,
                           const std::vector<float>& queries, Metric metric) {
    constexpr std::size_t kCounts[] = {10, 13, 18, 30, 50};
    const VectorArray floats = array_of(rows, metric, Form::floats);
    const VectorArray codes = array_of(rows, metric, Form::codes);
    HnswGraph graph({});
    (void)graph.add(codes, codes.size(), 2);
    SearchWorkspace exact_work(floats);
    SearchWorkspace work(codes);
    double hits[std::size(kCounts)] = {};
    double by_graph = 0;
    const std::size_t count = queries.size() / kDimension;
    for (std::size_t i = 0; i < count; ++i) {
      exact_work.query.prepare(tests::row(queries, kDimension, i));
      work.query.prepare(tests::row(queries, kDimension, i));
      const auto exact = scan(floats, exact_work, kNearest, AcceptAll{});
      const auto share = [&](std::span<const Candidate> found) {
        std::size_t sum = 0;
        for (const Candidate& one : exact) {
          for (const Candidate& other : found) sum += one.slot == other.slot ? 1U : 0U;
        }
        return static_cast<double>(sum) / static_cast<double>(kNearest * count);
      };
      const auto found = scan(codes, work, kCounts[std::size(kCounts) - 1], AcceptAll{});
      for (std::size_t j = 0; j < std::size(kCounts); ++j) {
        hits[j] += share(found.first(kCounts[j]));
      }
      by_graph += share(search_graph(graph, codes, work, 64, AcceptAll{}));
    }
    core::JsonWriter line;
    line.string("bench", "vector_scan")
        .string("case", "recall@10 of codes, " + std::string(name))
        .string("metric", to_string(metric));
    for (std::size_t j = 0; j < std::size(kCounts); ++j) {
      line.real("of_" + std::to_string(kCounts[j]), hits[j]);
    }
    line.real("graph_ef_64", by_graph);
    std::printf("%s\n", line.finish().c_str());
    std::fflush(stdout);
  }

  std::size_t rounds_;
  std::size_t count_;
  Folder folder_;
  std::vector<float> rows_;
  std::vector<float> queries_;
};

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  const holdfast::bench::Arguments arguments(argc, argv, {{"rounds", 9}, {"vectors", 100'000}});
  try {
    holdfast::bench::Bench(arguments["rounds"], arguments["vectors"]).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_vector_scan: %s\n", error.what());
    return 1;
  }
}
