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

bool RecentSources::has_changed_after(const SourceKey& source, Sequence seq) const {
  const std::shared_lock lock(mutex_);
  const auto found = last_.find(source);
  return found != last_.end() && found->second > seq;
}

void RecentSources::forget_up_to(Sequence seq) {
  std::erase_if(last_, [seq](const auto& one) { return one.second <= seq; });
  from_ = std::max(from_, seq);
}

}  // namespace holdfast::vectors
