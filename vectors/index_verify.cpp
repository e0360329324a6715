#include <algorithm>
#include <cstring>
#include <set>

#include <holdfast/core/error.h>

#include "index_core.h"
#include "strays.h"

namespace holdfast::vectors {
namespace {

constexpr std::size_t kFindingsMax = 1000;

/// Compares an index with rows that are handed to it one by one, in the order of members.
/// Thread safety: none.
class Comparison {
 public:
  Comparison(const LiveIndex& live, const Serving& serving, IndexVerification& result)
      : live_(live), serving_(serving), result_(result) {}

  void find(std::string check, const std::string& detail) {
    ++result_.findings_total;
    if (result_.findings.size() < kFindingsMax) {
      result_.findings.push_back({std::move(check), detail});
    }
  }

  void compare(const StoredVector& stored) {
    ++result_.vectors;
    const auto kind = find_kind(serving_.kinds, stored.kind);
    const std::string name = std::string(stored.kind) + " " + to_string(stored.id) + " chunk " +
                             std::to_string(stored.chunk);
    std::optional<Slot> found;
    if (kind) {
      live_.for_each_slot({*kind, stored.id}, [&](Slot slot) {
        if (live_.member(slot).chunk != stored.chunk) return;
        if (found) find("index.twice", name);
        found = slot;
      });
    }
    if (!found) {
      find("index.missing", name);
      return;
    }
    ++met_;
    if (live_.member(*found).number != stored.number) find("index.number", name);
    if (!is_as_stored(*found, stored.vector)) find("index.vector", name);
  }

  /// Every live slot but those of sources that have changed since was met.
  void finish(std::uint64_t changed_slots) {
    if (met_ + changed_slots == live_.live()) return;
    find("index.extra", std::to_string(live_.live()) + " vectors, of which " +
                            std::to_string(met_ + changed_slots) + " are stored");
  }

 private:
  bool is_as_stored(Slot slot, std::span<const float> vector) {
    const VectorArray& array = live_.array_of(slot);
    VectorArray one(array.dimension(), array.metric(), array.form());
    one.add(vector);
    const Slot at = live_.slot_in_array(slot);
    const Factors& a = one.factors(0);
    const Factors& b = array.factors(at);
    return a.scale == b.scale && a.squared_norm == b.squared_norm && a.sum == b.sum &&
           std::memcmp(one.codes(0), array.codes(at), array.stride()) == 0;
  }

  const LiveIndex& live_;
  const Serving& serving_;
  IndexVerification& result_;
  std::uint64_t met_ = 0;
};

}  // namespace

void VectorIndex::Core::compare_rows(const LiveIndex& live, const Serving& serving,
                                     storage::Transaction& transaction, const GoOn& go_on,
                                     IndexVerification& result) const {
  Comparison comparison(live, serving, result);
  std::set<SourceKey> changed;
  std::uint64_t changed_slots = 0;
  each_change(transaction, serving.of(), live.cursor(), [&](const VectorChange& change) {
    if (const auto kind = find_kind(serving.kinds, change.kind)) {
      changed.insert({*kind, change.id});
      live.for_each_slot({*kind, change.id}, [&](Slot) { ++changed_slots; });
    }
    return true;
  });
  bool is_stopped = false;
  std::uint64_t seen = 0;
  each_vector(transaction, serving.of(), [&](const StoredVector& stored) {
    const auto kind = find_kind(serving.kinds, stored.kind);
    if (!kind || !changed.contains({*kind, stored.id})) comparison.compare(stored);
    is_stopped = ++seen % 1024 == 0 && !go_on();
    return !is_stopped;
  });
  if (!is_stopped) comparison.finish(changed_slots);
}

void VectorIndex::Core::search_each(const Segment& segment, IndexVerification& result) const {
  if (segment.graph() == nullptr) return;
  const std::size_t stray_ef = SegmentBuild{}.stray_ef;
  const auto strays = segment.strays();
  result.searched = segment.live();
  for (const Slot slot :
       find_strays(*segment.graph(), segment.array(), stray_ef, site_->threads())) {
    if (segment.dead().test(slot)) continue;
    if (std::binary_search(strays.begin(), strays.end(), slot)) continue;
    ++result.findings_total;
    if (result.findings.size() < kFindingsMax) {
      result.findings.push_back({"index.lost", to_string(segment.member(slot).id)});
    }
  }
}

IndexVerification VectorIndex::Core::verify(const GoOn& go_on) {
  load();
  IndexVerification result;
  std::unique_ptr<LiveIndex> live;
  std::shared_ptr<const Serving> serving;
  IndexParameters parameters;
  const auto snapshot = site_->database.snapshot(storage::ReaderAge::unbounded);
  {
    const std::shared_lock lock(index_);
    if (loaded_.live) live = loaded_.live->copy();
    serving = loaded_.serving;
    parameters = loaded_.parameters;
  }
  storage::Transaction& transaction = snapshot->transaction();
  const ServingState state = read_serving(transaction, space_, model_);
  result.generation = state.generation;
  result.seq = state.tail;
  if (!live || !serving->is_of(state)) return result;
  compare_rows(*live, *serving, transaction, go_on, result);
  if (go_on()) search_each(live->segment(), result);
  if (site_->folder && go_on()) {
    const auto identity = identity_of(transaction, *serving, parameters);
    const auto file = site_->folder->load(identity);
    const auto* const refused = std::get_if<NotUsable>(&file);
    if (refused != nullptr && refused->kind != NotUsable::Kind::missing &&
        refused->kind != NotUsable::Kind::other) {
      ++result.findings_total;
      result.findings.push_back({"index.file", refused->why});
      const std::lock_guard guard(notes_);
      file_refusal_ = refused->why;  // compacting makes it anew
    }
  }
  return result;
}

}  // namespace holdfast::vectors
