#pragma once

#include <optional>
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
  /// Whether it may have changed in (from, to]. Also true where others' calls of cover() have made
  /// this forget what that was.
  bool may_have_changed(const SourceKey& source, Sequence from, Sequence to) const;

 private:
  bool covers(Sequence from, Sequence to) const { return from_ <= from && to <= to_; }
  void forget_up_to(Sequence seq);

  mutable std::shared_mutex mutex_;  ///< of the following
  Sequence from_ = 0;
  Sequence to_ = 0;
  std::unordered_map<SourceKey, Sequence, SourceHash> last_;  ///< change of each, in (from_, to_]
};

/// Sources that were looked at and found current, where the journal alone does not tell: their
/// vectors come with the writes, or nobody has brought them up to date for long.
/// Thread safety: any thread.
class VerifiedSources {
 public:
  /// From where on changes must be known for what is kept here to mean anything; `tail` when
  /// nothing is.
  Sequence base(Sequence tail);
  void forget(Sequence tail);
  /// When it was found current, in terms of the journal; absent when it was not.
  std::optional<Sequence> verified_at(const SourceKey& source) const;
  void note(const SourceKey& source, Sequence seq);

 private:
  mutable std::shared_mutex mutex_;  ///< of the following
  std::optional<Sequence> base_;
  std::unordered_map<SourceKey, Sequence, SourceHash> verified_;
};

}  // namespace holdfast::vectors
