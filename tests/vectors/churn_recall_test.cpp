#include <algorithm>
#include <map>

#include "support/clustered.h"
#include "vectors/segment_fixture.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

constexpr std::size_t kDimension = 384;
constexpr std::size_t kRounds = 5;
constexpr std::size_t kChanged = 2000;   // updates, and as many deletes, of a round
constexpr std::size_t kStart = 90'000;   // vectors; each round adds 4,000 and deletes 2,000
constexpr std::size_t kQueries = 200;

Member member_of(std::uint32_t number) {
  return {.kind = 0, .id = uuid_of(number), .chunk = 0, .number = std::int64_t{number} + 1};
}

/// 100,000 vectors after inserts, updates and deletes at random, folded in round by round.
class Churned {
 public:
  Churned()
      : rows_(tests::Clustered{}.make(kStart + kRounds * 3 * kChanged, 0)),
        build_{.graph = HnswParameters{}, .threads = 2},
        tail_(empty_contents({.dimension = kDimension, .metric = Metric::l2})) {
    for (std::uint32_t i = 0; i < kStart; ++i) add(i);
    segment_ = build_segment(std::move(tail_), build_);
    std::mt19937 random(7);
    for (std::size_t round = 0; round < kRounds; ++round) churn(random);
  }

  double recall() const {
    const auto queries = tests::Clustered{}.make(kQueries, 1);
    SearchWorkspace work(segment_->array());
    std::size_t hits = 0;
    for (std::size_t i = 0; i < kQueries; ++i) {
      const auto query = tests::row(queries, kDimension, i);
      const auto exact = nearest(query);
      work.query.prepare(query);
      std::vector<std::pair<float, std::uint32_t>> found;
      for (const Candidate& candidate : segment_->search(
               work, 100, [&](Slot slot) { return !segment_->dead().test(slot); })) {
        const auto number = static_cast<std::uint32_t>(segment_->member(candidate.slot).number - 1);
        found.emplace_back(distance(Metric::l2, query, vector_of(number)), number);
      }
      std::sort(found.begin(), found.end());
      found.resize(std::min<std::size_t>(found.size(), 10));
      for (const auto& one : found) {
        hits += static_cast<std::size_t>(std::count(exact.begin(), exact.end(), one));
      }
    }
    return static_cast<double>(hits) / (10.0 * kQueries);
  }
  std::size_t live() const { return segment_->live(); }

 private:
  std::span<const float> vector_of(std::uint32_t number) const {
    return tests::row(rows_, kDimension, row_of_.at(number));
  }
  void add(std::uint32_t number) {
    row_of_[number] = next_row_;
    tail_.members.push_back(member_of(number));
    tail_.array.add(tests::row(rows_, kDimension, next_row_++));
  }
  std::uint32_t any(std::mt19937& random) const {
    for (;;) {
      const auto found = row_of_.find(static_cast<std::uint32_t>(random() % next_number_));
      if (found != row_of_.end()) return found->first;
    }
  }
  void bury(std::uint32_t number, SlotBits& died) const {
    for (const Slot slot : segment_->slots_of(0, uuid_of(number))) died.set(slot);
  }

  void churn(std::mt19937& random) {
    SlotBits died(segment_->size());
    tail_ = empty_contents({.dimension = kDimension, .metric = Metric::l2});
    tail_.cursor = segment_->cursor() + 1;
    std::map<std::uint32_t, bool> updated;
    for (std::size_t i = 0; i < kChanged; ++i) {
      const std::uint32_t gone = any(random);
      bury(gone, died);
      row_of_.erase(gone);
      updated.emplace(any(random), true);
    }
    for (const auto& [number, is_updated] : updated) {
      if (!row_of_.contains(number)) continue;  // deleted after it was drawn
      bury(number, died);
      add(number);
    }
    for (std::size_t i = 0; i < 2 * kChanged; ++i) add(next_number_++);
    segment_ = fold(*segment_, [&](Slot slot) { return !died.test(slot); }, tail_, build_);
  }

  std::vector<std::pair<float, std::uint32_t>> nearest(std::span<const float> query) const {
    std::vector<std::pair<float, std::uint32_t>> all;
    for (const auto& [number, row] : row_of_) {
      all.emplace_back(distance(Metric::l2, query, tests::row(rows_, kDimension, row)), number);
    }
    std::partial_sort(all.begin(), all.begin() + 10, all.end());
    all.resize(10);
    return all;
  }

  std::vector<float> rows_;
  std::map<std::uint32_t, std::size_t> row_of_;  ///< of those that are live, by number
  std::size_t next_row_ = 0;
  std::uint32_t next_number_ = kStart;
  SegmentBuild build_;
  Contents tail_;
  std::unique_ptr<const Segment> segment_;
};

}  // namespace

TEST_CASE("ten nearest of 100,000 are found at 0.97 after inserts, updates and deletes",
          "[vectors][soak]") {
  const Churned churned;
  CHECK(churned.live() == 100'000);
  const double recall = churned.recall();
  CAPTURE(recall);
  CHECK(recall >= 0.97);
}
