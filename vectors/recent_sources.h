#pragma once

#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <holdfast/core/revision.h>
#include <holdfast/storage/transaction.h>

#include "live_index.h"

namespace holdfast::vectors {

/// Which sources the journal's end has changed. What has not changed since the watermark of a
/// generation has the vectors it should have, so nothing need be asked of the database.
/// Thread safety: any thread.
class RecentSources {
 public:
  /// Takes in what changed in (from, to] of the journal. False when that is too much to keep: then
  /// nothing is known.
  bool cover(storage::Transaction& transaction, const std::string& space,
             const std::vector<std::string>& kinds, Sequence from, Sequence to);
  /// Of what cover() has taken in; later changes may be among them.
  bool has_changed_after(const SourceKey& source, Sequence seq) const;

 private:
  bool covers(Sequence from, Sequence to) const { return from_ <= from && to <= to_; }
  void forget_up_to(Sequence seq);

  mutable std::shared_mutex mutex_;  ///< of the following
  Sequence from_ = 0;
  Sequence to_ = 0;
  std::unordered_map<SourceKey, Sequence, SourceHash> last_;  ///< change of each, in (from_, to_]
};

}  // namespace holdfast::vectors
