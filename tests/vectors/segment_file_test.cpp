#include "vectors/segment_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include <holdfast/core/error.h>

#include "storage/unprivileged.h"
#include "vectors/segment_fixture.h"

using namespace holdfast;
using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

bool equal(const Segment& a, const Segment& b) {
  const auto same = [](auto left, auto right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
  };
  bool graphs = (a.graph() == nullptr) == (b.graph() == nullptr);
  if (graphs && a.graph() != nullptr) {
    graphs = same(a.graph()->raw_levels(), b.graph()->raw_levels()) &&
             same(a.graph()->raw_neighbors(), b.graph()->raw_neighbors()) &&
             a.graph()->raw_entry_point() == b.graph()->raw_entry_point();
  }
  return graphs && a.kinds() == b.kinds() && a.cursor() == b.cursor() && a.dead() == b.dead() &&
         a.parts().contents.members == b.parts().contents.members &&
         std::ranges::equal(a.parts().contents.members, b.parts().contents.members, {},
                            &Member::number, &Member::number) &&
         same(a.array().raw_vectors(), b.array().raw_vectors()) && same(a.order(), b.order()) &&
         same(a.strays(), b.strays());
}

void check_round_trip(const Segment& segment) {
  const std::string bytes = written(segment);
  const auto again = loaded(bytes, identity_of(segment));
  INFO(why_not(again));
  REQUIRE(segment_in(again) != nullptr);
  CHECK(equal(*segment_in(again), segment));
  CHECK(holds_together(*segment_in(again)));
  CHECK(written(*segment_in(again)) == bytes);
}

}  // namespace

TEST_CASE("a segment read back is the one that was written, to the last byte", "[vectors]") {
  const auto metric = GENERATE(Metric::cosine, Metric::ip, Metric::l2);
  const auto form = GENERATE(Form::codes, Form::floats);
  const Shape shape{.dimension = 20, .metric = metric, .form = form};
  check_round_trip(*build_segment(random_contents(150, shape), graph_build()));
  check_round_trip(*build_segment(random_contents(70, shape), SegmentBuild{}));
}

TEST_CASE("segments of none, one and few vectors are read back", "[vectors]") {
  for (const std::size_t count : {0, 1, 2, 64}) {
    check_round_trip(*graph_segment(count));
    check_round_trip(*build_segment(random_contents(count), SegmentBuild{}));
  }
}

TEST_CASE("dead slots and strays are read back", "[vectors]") {
  const auto folded = fold(*graph_segment(200), [](Slot slot) { return slot % 7 != 0; },
                           empty_contents(), graph_build());
  REQUIRE(folded->dead().count() > 0);
  SegmentParts parts = folded->parts();
  parts.strays = {1, 2, 199};
  check_round_trip(Segment(std::move(parts)));
}

TEST_CASE("equal vectors make equal files", "[vectors]") {
  CHECK(written(*graph_segment(500)) == written(*graph_segment(500)));
}

TEST_CASE("a file of another identity is not usable, and says in what it differs", "[vectors]") {
  const auto segment = graph_segment(20);
  const std::string bytes = written(*segment);
  const auto reason = [&](const std::function<void(SegmentIdentity&)>& change) {
    SegmentIdentity wanted = identity_of(*segment);
    change(wanted);
    const auto answer = loaded(bytes, wanted);
    const auto* const not_usable = std::get_if<NotUsable>(&answer);
    CHECK((not_usable != nullptr && not_usable->kind == NotUsable::Kind::other));
    return why_not(answer);
  };
  CHECK(reason([](auto& w) { w.database = "copy"; }) ==
        "it is of another database, or of another state of this one");
  CHECK(reason([](auto& w) { w.key.space = uuid_of(98); }) == "it is of another space");
  CHECK(reason([](auto& w) { w.key.model = "m"; }) ==
        "it is of another model, all-MiniLM L6/v2");
  CHECK(reason([](auto& w) { w.key.generation = 4; }) == "it is of generation 3");
  CHECK(reason([](auto& w) { w.signature[31] = 1; }) ==
        "it is of another declaration of the model");
  CHECK(reason([](auto& w) { w.dimension = 13; }) ==
        "its vectors have dimension 12 and metric cosine");
  CHECK(reason([](auto& w) { w.metric = Metric::l2; }) ==
        "its vectors have dimension 12 and metric cosine");
  CHECK(reason([](auto& w) { w.form = Form::floats; }) == "its vectors are kept in another form");
  CHECK(reason([](auto& w) { w.graph.ef_construction = 21; }) ==
        "its graph is built with m 4, ef_construction 20, seed 1");
}

TEST_CASE("what is no readable file is not usable, and says why", "[vectors]") {
  const SegmentTestFolder folder;
  const auto kind = [&](const std::string& path) {
    const auto answer = load_segment(path, identity_of(*graph_segment(2)));
    return std::get<NotUsable>(answer).kind;
  };
  CHECK(kind(folder / "none") == NotUsable::Kind::missing);
  CHECK(kind(folder.path().string()) == NotUsable::Kind::unreadable);
  put_bytes(folder / "empty", "");
  CHECK(kind(folder / "empty") == NotUsable::Kind::damaged);
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(kind(folder / "pipe") == NotUsable::Kind::unreadable);
  std::filesystem::create_symlink(folder / "empty", folder / "link");
  CHECK(kind(folder / "link") == NotUsable::Kind::unreadable);
}

TEST_CASE("a file that may not be read or replaced says so", "[vectors]") {
  const SegmentTestFolder folder;
  const auto segment = graph_segment(20);
  const core::Faults faults;
  REQUIRE(write_segment(folder / "a", 0600, identity_of(*segment), *segment, faults));
  const ReadOnlyFolder read_only(folder.path());
  std::filesystem::permissions(folder / "a", std::filesystem::perms::none);
  CHECK(as_nobody([&] { return why_not(load_segment(folder / "a", identity_of(*segment))); }) ==
        "cannot open it: Permission denied");
  const std::string refusal = as_nobody([&]() -> std::string {
    return write_segment(folder / "a", 0600, identity_of(*segment), *segment, faults) ? "" : "no";
  });
  CHECK_THAT(refusal, ContainsSubstring("a.tmp: cannot open: Permission denied"));
}

TEST_CASE("a full disk is Full, and leaves nothing behind", "[vectors]") {
  const SegmentTestFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const auto segment = graph_segment(2'000);
  const core::Faults faults;
  const std::string outcome = as_nobody([&]() -> std::string {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 10'000, .rlim_max = 10'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      return write_segment(folder / "a", 0600, identity_of(*segment), *segment, faults) ? "" : "no";
    } catch (const Full& error) {
      return std::string("Full: ") + error.what();
    }
  });
  CHECK_THAT(outcome, ContainsSubstring("Full: segment file: "));
  CHECK_THAT(outcome, ContainsSubstring("cannot write: File too large"));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("the file has the mode it was given, also where a leftover had another", "[vectors]") {
  const SegmentTestFolder folder;
  const auto segment = graph_segment(20);
  put_bytes(temporary_path(folder / "a"), "left by a writer that was killed");
  const core::Faults faults;
  REQUIRE(write_segment(folder / "a", 0640, identity_of(*segment), *segment, faults));
  CHECK(std::filesystem::status(folder / "a").permissions() == std::filesystem::perms(0640));
  CHECK(segment_in(load_segment(folder / "a", identity_of(*segment))) != nullptr);
}
