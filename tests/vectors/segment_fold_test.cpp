#include <map>

#include <holdfast/core/error.h>

#include "vectors/segment_fixture.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// What a segment should hold, kept beside it.
class Folding {
 public:
  explicit Folding(const Shape& shape, SegmentBuild build)
      : shape_(shape), build_(std::move(build)),
        segment_(build_segment(empty_contents(shape), build_)), tail_(empty_contents(shape)) {}

  void add(const Member& member, const std::vector<float>& vector) {
    tail_.members.push_back(member);
    tail_.array.add(vector);
    wanted_[member] = vector;
  }
  /// Of the segment; `fold` comes before it is added again.
  void remove(const Member& member) {
    for (const Slot slot : segment_->slots_of(member.kind, member.id)) {
      if (segment_->member(slot) == member) died_.push_back(slot);
    }
    wanted_.erase(member);
  }
  void fold() {
    tail_.cursor = segment_->cursor() + 1;
    const auto is_live = [this](Slot slot) {
      return std::find(died_.begin(), died_.end(), slot) == died_.end();
    };
    segment_ = vectors::fold(*segment_, is_live, tail_, build_);
    tail_ = empty_contents(shape_);
    died_.clear();
  }
  const Segment& segment() const { return *segment_; }
  const std::map<Member, std::vector<float>>& wanted() const { return wanted_; }

  /// Each vector that should be there leads to its own member; nothing else is live.
  bool is_right() const {
    if (segment_->live() != wanted_.size() || !holds_together(*segment_)) return false;
    SearchWorkspace work(segment_->array());
    for (const auto& [member, vector] : wanted_) {
      work.query.prepare(vector);
      const auto found =
          segment_->search(work, 64, [&](Slot slot) { return !segment_->dead().test(slot); });
      const bool is_first = !found.empty() && segment_->member(found[0].slot) == member;
      if (!is_first) return false;
    }
    return true;
  }

 private:
  Shape shape_;
  SegmentBuild build_;
  std::unique_ptr<const Segment> segment_;
  Contents tail_;
  std::vector<Slot> died_;
  std::map<Member, std::vector<float>> wanted_;
};

Member member_of(std::uint32_t number) {
  return {.kind = 0, .id = uuid_of(number), .chunk = 0, .number = std::int64_t{number} + 1};
}

bool never_dies(Slot /*slot*/) { return true; }

}  // namespace

TEST_CASE("removed 2, 1, 3 and added again 1, 2, 3, each answers for its new vector",
          "[vectors][bugs:H3]") {
  const auto build = GENERATE(graph_build(), SegmentBuild{});
  const std::size_t others = GENERATE(0, 40);
  Folding folding(Shape{}, build);
  std::mt19937 random(3);
  for (std::uint32_t i = 0; i < others; ++i) {
    folding.add(member_of(i + 10), random_vector(random, 12));
  }
  for (const std::uint32_t i : {1, 2, 3}) folding.add(member_of(i), random_vector(random, 12));
  folding.fold();
  REQUIRE(folding.is_right());
  for (const std::uint32_t i : {2, 1, 3}) folding.remove(member_of(i));
  const bool folds_between = GENERATE(false, true);
  if (folds_between) folding.fold();
  for (const std::uint32_t i : {1, 2, 3}) folding.add(member_of(i), random_vector(random, 12));
  folding.fold();
  CHECK(folding.is_right());
}

TEST_CASE("after random additions, removals and folds every live vector is found by itself",
          "[vectors]") {
  const auto form = GENERATE(Form::codes, Form::floats);
  Folding folding(Shape{.form = form}, graph_build());
  std::mt19937 random(11);
  std::uint32_t next = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<Slot> kept(folding.segment().order().begin(), folding.segment().order().end());
    std::shuffle(kept.begin(), kept.end(), random);
    kept.resize(std::min<std::size_t>(kept.size(), round % 5 == 4 ? 60 : random() % 12));
    for (const Slot slot : kept) {
      const Member member = folding.segment().member(slot);
      folding.remove(member);
      if (random() % 2 == 0) folding.add(member, random_vector(random, 12));
    }
    for (std::size_t i = random() % 40; i > 0; --i) {
      folding.add(member_of(next++), random_vector(random, 12));
    }
    folding.fold();
    REQUIRE(folding.is_right());
  }
  CHECK(folding.wanted().size() > 100);
}

TEST_CASE("up to a quarter of dead slots stay to be walked through; more are dropped",
          "[vectors]") {
  const auto segment = graph_segment(100);
  const auto without = [&](Slot first) {
    return fold(*segment, [first](Slot slot) { return slot >= first; }, empty_contents(),
                graph_build());
  };
  CHECK(without(25)->size() == 100);
  CHECK(without(25)->dead().count() == 25);
  CHECK(without(25)->live() == 75);
  CHECK(without(26)->size() == 74);
  CHECK(without(26)->dead().count() == 0);
}

TEST_CASE("dead slots of earlier folds count among the dead, and are not asked about",
          "[vectors]") {
  const auto segment = graph_segment(100);
  const auto once = fold(*segment, [](Slot slot) { return slot >= 20; }, empty_contents(),
                         graph_build());
  const auto twice = fold(*once, [](Slot slot) {
    CHECK(slot >= 20);
    return slot >= 40;
  }, empty_contents(), graph_build());
  CHECK(twice->size() == 60);
}

TEST_CASE("a fold copies codes byte for byte and takes over the tail's change", "[vectors]") {
  const auto segment = graph_segment(50);
  Contents tail = empty_contents();
  tail.kinds.push_back("document");
  tail.cursor = 12;
  std::mt19937 random(8);
  tail.array.add(random_vector(random, 12));
  tail.members.push_back({.kind = 2, .id = uuid_of(1), .chunk = 5, .number = 77});
  const auto folded = fold(*segment, never_dies, tail, graph_build());
  CHECK(folded->cursor() == 12);
  CHECK(folded->kinds() == tail.kinds);
  REQUIRE(folded->slots_of(2, uuid_of(1)).size() == 1);
  CHECK(folded->member(folded->slots_of(2, uuid_of(1)).front()).number == 77);
  const auto old = segment->array().raw_vectors();
  const auto all = folded->array().raw_vectors();
  CHECK(std::equal(old.begin(), old.end(), all.begin()));
}

TEST_CASE("a fold under other parameters, to a graph or to none builds anew", "[vectors]") {
  const auto segment = graph_segment(60);
  SegmentBuild other = graph_build();
  other.graph->m = 8;
  CHECK(fold(*segment, never_dies, empty_contents(), other)->graph()->parameters().m == 8);
  const auto flat = fold(*segment, never_dies, empty_contents(), SegmentBuild{});
  CHECK(flat->graph() == nullptr);
  CHECK(holds_together(*flat));
  const auto graph = fold(*flat, never_dies, empty_contents(), graph_build());
  CHECK(graph->graph()->size() == 60);
}

TEST_CASE("a tail that holds a live member again is refused", "[vectors]") {
  const auto segment = graph_segment(60);
  CHECK_THROWS_AS(fold(*segment, never_dies, random_contents(1), graph_build()), Corrupt);
}

TEST_CASE("one thread folds the same to the same bytes", "[vectors]") {
  const auto once = [] {
    Contents tail = random_contents(400, Shape{}, 2);
    for (Member& member : tail.members) member.chunk += 2;
    return written(*fold(*graph_segment(300), [](Slot slot) { return slot % 9 != 0; }, tail,
                         graph_build()));
  };
  CHECK(once() == once());
}
