// Distinct counts over a power-law graph: from memory against a bare CSR, from SQL against prepared
// statements in C; and what a write costs while the graph is in memory.

#include <cstdio>
#include <exception>
#include <memory>

#include "floor.h"
#include "power_law.h"
#include "sample.h"
#include "support.h"

namespace holdfast::bench {
namespace {

struct CloseTraverser {
  void operator()(FloorTraverser* floor) const { floor_traverser_close(floor); }
};

TraversalOptions options_of(unsigned hops, GraphSource source) {
  TraversalOptions options;
  options.hops_max = hops;
  options.per_hop_max = 10'000'000;
  options.edges_max = 1'000'000'000;
  options.source = source;
  return options;
}

/// Searches of one depth from the same starts.
struct Searches {
  unsigned hops = 1;
  std::size_t count = 0;
  std::string name(const std::string& of) const {
    return std::to_string(hops) + (hops == 1 ? " hop, " : " hops, ") + of;
  }
};

Measurement begin(std::string name, std::string_view floor_is, double target) {
  return {.bench = "traversal",
          .name = std::move(name),
          .operation = "search",
          .floor_is = floor_is,
          .target = Target{Target::Kind::at_most, target},
          .cpu_target = {},
          .ours = {},
          .floor = {},
          .also = {}};
}

class Bench {
 public:
  Bench(std::size_t rounds, std::size_t nodes, std::size_t links)
      : rounds_(rounds), graph_(make_power_law(nodes, links, 42)), csr_(graph_) {
    ids_ = write_nodes(path_, nodes);
    store_ = Store::open(options_for(path_, storage::Durability::normal));
    space_ = std::make_unique<Space>(store_->space(kSpace, kActor));
  }

  void run() {
    const std::span<const PowerLaw::Link> links(graph_.links);
    const std::size_t tenth = links.size() / 10;
    write_links(*space_, ids_, links.first(links.size() - tenth));
    load();
    write_links(*space_, ids_, links.last(tenth));
    const Cost taken_in = measure(tenth, Cpu::thread, [&] { load(); });
    require(space_->adjacency_status().delta_edges == tenth, "the delta is not a tenth");
    for (const Searches& searches : kSearches) {
      run_memory(searches, "a tenth in the delta", 3, {{"catch_up_us_per_edge", taken_in.wall_us}});
    }
    run_memory_one_by_one("a tenth in the delta", 3);
    space_->unload_adjacency();
    const Cost loading = measure(1, Cpu::thread, [&] { load(); });
    require(space_->adjacency_status().delta_edges == 0, "the delta is not empty");
    for (const Searches& searches : kSearches) {
      run_memory(searches, "empty delta", 2, {{"load_s", loading.wall_us / 1e6}});
    }
    run_memory_one_by_one("empty delta", 2);
    for (const Searches& searches : kSqlSearches) run_sql(searches);
    run_writes();
  }

 private:
  static constexpr Searches kSearches[] = {{1, 10'000}, {2, 2'000}, {3, 100}};
  static constexpr Searches kSqlSearches[] = {{1, 5'000}, {2, 200}, {3, 10}};

  void load() const {
    (void)space_->count_reachable(ids_.front(), options_of(1, GraphSource::memory));
  }
  std::vector<EntityId> starts(std::size_t count) const {
    std::vector<EntityId> chosen;
    for (std::size_t i = 1; i <= count; ++i) chosen.push_back(ids_[scattered(i, ids_.size())]);
    return chosen;
  }
  std::size_t sum_of(const std::vector<ReachCount>& counts) const {
    std::size_t sum = 0;
    for (const ReachCount& count : counts) {
      require(count.complete(), "a search was cut");
      sum += count.entities;
    }
    return sum;
  }
  std::size_t floor_sum(const Searches& searches) {
    std::size_t sum = 0;
    for (std::size_t i = 1; i <= searches.count; ++i) {
      sum += csr_.reach(static_cast<std::uint32_t>(scattered(i, ids_.size())), searches.hops);
    }
    return sum;
  }

  void run_memory(const Searches& searches, const std::string& of, double target,
                  std::vector<std::pair<std::string, double>> also) {
    auto measured = begin(searches.name(of), "bare CSR, one stamp a node", target);
    const auto options = options_of(searches.hops, GraphSource::memory);
    const auto chosen = starts(searches.count);
    std::size_t reached = 0;
    for (std::size_t round = 0; round <= rounds_; ++round) {
      std::size_t ours = 0;
      std::size_t its = 0;
      const Cost our_cost = measure(searches.count, Cpu::thread, [&] {
        ours = sum_of(space_->count_reachable(chosen, options));
      });
      const Cost its_cost =
          measure(searches.count, Cpu::thread, [&] { its = floor_sum(searches); });
      require(ours == its, "the floor counted otherwise");
      reached = ours;
      if (round == 0) continue;
      measured.ours.push_back(our_cost);
      measured.floor.push_back(its_cost);
    }
    const auto status = space_->adjacency_status();
    measured.also = std::move(also);
    measured.also.insert(
        measured.also.end(),
        {{"reached_per_search",
          static_cast<double>(reached) / static_cast<double>(searches.count)},
         {"edges", static_cast<double>(status.edges)},
         {"delta_edges", static_cast<double>(status.delta_edges)},
         {"bytes_per_edge", status.bytes_per_edge}});
    print(measured, folder_);
  }

  /// A call for each start.
  void run_memory_one_by_one(const std::string& of, double target) {
    for (const Searches& searches : kSearches) {
      auto measured =
          begin(searches.name(of) + ", a call each", "bare CSR, one stamp a node", target);
      const auto options = options_of(searches.hops, GraphSource::memory);
      const auto chosen = starts(searches.count);
      for (std::size_t round = 0; round <= rounds_; ++round) {
        std::size_t ours = 0;
        std::size_t its = 0;
        const Cost our_cost = measure(searches.count, Cpu::thread, [&] {
          for (const EntityId start : chosen) {
            ours += space_->count_reachable(start, options).entities;
          }
        });
        const Cost its_cost =
            measure(searches.count, Cpu::thread, [&] { its = floor_sum(searches); });
        require(ours == its, "the floor counted otherwise");
        if (round == 0) continue;
        measured.ours.push_back(our_cost);
        measured.floor.push_back(its_cost);
      }
      print(measured, folder_);
    }
  }

  void run_sql(const Searches& searches) {
    const std::unique_ptr<FloorTraverser, CloseTraverser> floor(
        floor_traverser_open(path_.c_str(), kSpace));
    auto measured = begin(searches.name("SQL"), "C program, prepared statement", 1.3);
    const auto options = options_of(searches.hops, GraphSource::sql);
    const auto chosen = starts(searches.count);
    for (std::size_t round = 0; round <= rounds_; ++round) {
      std::size_t ours = 0;
      std::size_t its = 0;
      const Cost our_cost = measure(searches.count, Cpu::thread, [&] {
        ours = sum_of(space_->count_reachable(chosen, options));
      });
      const Cost its_cost = measure(searches.count, Cpu::thread, [&] {
        floor_traverser_begin(floor.get());
        for (const EntityId start : chosen) {
          its += floor_reach(floor.get(), start.uuid.bytes.data(), searches.hops);
        }
        floor_traverser_end(floor.get());
      });
      require(ours == its, "the floor counted otherwise");
      if (round == 0) continue;
      measured.ours.push_back(our_cost);
      measured.floor.push_back(its_cost);
    }
    print(measured, folder_);
  }

  /// New edges of a relation of their own, one write each.
  Cost write_edges(std::size_t count, bool searches_between) {
    return measure(count, Cpu::thread, [&] {
      for (std::size_t i = 0; i < count; ++i) {
        Edge edge;
        edge.source = ids_[scattered(++written_, ids_.size())];
        edge.relation = "wrote " + std::to_string(written_);
        edge.target = ids_[scattered(written_ + 7, ids_.size())];
        require(space_->edges().insert_if_absent(edge).applied(), "an edge was refused");
        if (searches_between) load();
      }
    });
  }

  void run_writes() {
    constexpr std::size_t kWrites = 500;
    auto measured = begin("edge write, loaded", "the same write, not loaded", 1.1);
    measured.operation = "write";
    double searched_us = 0;
    for (std::size_t round = 0; round <= rounds_; ++round) {
      load();
      const Cost loaded = write_edges(kWrites, false);
      searched_us = write_edges(kWrites, true).wall_us;
      space_->unload_adjacency();
      const Cost unloaded = write_edges(kWrites, false);
      if (round == 0) continue;
      measured.ours.push_back(loaded);
      measured.floor.push_back(unloaded);
    }
    measured.also = {{"write_and_search_us", searched_us}};
    print(measured, folder_);
  }

  std::size_t rounds_;
  Folder folder_;
  std::filesystem::path path_ = folder_.file("traversal.db");
  PowerLaw graph_;
  BareCsr csr_;
  std::vector<EntityId> ids_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Space> space_;
  std::size_t written_ = 0;
};

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  const holdfast::bench::Arguments arguments(
      argc, argv, {{"rounds", 7}, {"nodes", 100'000}, {"edges", 1'000'000}});
  try {
    holdfast::bench::Bench(arguments["rounds"], arguments["nodes"], arguments["edges"]).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_traversal: %s\n", error.what());
    return 1;
  }
}
