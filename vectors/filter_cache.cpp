#include "filter_cache.h"

#include <algorithm>
#include <optional>
#include <set>

namespace holdfast::vectors {
namespace {

constexpr std::size_t kFiltersMax = 32;
/// More changes than that, and all is matched anew.
constexpr Sequence kRecentMax = 2000;

void put_bit(std::vector<std::uint64_t>& words, Slot slot, bool value) {
  const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
  if (value) {
    words[slot / 64] |= bit;
  } else {
    words[slot / 64] &= ~bit;
  }
}

}  // namespace

struct KnownFilter::At {
  storage::Transaction& transaction;
  const Matcher& matcher;
  const Serving& serving;
  const LiveIndex& live;
  Sequence seq;

  bool matches(const SourceKey& source) const {
    return matcher.matches(transaction, serving.kinds[source.kind], source.id);
  }
};

MatchBits KnownFilter::bits_at(storage::Transaction& transaction, const Matcher& matcher,
                               const Serving& serving, const LiveIndex& live, std::uint64_t epoch,
                               Sequence seq) {
  const At at{transaction, matcher, serving, live, seq};
  const bool is_known = epoch == epoch_ && seq_ <= seq;
  epoch_ = 0;  // until all of it is known again
  is_own_ = false;
  if (!is_known || !match_recent(at)) match_all(at);
  match_new_slots(at);
  epoch_ = epoch;
  seq_ = seq;
  return words_;
}

KnownFilter::Words& KnownFilter::words_to_change() {
  // Searches that run may have the others.
  if (!is_own_) words_ = std::make_shared<Words>(*words_);
  is_own_ = true;
  return *words_;
}

void KnownFilter::match_all(const At& at) {
  words_ = std::make_shared<Words>((at.live.size() + 63) / 64);
  is_own_ = true;
  at.matcher.for_each(at.transaction, [&](std::string_view kind, const Uuid& id) {
    if (const auto known = find_kind(at.serving.kinds, kind)) {
      at.live.for_each_slot({*known, id}, [&](Slot slot) { put_bit(*words_, slot, true); });
    }
    return true;
  });
  known_ = static_cast<Slot>(at.live.size());
}

/// False when too much has changed.
bool KnownFilter::match_recent(const At& at) {
  if (at.seq == seq_) return true;
  if (at.seq - seq_ > kRecentMax) return false;
  std::set<SourceKey> changed;
  each_recent(at.transaction, at.serving.space, seq_, at.seq,
              [&](Sequence, std::string_view kind, const Uuid& id) {
                if (const auto known = find_kind(at.serving.kinds, kind)) {
                  changed.insert({*known, id});
                }
                return true;
              });
  for (const SourceKey& source : changed) {
    const bool matches = at.matches(source);
    at.live.for_each_slot(source, [&](Slot slot) {
      if (slot < known_) put_bit(words_to_change(), slot, matches);
    });
  }
  return true;
}

void KnownFilter::match_new_slots(const At& at) {
  const auto size = static_cast<Slot>(at.live.size());
  if (known_ == size) return;
  Words& words = words_to_change();
  words.resize((size + 63) / 64);
  std::optional<SourceKey> last;
  bool matches = false;
  for (Slot slot = known_; slot < size; ++slot) {
    if (at.live.is_dead(slot)) continue;
    const SourceKey source = source_of(at.live.member(slot));
    if (source != last) matches = at.matches(source);
    last = source;
    put_bit(words, slot, matches);
  }
  known_ = size;
}

std::shared_ptr<KnownFilter> FilterCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [&](const auto& one) { return one->key() == key; });
  if (found != known_.end()) {
    known_.splice(known_.begin(), known_, found);
    return known_.front();
  }
  known_.push_front(std::make_shared<KnownFilter>(key));
  if (known_.size() > kFiltersMax) known_.pop_back();
  return known_.front();
}

void FilterCache::clear() {
  const std::lock_guard lock(mutex_);
  known_.clear();
}

}  // namespace holdfast::vectors
