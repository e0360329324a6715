// Building and searching the vector index beside FAISS's own graph over floats, at equal recall.

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <optional>

#include <holdfast/core/json_text.h>

#include "floor_hnsw.h"
#include "support.h"
#include "tests/support/clustered.h"
#include "vector_rows.h"
#include "vectors/flat_scan.h"
#include "vectors/graph_search.h"
#include "vectors/strays.h"

namespace holdfast::bench {
namespace {

using namespace vectors;

constexpr std::size_t kDimension = 384;
constexpr std::size_t kNearest = 10;
constexpr Metric kMetric = Metric::l2;

double resident_bytes() {
  malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Those of `true_` that are in `found`.
std::size_t hits(std::span<const long> found, std::span<const long> true_) {
  std::size_t count = 0;
  for (const long one : found) {
    count += std::find(true_.begin(), true_.end(), one) != true_.end() ? 1U : 0U;
  }
  return count;
}

/// Recall and the times of searches, one for each query.
struct Run {
  double recall = 0;
  std::vector<double> us;
  double at(double share) const {
    std::vector<double> sorted = us;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  }
};

using Found = std::span<long>;
/// Finds the nearest of query `number`.
using Search = std::function<void(std::size_t number, Found found)>;

class Bench {
 public:
  Bench(std::size_t rounds, std::size_t count, std::size_t threads, std::size_t noise_percent,
        std::size_t ef_construction)
      : rounds_(rounds), threads_(threads), array_(kDimension, kMetric, Form::codes),
        graph_({.m = 16, .ef_construction = static_cast<int>(ef_construction), .seed = 1}),
        floor_(kDimension, 16, static_cast<int>(ef_construction)) {
    const tests::Clustered clustered{
        .noise = static_cast<float>(noise_percent) / 100, .seed = 42};
    rows_ = clustered.make(count, 0);
    queries_ = clustered.make(kQueries, 1);
    find_true();
  }

  void run() {
    build();
    work_.emplace(array_);
    database_.emplace(folder_.file("vectors.db"), rows_, kDimension);
    for (const double recall : {0.96, 0.99}) {
      const auto memory = [this](std::size_t slot) { return row(slot); };
      const auto number = [this](std::size_t slot) { return database_->read_by_number(slot); };
      const auto key = [this](std::size_t slot) { return database_->read_by_key(slot); };
      compare(recall, "rows in memory", memory, false);
      compare(recall, "rows in a table by number", number, true);
      compare(recall, "rows in a table by key", key, true);
    }
  }

 private:
  static constexpr std::size_t kQueries = 1000;
  static constexpr std::size_t kEfs[] = {10, 12, 14, 16, 18, 20, 22, 24, 28, 32, 36, 40,
                                         44, 48, 52, 56, 64, 80, 96, 128, 160, 192, 256};

  std::span<const float> row(std::size_t slot) const { return tests::row(rows_, kDimension, slot); }
  std::span<const float> query(std::size_t number) const {
    return tests::row(queries_, kDimension, number);
  }
  std::size_t count() const { return rows_.size() / kDimension; }

  void find_true() {
    VectorArray floats(kDimension, kMetric, Form::floats);
    floats.reserve(count());
    for (std::size_t i = 0; i < count(); ++i) floats.add(row(i));
    SearchWorkspace work(floats);
    for (std::size_t i = 0; i < kQueries; ++i) {
      work.query.prepare(query(i));
      for (const auto& found : scan(floats, work, kNearest, AcceptAll{})) {
        true_.push_back(static_cast<long>(found.slot));
      }
    }
  }

  void build() {
    const double before = resident_bytes();
    const Cost ours = measure(count(), Cpu::process, [&] {
      array_.reserve(count());
      for (std::size_t i = 0; i < count(); ++i) array_.add(row(i));
      (void)graph_.add(array_, count(), threads_);
    });
    const double between = resident_bytes();
    const Cost floor = measure(count(), Cpu::process,
                               [&] { floor_.build(rows_, static_cast<int>(threads_)); });
    const double after = resident_bytes();
    std::size_t strays = 0;
    const Cost checking = measure(
        count(), Cpu::process,
        [&] { strays = find_strays(graph_, array_, 64, threads_).size(); });
    print({.bench = "vectors",
           .name = "build",
           .operation = "vector",
           .floor_is = "FAISS HNSW over floats, kernel for this machine",
           .target = Target{Target::Kind::at_most, 0.5},
           .cpu_target = Target{Target::Kind::at_most, 0.5},
           .ours = {ours},
           .floor = {floor},
           .also = {{"threads", static_cast<double>(threads_)},
                    {"resident_bytes_per_vector",
                     (between - before) / static_cast<double>(count())},
                    {"floor_resident_bytes_per_vector",
                     (after - between) / static_cast<double>(count())},
                    {"resident_ratio", (between - before) / (after - between)},
                    {"find_strays_us", checking.wall_us},
                    {"strays", static_cast<double>(strays)}}},
          folder_);
  }

  Run run_all(const Search& search) const {
    Run run;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < kQueries; ++i) {
      long found[kNearest];
      const auto start = std::chrono::steady_clock::now();
      search(i, found);
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - start;
      run.us.push_back(took.count());
      sum += hits(found, std::span(true_).subspan(i * kNearest, kNearest));
    }
    run.recall = static_cast<double>(sum) / static_cast<double>(kQueries * kNearest);
    return run;
  }

  /// The least ef that reaches the recall.
  std::size_t ef_for(double recall, const std::function<Search(std::size_t)>& with) const {
    for (const std::size_t ef : kEfs) {
      if (run_all(with(ef)).recall >= recall) return ef;
    }
    require(false, "no ef reaches the recall");
    return 0;
  }

  template <typename Read>
  Search ours(std::size_t ef, const Read& read, bool in_transaction) {
    return [this, ef, read, in_transaction](std::size_t number, Found found) {
      if (in_transaction) database_->begin();
      work_->query.prepare(query(number));
      const auto candidates = search_graph(graph_, array_, *work_, ef, AcceptAll{});
      const std::size_t first = std::min(candidates.size(), rerank_count(kNearest));
      Nearest nearest(kNearest, exact_);
      for (const Candidate& candidate : candidates.first(first)) {
        nearest.offer({distance(kMetric, query(number), read(candidate.slot)), candidate.slot});
      }
      nearest.finish();
      for (std::size_t i = 0; i < found.size(); ++i) {
        found[i] = static_cast<long>(exact_[i].slot);
      }
      if (in_transaction) database_->end();
    };
  }
  Search floors(std::size_t ef) const {
    return [this, ef](std::size_t number, Found found) { floor_.search(query(number), ef, found); };
  }

  template <typename Read>
  void compare(double recall, const std::string& where, const Read& read, bool in_transaction) {
    const std::size_t our_ef =
        ef_for(recall, [&](std::size_t ef) { return ours(ef, read, in_transaction); });
    const std::size_t its_ef = ef_for(recall, [&](std::size_t ef) { return floors(ef); });
    std::vector<double> p99;
    std::vector<double> floor_p99;
    Measurement measured{.bench = "vectors",
                         .name = "query at recall " + std::to_string(recall).substr(0, 4) + ", " +
                                 where,
                         .operation = "query",
                         .floor_is = "FAISS HNSW over floats, kernel for this machine; p50s",
                         .target = Target{Target::Kind::at_most, 1 / 1.8},
                         .cpu_target = {},
                         .ours = {},
                         .floor = {},
                         .also = {}};
    double our_recall = 0;
    double its_recall = 0;
    for (std::size_t round = 0; round < rounds_; ++round) {
      const Run mine = run_all(ours(our_ef, read, in_transaction));
      const Run its = run_all(floors(its_ef));
      measured.ours.push_back({.wall_us = mine.at(0.5), .cpu_us = 0});
      measured.floor.push_back({.wall_us = its.at(0.5), .cpu_us = 0});
      p99.push_back(mine.at(0.99));
      floor_p99.push_back(its.at(0.99));
      our_recall = mine.recall;
      its_recall = its.recall;
    }
    measured.also = {{"p99_us", median(p99)},
                     {"floor_p99_us", median(floor_p99)},
                     {"ef", static_cast<double>(our_ef)},
                     {"floor_ef", static_cast<double>(its_ef)},
                     {"recall", our_recall},
                     {"floor_recall", its_recall},
                     {"rows_read", static_cast<double>(std::min(our_ef, rerank_count(kNearest)))}};
    print(measured, folder_);
  }

  std::size_t rounds_;
  std::size_t threads_;
  Folder folder_;
  std::vector<float> rows_;
  std::vector<float> queries_;
  std::vector<long> true_;
  VectorArray array_;
  HnswGraph graph_;
  FloorHnsw floor_;
  std::optional<SearchWorkspace> work_;
  std::optional<VectorRows> database_;
  std::vector<Candidate> exact_;
};

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  const holdfast::bench::Arguments arguments(argc, argv,
                                             {{"rounds", 5},
                                              {"vectors", 100'000},
                                              {"threads", 2},
                                              {"noise-percent", 100},
                                              {"ef-construction", 100}});
  try {
    holdfast::bench::Bench(arguments["rounds"], arguments["vectors"], arguments["threads"],
                           arguments["noise-percent"], arguments["ef-construction"])
        .run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_vectors: %s\n", error.what());
    return 1;
  }
}
