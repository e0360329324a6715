// A file of a segment, whatever is in it: either it is not usable, or everything that can be done
// with a segment stays within it. The checksums are made right, so that what lies behind them is
// reached; that they keep damage away is what tests/vectors/segment_damage_test.cpp shows.

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <holdfast/core/error.h>

#include "vectors/segment_bytes.h"
#include "vectors/segment_file.h"

namespace {

using namespace holdfast;
using namespace holdfast::vectors;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// Files of one process, in memory where the system has such a folder.
std::string folder() {
  static const std::string made = [] {
    const bool has_memory = std::filesystem::is_directory("/dev/shm");
    std::string name = has_memory ? "/dev/shm/holdfast-fuzz-XXXXXX" : "/tmp/holdfast-fuzz-XXXXXX";
    require(mkdtemp(name.data()) != nullptr, "a folder can be made");
    static std::string to_remove = name;
    std::atexit([] { std::filesystem::remove_all(to_remove); });
    return name;
  }();
  return made;
}

/// That of the file itself, so that it is not refused for being another's.
SegmentIdentity identity_in(const std::string& bytes) {
  try {
    const std::size_t length =
        header_bytes(std::span(bytes).first(std::min(bytes.size(), kPreambleBytes)), bytes.size());
    return decode(std::span(bytes).first(length), bytes.size()).identity;
  } catch (const Error&) {
    return {};
  }
}

void search(const Segment& segment) {
  SearchWorkspace work(segment.array());
  std::vector<float> query(segment.array().dimension());
  for (std::size_t i = 0; i < query.size(); ++i) query[i] = static_cast<float>(i % 7) - 2;
  for (const std::size_t ef : {1, 5, 1'000}) {
    work.query.prepare(query);
    const auto found =
        segment.search(work, ef, [&](Slot slot) { return !segment.dead().test(slot); });
    require(std::ranges::is_sorted(found, {}, &Candidate::distance), "nearest first");
    std::vector<bool> met(segment.size());
    for (const Candidate& each : found) {
      require(each.slot < segment.size() && !segment.dead().test(each.slot), "a live slot");
      require(!met[each.slot], "each slot once");
      met[each.slot] = true;
    }
  }
}

void look_up(const Segment& segment) {
  for (const Slot slot : segment.order()) {
    const Member& member = segment.member(slot);
    require(member.kind < segment.kinds().size(), "a kind that is there");
    const auto slots = segment.slots_of(member.kind, member.id);
    require(std::find(slots.begin(), slots.end(), slot) != slots.end(), "found by its source");
  }
}

void fold_once(const Segment& segment) {
  SegmentBuild build{.graph = HnswParameters{}, .stray_ef = 10};
  if (segment.graph() != nullptr) build.graph = segment.graph()->parameters();
  build.graph->ef_construction = std::min(build.graph->ef_construction, 40);
  Contents tail{.kinds = segment.kinds(),
                .members = {},
                .array = VectorArray(segment.array().dimension(), segment.array().metric(),
                                     segment.array().form()),
                .cursor = segment.cursor()};
  for (const std::size_t step : {3, 16}) {
    const auto folded = fold(segment, [step](Slot slot) { return slot % step != 1; }, tail, build);
    search(*folded);
  }
}

void write_again(const Segment& segment, const SegmentIdentity& identity) {
  const core::Faults faults;
  require(write_segment(folder() + "/again", 0600, identity, segment, faults), "it is written");
  const auto again = load_segment(folder() + "/again", identity);
  require(again.index() == 0, "what was loaded is written and loaded again");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  const std::string file =
      test::sealed(std::string(reinterpret_cast<const char*>(bytes), count));
  const SegmentIdentity identity = identity_in(file);
  test::put_bytes(folder() + "/file", file);
  const auto loaded = load_segment(folder() + "/file", identity);
  if (const auto* const reason = std::get_if<NotUsable>(&loaded)) {
    require(!reason->why.empty(), "it says why");
    return 0;
  }
  const Segment& segment = *std::get<0>(loaded);
  search(segment);
  look_up(segment);
  if (count < 4'096) fold_once(segment);
  if (count % 8 == 0) write_again(segment, identity);
  return 0;
}
