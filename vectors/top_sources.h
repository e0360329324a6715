#pragma once

#include <cstddef>
#include <vector>

#include "live_index.h"

namespace holdfast::vectors {

/// A source by its nearest vector.
struct Hit {
  float distance = 0;
  Member member;
  bool is_stale = false;
};

/// The `count` nearest of the sources that are offered, each once, in the order of answers: by
/// distance, then by member.
/// Thread safety: none.
class TopSources {
 public:
  explicit TopSources(std::size_t count) : count_(count) { hits_.reserve(count + 1); }

  /// Whether the answer would change. What is refused now is refused for good.
  bool would_take(float distance, const Member& member) const;
  void offer(const Hit& hit);

  bool is_full() const { return hits_.size() == count_; }
  /// Of the last one; only when it is full.
  float worst() const { return hits_.back().distance; }
  const std::vector<Hit>& hits() const { return hits_; }
  void clear() { hits_.clear(); }

 private:
  std::size_t count_;
  std::vector<Hit> hits_;  ///< in order
};

}  // namespace holdfast::vectors
