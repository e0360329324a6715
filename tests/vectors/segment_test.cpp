#include "vectors/segment.h"

#include <holdfast/core/error.h>

#include "vectors/segment_fixture.h"

using namespace holdfast;
using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a source's slots are found in the order of their chunks", "[vectors]") {
  const auto segment = graph_segment(101);
  for (Slot slot = 0; slot < segment->size(); ++slot) {
    const Member& member = segment->member(slot);
    const auto slots = segment->slots_of(member.kind, member.id);
    CHECK(std::count(slots.begin(), slots.end(), slot) == 1);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      CHECK(segment->member(slots[i]).id == member.id);
      CHECK(segment->member(slots[i]).kind == member.kind);
      CHECK((i == 0 || segment->member(slots[i - 1]).chunk < segment->member(slots[i]).chunk));
    }
  }
  CHECK(segment->slots_of(0, uuid_of(12345)).empty());
  CHECK(segment->slots_of(7, segment->member(0).id).empty());
}

TEST_CASE("a segment of nothing answers nothing, with a graph and without", "[vectors]") {
  for (const auto& build : {graph_build(), SegmentBuild{}}) {
    const auto segment = build_segment(empty_contents(), build);
    CHECK(segment->size() == 0);
    CHECK(segment->slots_of(0, Uuid{}).empty());
    SearchWorkspace work(segment->array());
    work.query.prepare(std::vector<float>(12, 1.0F));
    CHECK(segment->search(work, 5, AcceptAll{}).empty());
  }
}

TEST_CASE("every slot is found by its own vector, in each metric and form, with a graph or none",
          "[vectors]") {
  const auto metric = GENERATE(Metric::cosine, Metric::ip, Metric::l2);
  const auto form = GENERATE(Form::codes, Form::floats);
  const Shape shape{.dimension = 12, .metric = metric, .form = form};
  for (const auto& build : {graph_build(), SegmentBuild{}}) {
    const auto segment = build_segment(random_contents(300, shape), build);
    CHECK((segment->graph() != nullptr) == build.graph.has_value());
    if (metric == Metric::ip) continue;  // others may well be nearer
    for (Slot slot = 0; slot < segment->size(); ++slot) CHECK(finds(*segment, slot));
  }
}

namespace {

/// A segment in whose graph nothing leads to `lost`.
SegmentParts parts_without_links_to(Slot lost, std::vector<Slot> strays) {
  const auto segment = graph_segment(200);
  const HnswGraph& graph = *segment->graph();
  std::vector<std::int32_t> neighbors(graph.raw_neighbors().begin(), graph.raw_neighbors().end());
  for (std::int32_t& neighbor : neighbors) {
    if (neighbor == static_cast<std::int32_t>(lost)) neighbor = graph.raw_entry_point();
  }
  SegmentParts parts = segment->parts();
  parts.graph.emplace(graph.parameters(), graph.raw_levels(), neighbors, graph.raw_entry_point());
  parts.strays = std::move(strays);
  return parts;
}

}  // namespace

TEST_CASE("a slot that the graph does not lead to is found as a stray, once", "[vectors]") {
  const Slot lost = graph_segment(200)->graph()->entry_point() == 17 ? 18 : 17;
  CHECK_FALSE(finds(Segment(parts_without_links_to(lost, {})), lost));
  const Segment segment(parts_without_links_to(lost, {3, lost}));
  CHECK(finds(segment, lost));
  CHECK(finds(segment, 3));
  CHECK(finds(segment, lost, 1));
  CHECK(holds_together(segment));
}

TEST_CASE("strays that a search finds anyway, equal vectors among them, are answered once",
          "[vectors]") {
  Contents contents = random_contents(40);
  for (std::uint32_t i = 0; i < 30; ++i) {
    contents.members.push_back({.kind = 0, .id = uuid_of(i + 1), .chunk = 9, .number = 100 + i});
    contents.array.add_from(contents.array, i % 3);
  }
  SegmentParts parts = build_segment(std::move(contents), graph_build())->parts();
  for (Slot slot = 0; slot < 70; ++slot) parts.strays.push_back(slot);
  const Segment segment(std::move(parts));
  CHECK(holds_together(segment));
  SearchWorkspace work(segment.array());
  work.query.prepare(segment.array(), 0);
  CHECK(segment.search(work, 100, AcceptAll{}).size() == 70);
}

TEST_CASE("a stray that is not accepted is not found", "[vectors]") {
  const Segment segment(parts_without_links_to(17, {17}));
  SearchWorkspace work(segment.array());
  work.query.prepare(segment.array(), 17);
  const auto found = segment.search(work, 400, [](Slot slot) { return slot != 17; });
  CHECK(std::none_of(found.begin(), found.end(), [](auto& each) { return each.slot == 17; }));
}

TEST_CASE("parts that do not fit together are refused with what is wrong", "[vectors]") {
  const auto whole = graph_segment(70);
  const auto refusal = [&](const std::function<void(SegmentParts&)>& spoil) -> std::string {
    SegmentParts parts = whole->parts();
    spoil(parts);
    try {
      const Segment segment(std::move(parts));
    } catch (const Corrupt& error) {
      return error.what();
    }
    return "none";
  };
  CHECK(refusal([](auto&) {}) == "none");
  CHECK_THAT(refusal([](auto& p) { p.contents.members.pop_back(); }),
             ContainsSubstring("members and vectors differ"));
  CHECK_THAT(refusal([](auto& p) { p.contents.members[3].kind = 2; }),
             ContainsSubstring("kind is out of range"));
  CHECK_THAT(refusal([](auto& p) { p.contents.members[3].number = 0; }),
             ContainsSubstring("number is out of range"));
  CHECK_THAT(refusal([](auto& p) { p.contents.members[3] = p.contents.members[4]; }),
             ContainsSubstring("equal or out of order"));
  CHECK_THAT(refusal([](auto& p) { p.order[5] = 70; }), ContainsSubstring("out of range"));
  CHECK_THAT(refusal([](auto& p) { std::swap(p.order[5], p.order[6]); }),
             ContainsSubstring("out of order"));
  CHECK_THAT(refusal([](auto& p) { p.dead.set(9); }), ContainsSubstring("not one of all live"));
  CHECK_THAT(refusal([](auto& p) { p.dead.set(72); }), ContainsSubstring("of range is dead"));
  CHECK_THAT(refusal([](auto& p) { p.dead = SlotBits(1); }), ContainsSubstring("as many bits"));
  CHECK_THAT(refusal([](auto& p) { p.strays = {70}; }), ContainsSubstring("stray is out of range"));
  CHECK_THAT(refusal([](auto& p) { p.strays = {4, 4}; }), ContainsSubstring("out of order"));
  CHECK_THAT(refusal([](auto& p) { p.strays = {4}, p.graph.reset(); }),
             ContainsSubstring("without a graph"));
  CHECK_THAT(refusal([](auto& p) { p.graph.emplace(p.graph->parameters()); }),
             ContainsSubstring("graph and vectors differ"));
}

TEST_CASE("two equal members are refused when a segment is built", "[vectors]") {
  Contents contents = random_contents(20);
  contents.members[3] = contents.members[17];
  CHECK_THROWS_AS(build_segment(std::move(contents), graph_build()), Corrupt);
}

TEST_CASE("a build that its control stops makes nothing", "[vectors]") {
  SegmentBuild build = graph_build();
  build.control = [](std::size_t done) { return done < 128; };
  CHECK(build_segment(random_contents(2'000), build) == nullptr);
}

TEST_CASE("beside codes and links a slot takes 40 bytes at most, and its factors", "[vectors]") {
  const auto segment = graph_segment(5'000);
  const std::size_t beside = segment->bytes() - segment->array().bytes() -
                             segment->graph()->bytes();
  CHECK(beside <= 40 * segment->size());
}
