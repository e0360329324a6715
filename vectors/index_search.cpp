#include "index_search.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "flat_scan.h"
#include "graph_search.h"

namespace holdfast::vectors {
namespace {

float nearest_of(const SearchFor& what, Metric metric, std::span<const float> vector) {
  float nearest = distance(metric, what.queries.front(), vector);
  for (std::size_t i = 1; i < what.queries.size(); ++i) {
    nearest = std::min(nearest, distance(metric, what.queries[i], vector));
  }
  return nearest;
}

/// One search of an index, with more and more effort until the answer is as long as it must be.
class LiveSearch {
 public:
  LiveSearch(const SearchAt& at, const SearchFor& what, const LiveIndex& live,
             const std::vector<SourceVectors>& changed, const MatchBits& bits)
      : at_(at),
        what_(what),
        live_(live),
        work_(live.workspaces()),
        rows_(at.transaction, at.serving.of()),
        row_(at.serving.dimension()),
        answering_(at, what),
        refused_(&live.dead_words()),
        matching_(live.live()) {
    if (bits || !changed.empty()) refuse(changed, bits);
    offer(changed);
  }

  FoundSources run() {
    const std::size_t ef = std::max(what_.ef, what_.k);
    const bool scans = !live_.segment().graph() ||
                       (matching_ < live_.live() && should_scan(matching_, live_.size(), ef));
    const bool is_found = !scans && search_graph_from(ef);
    if (!is_found) scan_all();
    return {.searched = is_found ? SearchedIn::graph : SearchedIn::exact,
            .hits = answering_.top().hits(),
            .stale_excluded = answering_.stale_excluded()};
  }

 private:
  bool accepts(Slot slot) const { return ((*refused_)[slot / 64] >> (slot % 64) & 1U) == 0; }

  /// Of the index's slots, those that do not match and those of sources that have changed.
  void refuse(const std::vector<SourceVectors>& changed, const MatchBits& bits) {
    own_refused_ = live_.dead_words();
    if (bits) {
      for (std::size_t i = 0; i < own_refused_.size(); ++i) own_refused_[i] |= ~(*bits)[i];
      is_filtered_ = true;
    }
    for (const SourceVectors& one : changed) {
      live_.for_each_slot(one.source, [this](Slot slot) {
        own_refused_[slot / 64] |= std::uint64_t{1} << (slot % 64);
      });
    }
    std::size_t refused = 0;
    for (const std::uint64_t word : own_refused_) {
      refused += static_cast<std::size_t>(std::popcount(word));
    }
    refused_ = &own_refused_;
    // Bits behind the last slot are refused when there is a filter.
    const std::size_t behind = is_filtered_ ? own_refused_.size() * 64 - live_.size() : 0;
    matching_ = live_.size() + behind - refused;
  }

  void offer(const std::vector<SourceVectors>& changed) {
    const std::size_t dimension = row_.size();
    for (const SourceVectors& one : changed) {
      for (std::size_t i = 0; i < one.members.size(); ++i) {
        const auto vector = std::span(one.vectors).subspan(i * dimension, dimension);
        answering_.offer(nearest_of(what_, at_.serving.model->metric, vector),
                         one.members[i], Answering::Filter::open);
      }
    }
  }

  /// False when it cannot tell whether there is more.
  bool search_graph_from(std::size_t ef) {
    for (;; ef *= 4) {
      bool is_cut = false;
      for (const Embedding& query : what_.queries) {
        is_cut |= walk(query, ef);
        take_nearest(query);
      }
      if (!is_cut || answering_.top().is_full()) return true;
      if (ef * 4 > std::min(kSimilarEfMax, live_.size() / 4)) return false;
    }
  }

  /// Candidates by the graph, nearest first. True when there may be more.
  bool walk(const Embedding& query, std::size_t ef) {
    work_->query.prepare(query);
    const auto found =
        live_.segment().search(*work_, ef, [this](Slot slot) { return accepts(slot); });
    candidates_.assign(found.begin(), found.end());
    for (Slot slot = live_.tail_begin(); slot < live_.size(); ++slot) {
      if (accepts(slot)) candidates_.push_back(estimate(slot));
    }
    if (candidates_.size() > found.size()) std::sort(candidates_.begin(), candidates_.end());
    return found.size() >= ef;
  }

  Candidate estimate(Slot slot) const {
    const float comparable =
        work_->query.comparable(live_.array_of(slot), live_.slot_in_array(slot));
    return {to_distance(at_.serving.model->metric, comparable), slot};
  }

  void scan_all() {
    for (const Embedding& query : what_.queries) {
      work_->query.prepare(query);
      for (std::size_t count = std::max<std::size_t>(64, 4 * what_.k);; count *= 8) {
        const bool is_cut = scan(count);
        const bool is_settled = take_nearest(query);
        if (!is_cut || (is_settled && answering_.top().is_full())) break;
      }
    }
  }

  /// The `count` nearest candidates, looking at all. True when there are more.
  bool scan(std::size_t count) {
    Nearest<> nearest(count, candidates_);
    for (std::size_t i = 0; i < refused_->size(); ++i) {
      for (std::uint64_t word = ~(*refused_)[i]; word != 0; word &= word - 1) {
        const auto slot = static_cast<Slot>(i * 64) + static_cast<Slot>(std::countr_zero(word));
        if (slot >= live_.size()) break;
        nearest.offer(estimate(slot));
      }
    }
    nearest.finish();
    return matching_ > count;
  }

  /// Offers candidates, by their exact distances, until those that follow are too far. False when
  /// even the last one was not.
  bool take_nearest(const Embedding& query) {
    static const int rule = getenv("X_RULE") ? atoi(getenv("X_RULE")) : 0;
    static const bool stats = getenv("X_STATS");
    std::size_t looked_at = 0;
    float error = 0;
    struct Say { std::size_t& n; bool s; ~Say() { static std::size_t sum = 0, c = 0; if (s) { sum += n; if (++c % 1000 == 0) { fprintf(stderr, "rows %.2f\n", double(sum) / 1000); sum = 0; } } } } say{looked_at, stats};
    for (const Candidate& candidate : candidates_) {
      const TopSources& top = answering_.top();
      if (top.is_full() && looked_at >= what_.k && candidate.distance - error > top.worst()) {
        return true;
      }
      if (rule == 1 && top.is_full() && looked_at >= rerank_count(what_.k) && candidate.distance > top.worst()) return true;
      if (rule == 2 && top.is_full() && looked_at >= rerank_count(what_.k)) return true;
      const Member& member = live_.member(candidate.slot);
      if (!answering_.may_take(candidate.distance - error, member)) continue;
      const float exact = exact_distance(query, candidate.slot);
      error = std::max(error, std::abs(exact - candidate.distance));
      ++looked_at;
      answering_.offer(exact, member, Answering::Filter::decided);
    }
    return false;
  }

  float exact_distance(const Embedding& query, Slot slot) {
    const Metric metric = at_.serving.model->metric;
    if (live_.is_in_floats()) {
      const VectorArray& array = live_.array_of(slot);
      return distance(metric, query,
                      {array.floats(live_.slot_in_array(slot)), array.dimension()});
    }
    const Member& member = live_.member(slot);
    if (!rows_.read(member.number, member.id, member.chunk, row_)) {
      throw IndexDiffers("it has a vector that is not stored under the number it has");
    }
    return distance(metric, query, row_);
  }

  const SearchAt& at_;
  const SearchFor& what_;
  const LiveIndex& live_;
  WorkspacePool::Borrowed work_;
  VectorReader rows_;
  Embedding row_;
  Answering answering_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint64_t> own_refused_;
  const std::vector<std::uint64_t>* refused_;
  bool is_filtered_ = false;
  std::size_t matching_;  ///< slots
};

/// The vectors of one source at a time, whichever of them is nearest.
class RowScan {
 public:
  RowScan(const SearchAt& at, const SearchFor& what)
      : at_(at), what_(what), answering_(at, what) {}

  FoundSources run() {
    if (!scan_matching()) {
      each_vector(at_.transaction, at_.serving.of(), [this](const StoredVector& stored) {
        take(stored, Answering::Filter::open);
        return true;
      });
    }
    return {.searched = SearchedIn::rows,
            .hits = answering_.top().hits(),
            .stale_excluded = answering_.stale_excluded()};
  }

 private:
  /// False when more than a few match.
  bool scan_matching() {
    constexpr std::size_t kFew = 1000;
    if (at_.matcher.key().empty()) return false;
    std::vector<SourceKey> matching;
    at_.matcher.for_each(at_.transaction, [&](std::string_view kind, const Uuid& id) {
      if (const auto known = find_kind(at_.serving.kinds, kind)) matching.push_back({*known, id});
      return matching.size() <= kFew;
    });
    if (matching.size() > kFew) return false;
    for (const SourceKey& source : matching) {
      each_vector_of(at_.transaction, at_.serving.of(), at_.serving.kinds[source.kind], source.id,
                     [this](const StoredVector& stored) {
                       take(stored, Answering::Filter::decided);
                       return true;
                     });
    }
    return true;
  }

  void take(const StoredVector& stored, Answering::Filter filter) {
    const auto kind = find_kind(at_.serving.kinds, stored.kind);
    if (!kind) throw Corrupt("vectors of a kind that the model does not draw from");
    answering_.offer(nearest_of(what_, at_.serving.model->metric, stored.vector),
                     {*kind, stored.id, stored.chunk, stored.number}, filter);
  }

  const SearchAt& at_;
  const SearchFor& what_;
  Answering answering_;
};

}  // namespace

FoundSources search_live(const SearchAt& at, const SearchFor& what, const LiveIndex& live,
                         const std::vector<SourceVectors>& changed, const MatchBits& bits) {
  return LiveSearch(at, what, live, changed, bits).run();
}

FoundSources search_rows(const SearchAt& at, const SearchFor& what) {
  return RowScan(at, what).run();
}

}  // namespace holdfast::vectors
