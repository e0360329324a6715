// Building by the search that searches use too: it looks at a whole list of neighbours at once, so
// that memory is not waited for at each, and it knows of vectors that are equal.

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "graph_search.h"
#include "hnsw_graph.h"

namespace holdfast::vectors {
/// The arrays of a graph while several threads add to it. A list is written under its slot's lock;
/// it is read without one, neighbour by neighbour: whoever reads while it changes meets some of the
/// old and some of the new.
class HnswGraph::Growing {
 public:
  explicit Growing(HnswGraph& graph) : graph_(graph), locks_(kLocks) {}

  class Edges {
   public:
    Edges(const Growing& growing, int level) : growing_(growing), level_(level) {}
    template <typename Function>
    void for_each(Slot slot, Function function) const {
      for (std::int32_t& entry : growing_.list(slot, level_)) {
        const std::int32_t neighbor = std::atomic_ref(entry).load(std::memory_order_relaxed);
        if (neighbor < 0) return;
        function(static_cast<Slot>(neighbor));
      }
    }

    /// They are as far away, and have no edges.
    template <typename Function>
    void for_each_equal(Slot /*slot*/, Function /*function*/) const {}

   private:
    const Growing& growing_;
    int level_;
  };

  std::span<std::int32_t> list(Slot slot, int level) const {
    const auto list = std::as_const(graph_).neighbors(slot, level);
    return {const_cast<std::int32_t*>(list.data()), list.size()};
  }
  /// Hangs `slot` behind `first`, under whose lock this is.
  void chain(Slot first, Slot slot) {
    std::int32_t& last = list(first, 0).back();
    list(slot, 0).back() = last < -1 ? last : -1;
    std::atomic_ref(last).store(-2 - static_cast<std::int32_t>(slot), std::memory_order_relaxed);
  }
  int level(Slot slot) const { return graph_.level(slot); }
  std::size_t size() const { return graph_.size(); }
  std::size_t ef() const { return static_cast<std::size_t>(graph_.parameters_.ef_construction); }
  std::mutex& lock_of(Slot slot) { return locks_[slot % kLocks]; }

  struct Top {
    std::int32_t entry_point;
    int level;
  };
  Top top() {
    const std::scoped_lock lock(top_);
    return {graph_.entry_point_, graph_.max_level_};
  }
  void raise_top(Slot slot) {
    const std::scoped_lock lock(top_);
    if (level(slot) <= graph_.max_level_) return;
    graph_.max_level_ = level(slot);
    graph_.entry_point_ = static_cast<std::int32_t>(slot);
  }

 private:
  static constexpr std::size_t kLocks = 4096;  // slots share them; a thread holds one at a time

  HnswGraph& graph_;
  std::vector<std::mutex> locks_;
  std::mutex top_;
};

namespace {

/// Adds one slot at a time.
template <typename Growing>
class Inserter {
 public:
  Inserter(Growing& growing, const VectorArray& array)
      : growing_(growing), array_(array), work_(array) {}

  void insert(Slot slot) {
    const auto top = growing_.top();
    if (top.entry_point >= 0) {
      if (!choose_neighbors(slot, top.level, static_cast<Slot>(top.entry_point))) return;
      for (int level = 0; level <= std::min(top.level, growing_.level(slot)); ++level) {
        link(slot, level);
      }
    }
    growing_.raise_top(slot);
  }

 private:
  using Edges = typename Growing::Edges;

  /// Fills `mine_` for each of the slot's levels. False when the slot hangs on an equal one.
  bool choose_neighbors(Slot slot, int top_level, Slot entry_point) {
    work_.query.prepare(array_, slot);
    Candidate at{work_.query.comparable(array_, entry_point), entry_point};
    for (int level = top_level; level >= 0; --level) {
      const Edges edges(growing_, level);
      if (level > growing_.level(slot)) {
        at = walk_nearer(edges, array_, work_.query, at);
        continue;
      }
      LevelSearch search(edges, array_, growing_.size(), work_, growing_.ef(), at, AcceptAll{});
      while (search.step()) {
      }
      if (hangs_on_equal(slot)) return false;
      candidates_.clear();
      for (const Candidate& found : work_.nearest) {
        if (found.slot != slot) candidates_.push_back(found);
      }
      at = *std::min_element(work_.nearest.begin(), work_.nearest.end());
      const auto on = static_cast<std::size_t>(level);
      if (mine_.size() <= on) mine_.resize(on + 1);
      choose(growing_.list(slot, level).size(), mine_[on]);
    }
    return true;
  }

  bool hangs_on_equal(Slot slot) {
    const float own = work_.query.comparable(array_, slot);
    for (const Candidate& found : work_.nearest) {
      if (found.distance != own || found.slot == slot) continue;
      if (!array_.are_equal(found.slot, slot)) continue;
      const std::scoped_lock lock(growing_.lock_of(found.slot));
      growing_.chain(found.slot, slot);
      return true;
    }
    return false;
  }

  void link(Slot slot, int level) {
    const std::vector<Candidate>& mine = mine_[static_cast<std::size_t>(level)];
    {
      const std::scoped_lock lock(growing_.lock_of(slot));
      write(growing_.list(slot, level), mine);
    }
    for (const Candidate& neighbor : mine) {
      link_back(neighbor.slot, slot, level, neighbor.distance);
    }
  }

  void link_back(Slot from, Slot to, int level, float distance) {
    const std::scoped_lock lock(growing_.lock_of(from));
    std::span<std::int32_t> list = growing_.list(from, level);
    if (list.back() < -1) list = list.first(list.size() - 1);  // the last place is taken
    const auto end = std::find(list.begin(), list.end(), -1);
    if (end != list.end()) {
      std::atomic_ref(*end).store(static_cast<std::int32_t>(to), std::memory_order_relaxed);
      return;
    }
    candidates_.assign(1, {distance, to});
    for (const std::int32_t neighbor : list) {
      PreparedQuery::prefetch(array_, static_cast<Slot>(neighbor));
    }
    for (const std::int32_t neighbor : list) {
      const auto other = static_cast<Slot>(neighbor);
      candidates_.push_back({array_.comparable(from, other), other});
    }
    choose(list.size(), chosen_);
    write(list, chosen_);
  }

  /// Of the candidates the nearest, but none that lies nearer to one that is chosen already: so
  /// edges lead every way (Malkov and Yashunin, arXiv:1603.09320, algorithm 4).
  void choose(std::size_t most, std::vector<Candidate>& chosen) {
    std::sort(candidates_.begin(), candidates_.end());
    chosen.clear();
    for (const Candidate& candidate : candidates_) {
      if (chosen.size() == most) return;
      const auto covers = [&](const Candidate& other) {
        return array_.comparable(candidate.slot, other.slot) < candidate.distance;
      };
      if (std::none_of(chosen.begin(), chosen.end(), covers)) chosen.push_back(candidate);
    }
  }

  static void write(std::span<std::int32_t> list, const std::vector<Candidate>& chosen) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto slot = i < chosen.size() ? static_cast<std::int32_t>(chosen[i].slot) : -1;
      std::atomic_ref(list[i]).store(slot, std::memory_order_relaxed);
    }
  }

  Growing& growing_;
  const VectorArray& array_;
  SearchWorkspace work_;
  std::vector<Candidate> candidates_;
  std::vector<std::vector<Candidate>> mine_;  ///< of the slot that is being added, by level
  std::vector<Candidate> chosen_;
};

/// Adds slots in a given order, from several threads.
template <typename Growing>
class Builder {
 public:
  Builder(Growing& growing, const VectorArray& array, const std::vector<Slot>& order,
          const BuildControl& control)
      : growing_(growing), array_(array), order_(order), control_(control) {}

  bool run(std::size_t threads) {
    // Those that raise the top go alone, so that there is one way down.
    Inserter inserter(growing_, array_);
    while (next_ < order_.size() && growing_.level(order_[next_]) > growing_.top().level) {
      inserter.insert(order_[next_++]);
    }
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back([this] { work_aside(); });
    try {
      work(inserter, control_);
    } catch (...) {
      fail();
    }
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
    return !stopped_;
  }

 private:
  static constexpr std::size_t kBetweenControls = 64;

  void work(Inserter<Growing>& inserter, const BuildControl& control) {
    for (std::size_t mine = 1; !stopped_; ++mine) {
      const std::size_t next = next_++;
      if (next >= order_.size()) return;
      inserter.insert(order_[next]);
      if (!control || mine % kBetweenControls != 0) continue;
      if (!control(std::min(next_.load(), order_.size()))) stopped_ = true;
    }
  }

  void work_aside() noexcept {
    try {
      Inserter inserter(growing_, array_);
      work(inserter, {});
    } catch (...) {
      fail();
    }
  }

  void fail() noexcept {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    stopped_ = true;
  }

  Growing& growing_;
  const VectorArray& array_;
  const std::vector<Slot>& order_;
  const BuildControl& control_;
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
  Growing growing(*this);
  return Builder<Growing>(growing, array, order, control).run(threads);
}

}  // namespace holdfast::vectors
