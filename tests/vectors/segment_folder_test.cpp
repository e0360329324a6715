#include "vectors/segment_folder.h"

#include <sys/stat.h>

#include <holdfast/core/error.h>

#include "vectors/segment_fixture.h"

using namespace holdfast;
using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Folder {
  SegmentTestFolder root;
  core::Faults faults;
  SegmentFolder segments{root / "graph.db", faults};
  std::unique_ptr<const Segment> segment = graph_segment(10);

  SegmentKey write(const std::string& model, std::int64_t generation) const {
    SegmentIdentity identity = identity_of(*segment);
    identity.key.model = model;
    identity.key.generation = generation;
    REQUIRE(segments.write(identity, *segment));
    return identity.key;
  }
  std::string name(const std::string& model) const {
    return segments.path_of({.space = uuid_of(1), .model = model, .generation = 1})
        .filename()
        .string();
  }
};

}  // namespace

TEST_CASE("segments lie in a folder beside the database, a file for each generation",
          "[vectors]") {
  const Folder folder;
  folder.write("m", 1);
  folder.write("m", 2);
  folder.write("m", 2);
  CHECK(folder.segments.path() == folder.root / "graph.db-vectors");
  CHECK(folder.segments.list().size() == 2);
}

TEST_CASE("any model's name makes a safe file name of its own", "[vectors]") {
  const Folder folder;
  const std::string alien = "../../etc/\xc3\xa9 *\n";
  CHECK_THAT(folder.name("MiniLM-L6"), Catch::Matchers::StartsWith("minilm_l6-"));
  CHECK(folder.name("a/b") != folder.name("a_b"));
  CHECK(folder.name("") != folder.name("_"));
  for (const std::string& model : {alien, std::string(), std::string(512, 'x')}) {
    const std::string name = folder.name(model);
    INFO(name);
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-.") == std::string::npos);
    CHECK(name.size() < 100);
    folder.write(model, 1);
  }
  CHECK(folder.segments.list().size() == 3);
}

TEST_CASE("what is of no given generation is removed, and nothing that is not ours",
          "[vectors]") {
  const Folder folder;
  const SegmentKey kept = folder.write("kept", 2);
  folder.write("kept", 1);
  folder.write("other", 2);
  put_bytes(temporary_path(folder.segments.path_of(kept).string()), "left");
  const auto alien = [&](const std::string& name) { return folder.segments.path() / name; };
  const std::array names{"notes.txt", "a.segment", "a-b-1.segment", ".segment", "x.tmp",
                         "a-0123456789abcdef0123456789abcde-1.segment"};
  for (const char* name : names) put_bytes(alien(name).string(), "not ours");
  std::filesystem::create_directory(alien("a-0123456789abcdef0123456789abcdef-1.segment"));
  CHECK(folder.segments.list().size() == 4);
  CHECK(folder.segments.remove_others(std::array{kept}) == 3);
  REQUIRE(folder.segments.list().size() == 1);
  CHECK(folder.segments.list()[0].name == folder.segments.path_of(kept).filename());
  for (const char* name : names) CHECK(std::filesystem::exists(alien(name)));
}

TEST_CASE("without a folder there is nothing to list, remove or load", "[vectors]") {
  const Folder folder;
  CHECK(folder.segments.list().empty());
  CHECK(folder.segments.remove_others({}) == 0);
  const auto answer = folder.segments.load(identity_of(*folder.segment));
  CHECK(std::get<NotUsable>(answer).kind == NotUsable::Kind::missing);
  CHECK_FALSE(std::filesystem::exists(folder.segments.path()));
}

TEST_CASE("whoever may read the database may read its segments, and nobody else", "[vectors]") {
  const auto mode = GENERATE(0600, 0640, 0644);
  const Folder folder;
  put_bytes(folder.root / "graph.db", "");
  std::filesystem::permissions(folder.root / "graph.db", std::filesystem::perms(mode));
  const SegmentKey key = folder.write("m", 1);
  const auto of = [](const std::filesystem::path& path) {
    return static_cast<int>(std::filesystem::status(path).permissions());
  };
  CHECK(of(folder.segments.path_of(key)) == mode);
  CHECK(of(folder.segments.path()) == (mode | 0100 | (mode & 0044) >> 2));
}

TEST_CASE("a folder that cannot be made says where and why", "[vectors]") {
  const SegmentTestFolder root;
  const core::Faults faults;
  const SegmentFolder segments(root / "none/graph.db", faults);
  const auto segment = graph_segment(3);
  CHECK_THROWS_WITH(segments.write(identity_of(*segment), *segment),
                    ContainsSubstring("graph.db-vectors: cannot make the folder: No such file"));
}
