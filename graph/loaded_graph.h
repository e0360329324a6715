#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <holdfast/journal/follower.h>

#include "graph_arrays.h"

namespace holdfast::graph {

/// A graph in memory and how far its space's journal has been taken in.
/// Thread safety: any number of readers, or one catch_up().
class LoadedGraph {
 public:
  /// Reads the live edges in one snapshot. Nothing when they need more than `bytes_max`.
  static std::unique_ptr<LoadedGraph> load(const journal::Feed& feed, std::uint64_t bytes_max);

  /// Takes in what the journal has now; `commits` was read before. False when loading again is
  /// quicker, or when the journal is not the one that this was read from. After an exception the
  /// graph must not be used.
  bool catch_up(const journal::Feed& feed, std::uint64_t commits);

  const GraphArrays& arrays() const { return arrays_; }
  Sequence seq() const { return seq_; }
  std::uint64_t commits() const { return commits_; }
  std::chrono::microseconds checked_at() const { return checked_at_; }

 private:
  /// Tells an event of this journal from one at the same place of another: a space can be deleted
  /// and made again under its name.
  struct Mark {
    std::string request_id;
    Uuid row;
    Timestamp at;
    bool operator==(const Mark&) const = default;
  };
  static Mark mark_of(const Event& event);
  bool take_in(const std::vector<Event>& events);
  bool is_same_journal(storage::Transaction& transaction, const std::string& space) const;

  GraphArrays arrays_;
  Sequence seq_ = 0;
  Sequence marked_ = 0;  ///< the event that `mark_` is of
  Mark mark_;
  std::uint64_t commits_ = 0;
  std::chrono::microseconds checked_at_{0};
};

}  // namespace holdfast::graph
