#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <holdfast/vectors/vector_index.h>

#include "live_index.h"
#include "serving.h"

namespace holdfast::vectors {

/// A bit for each slot of an index, set where the slot's source matches.
using MatchBits = std::shared_ptr<const std::vector<std::uint64_t>>;

/// A filter that was asked for, with what it matches.
class KnownFilter {
 public:
  explicit KnownFilter(std::string key) : key_(std::move(key)) {}
  const std::string& key() const { return key_; }
  /// To be held from before a snapshot begins until bits_at() is through, so that no snapshot is
  /// older than what is known.
  std::mutex& mutex() { return mutex_; }

  /// As of the snapshot, whose journal ends at `seq`. `epoch` tells one index from another. Only
  /// rows that changed since the last call are looked at again.
  MatchBits bits_at(storage::Transaction& transaction, const Matcher& matcher,
                    const Serving& serving, const LiveIndex& live, std::uint64_t epoch,
                    Sequence seq);

 private:
  using Words = std::vector<std::uint64_t>;
  struct At;
  void match_all(const At& at);
  bool match_recent(const At& at);
  void match_new_slots(const At& at);
  Words& words_to_change();

  std::string key_;
  std::mutex mutex_;
  std::shared_ptr<Words> words_ = std::make_shared<Words>();
  bool is_own_ = false;      ///< `words_` were made in this call
  std::uint64_t epoch_ = 0;  ///< 0: of no index
  Sequence seq_ = 0;
  Slot known_ = 0;           ///< slots below it have their bits
};

/// The filters that were asked for last.
/// Thread safety: any thread.
class FilterCache {
 public:
  std::shared_ptr<KnownFilter> find(const std::string& key);
  void clear();

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<KnownFilter>> known_;  ///< last used first
};

}  // namespace holdfast::vectors
