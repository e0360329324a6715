#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "prepared_query.h"
#include "search_workspace.h"

namespace holdfast::vectors {

/// How many of the first candidates by codes are to be made exact so that the `count` nearest are
/// among them: errors swap only those next to each other.
inline std::size_t rerank_count(std::size_t count) {
  return count + std::max<std::size_t>(3, count / 4);
}

/// The `count` least of the candidates that are offered, in any order.
/// Thread safety: none.
template <typename Before = std::less<>>
class Nearest {
 public:
  /// `before` puts candidates in order; the default's ties are by slot. `kept` is emptied and used.
  Nearest(std::size_t count, std::vector<Candidate>& kept, Before before = {})
      : count_(count), kept_(kept), before_(before) {
    kept_.clear();
  }

  void offer(const Candidate& candidate) {
    if (kept_.size() == count_) {
      if (count_ == 0 || !before_(candidate, kept_.front())) return;
      std::pop_heap(kept_.begin(), kept_.end(), before_);
      kept_.pop_back();
    }
    kept_.push_back(candidate);
    std::push_heap(kept_.begin(), kept_.end(), before_);
  }

  void finish() { std::sort_heap(kept_.begin(), kept_.end(), before_); }

 private:
  std::size_t count_;
  std::vector<Candidate>& kept_;
  Before before_;
};

/// The `count` slots of `array` nearest to `work.query` among those that `accepts(slot)` is true
/// of, nearest first: exact for floats; by estimates, from codes. The span lies in `work`.
template <typename Accepts, typename Before = std::less<>>
std::span<const Candidate> scan(const VectorArray& array, SearchWorkspace& work,
                                std::size_t count, Accepts accepts, Before before = {}) {
  Nearest<Before> nearest(count, work.nearest, before);
  const auto size = static_cast<Slot>(array.size());
  for (Slot slot = 0; slot < size; ++slot) {
    if (accepts(slot)) nearest.offer({work.query.comparable(array, slot), slot});
  }
  nearest.finish();
  for (Candidate& found : work.nearest) {
    found.distance = to_distance(array.metric(), found.distance);
  }
  return work.nearest;
}

/// The same among `slots`.
template <typename Before = std::less<>>
std::span<const Candidate> scan_slots(const VectorArray& array, SearchWorkspace& work,
                                      std::span<const Slot> slots, std::size_t count,
                                      Before before = {}) {
  constexpr std::size_t kAhead = 8;
  Nearest<Before> nearest(count, work.nearest, before);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (i + kAhead < slots.size()) PreparedQuery::prefetch(array, slots[i + kAhead]);
    nearest.offer({work.query.comparable(array, slots[i]), slots[i]});
  }
  nearest.finish();
  for (Candidate& found : work.nearest) {
    found.distance = to_distance(array.metric(), found.distance);
  }
  return work.nearest;
}

}  // namespace holdfast::vectors
