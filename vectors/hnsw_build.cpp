#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <faiss/impl/AuxIndexStructures.h>
#include <faiss/impl/DistanceComputer.h>
#include <faiss/impl/HNSW.h>

#include "hnsw_graph.h"
#include "prepared_query.h"

namespace holdfast::vectors {
namespace {

/// The distances that FAISS builds by.
class SlotDistances final : public faiss::DistanceComputer {
 public:
  explicit SlotDistances(const VectorArray& array) : array_(array), query_(array) {}

  void prepare(Slot slot) { query_.prepare(array_, slot); }
  void set_query(const float* vector) override { query_.prepare({vector, array_.dimension()}); }
  float operator()(std::int64_t slot) override {
    return query_.comparable(array_, static_cast<Slot>(slot));
  }
  float symmetric_dis(std::int64_t a, std::int64_t b) override {
    return array_.comparable(static_cast<Slot>(a), static_cast<Slot>(b));
  }

 private:
  const VectorArray& array_;
  PreparedQuery query_;
};

/// One for each slot, as FAISS wants them.
class Locks {
 public:
  explicit Locks(std::size_t count) : locks_(count) {
    for (omp_lock_t& lock : locks_) omp_init_lock(&lock);
  }
  ~Locks() {
    for (omp_lock_t& lock : locks_) omp_destroy_lock(&lock);
  }
  Locks(const Locks&) = delete;
  Locks& operator=(const Locks&) = delete;

  std::vector<omp_lock_t>& all() { return locks_; }

 private:
  std::vector<omp_lock_t> locks_;
};

/// FAISS's array back as a plain one; later versions wrap it.
template <typename Array, typename T>
void give_back(Array& from, std::vector<T>& to) {
  if constexpr (requires { from.owned_data; }) {
    to = std::move(from.owned_data);
  } else {
    to = std::move(from);
  }
}

/// Adds slots in a given order, from several threads.
class Builder {
 public:
  Builder(faiss::HNSW& graph, const VectorArray& array, const std::vector<Slot>& order,
          const BuildControl& control)
      : graph_(graph), array_(array), order_(order), control_(control), locks_(graph.levels.size()) {}

  bool run(std::size_t threads) {
    // FAISS sets entry point and uppermost level without a lock: slots that raise them go alone.
    SlotDistances distances(array_);
    faiss::VisitedTable visited(static_cast<int>(graph_.levels.size()));
    while (next_ < order_.size() && levels(order_[next_]) > graph_.max_level) {
      add(order_[next_++], distances, visited);
    }
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back([this] { work_aside(); });
    try {
      work(distances, visited, control_);
    } catch (...) {
      fail();
    }
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
    return !stopped_;
  }

 private:
  static constexpr std::size_t kBetweenControls = 64;

  int levels(Slot slot) const { return graph_.levels[slot] - 1; }

  void add(Slot slot, SlotDistances& distances, faiss::VisitedTable& visited) {
    distances.prepare(slot);
    graph_.add_with_locks(distances, levels(slot), static_cast<int>(slot), locks_.all(), visited);
  }

  void work(SlotDistances& distances, faiss::VisitedTable& visited, const BuildControl& control) {
    for (std::size_t mine = 1; !stopped_; ++mine) {
      const std::size_t next = next_++;
      if (next >= order_.size()) return;
      add(order_[next], distances, visited);
      if (control && mine % kBetweenControls == 0 && !control(std::min(next_.load(), order_.size()))) {
        stopped_ = true;
      }
    }
  }

  void work_aside() noexcept {
    try {
      SlotDistances distances(array_);
      faiss::VisitedTable visited(static_cast<int>(graph_.levels.size()));
      work(distances, visited, {});
    } catch (...) {
      fail();
    }
  }

  void fail() noexcept {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    stopped_ = true;
  }

  faiss::HNSW& graph_;
  const VectorArray& array_;
  const std::vector<Slot>& order_;
  const BuildControl& control_;
  Locks locks_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

bool HnswGraph::add(const VectorArray& array, std::size_t last, std::size_t threads,
                    const BuildControl& control) {
  const std::size_t first = size();
  if (last <= first) return true;
  append_slots(last);
  const std::vector<Slot> order = order_of(first);

  faiss::HNSW graph(parameters_.m);
  graph.cum_nneighbor_per_level.clear();
  // FAISS's own table ends where levels get improbable; ours do not end there.
  for (int level = 0; level <= 33; ++level) {
    graph.cum_nneighbor_per_level.push_back(level == 0 ? 0 : (level + 1) * parameters_.m);
  }
  graph.efConstruction = parameters_.ef_construction;
  graph.levels = std::move(levels_);
  graph.offsets = std::move(offsets_);
  graph.neighbors = std::move(neighbors_);
  graph.entry_point = entry_point_;
  graph.max_level = max_level_;
  Builder builder(graph, array, order, control);
  const bool finished = builder.run(threads);
  give_back(graph.levels, levels_);
  give_back(graph.offsets, offsets_);
  give_back(graph.neighbors, neighbors_);
  entry_point_ = graph.entry_point;
  max_level_ = graph.max_level;
  return finished;
}

}  // namespace holdfast::vectors
