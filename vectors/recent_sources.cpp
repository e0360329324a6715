#include "recent_sources.h"

#include <algorithm>
#include <mutex>

#include "index_rows.h"
#include "serving.h"

namespace holdfast::vectors {
namespace {

constexpr Sequence kChangesMax = 100'000;

}  // namespace

bool RecentSources::cover(storage::Transaction& transaction, const std::string& space,
                          const std::vector<std::string>& kinds, Sequence from, Sequence to) {
  if (to <= from) return true;
  if (to - from > kChangesMax) return false;
  {
    const std::shared_lock lock(mutex_);
    if (covers(from, to)) return true;
  }
  const std::unique_lock lock(mutex_);
  if (from < from_ || from > to_) {
    last_.clear();
    from_ = to_ = from;
  }
  if (last_.size() > 2 * kChangesMax) forget_up_to(from);
  each_recent(transaction, space, to_, to,
              [&](Sequence seq, std::string_view kind, const Uuid& id) {
                if (const auto known = find_kind(kinds, kind)) last_[{*known, id}] = seq;
                return true;
              });
  to_ = std::max(to_, to);
  return true;
}

bool RecentSources::may_have_changed(const SourceKey& source, Sequence from, Sequence to) const {
  if (to <= from) return false;
  const std::shared_lock lock(mutex_);
  if (!covers(from, to)) return true;
  const auto found = last_.find(source);
  return found != last_.end() && found->second > from;
}

void RecentSources::forget_up_to(Sequence seq) {
  std::erase_if(last_, [seq](const auto& one) { return one.second <= seq; });
  from_ = std::max(from_, seq);
}

Sequence VerifiedSources::base(Sequence tail) {
  {
    const std::shared_lock lock(mutex_);
    if (base_) return *base_;
  }
  const std::unique_lock lock(mutex_);
  if (!base_) base_ = tail;
  return *base_;
}

void VerifiedSources::forget(Sequence tail) {
  const std::unique_lock lock(mutex_);
  verified_.clear();
  base_ = tail;
}

std::optional<Sequence> VerifiedSources::verified_at(const SourceKey& source) const {
  const std::shared_lock lock(mutex_);
  const auto found = verified_.find(source);
  if (found == verified_.end()) return std::nullopt;
  return found->second;
}

void VerifiedSources::note(const SourceKey& source, Sequence seq) {
  constexpr std::size_t kVerifiedMax = 500'000;
  const std::unique_lock lock(mutex_);
  if (!base_ || seq < *base_) return;
  if (verified_.size() >= kVerifiedMax) verified_.clear();
  verified_[source] = seq;
}

}  // namespace holdfast::vectors
