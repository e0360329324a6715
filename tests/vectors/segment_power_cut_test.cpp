#include <sys/wait.h>
#include <unistd.h>

#include "vectors/segment_fixture.h"
#include "vectors/segment_folder.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

constexpr std::array kPoints{"segment_file.before_write", "segment_file.partial",
                             "segment_file.before_sync", "segment_file.before_rename",
                             "segment_file.after_rename"};

struct Stopped {};

/// A folder that holds a segment, and another segment that is to replace it.
class Replacing {
 public:
  Replacing() {
    put_bytes(folder_ / "test.db", "");
    REQUIRE(segments().write(identity_, *old_));
  }

  SegmentFolder segments() const { return {folder_ / "test.db", faults}; }
  const SegmentIdentity& identity() const { return identity_; }
  bool replace() const { return segments().write(identity_, *next_); }
  /// Writes, in a process that is killed at the point.
  void replace_and_die(const std::string& point) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      faults.arm([&](std::string_view at) {
        if (at == point) _exit(7);
      });
      _exit(replace() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WEXITSTATUS(status) == 7);
  }
  /// Of the segment that is there: 0 when it cannot be used.
  std::size_t size() const {
    const auto loaded = segments().load(identity_);
    return segment_in(loaded) != nullptr ? segment_in(loaded)->size() : 0;
  }
  std::size_t files() const { return segments().list().size(); }

  static constexpr std::size_t kOld = 30;
  static constexpr std::size_t kNext = 50;
  core::Faults faults;

 private:
  SegmentTestFolder folder_;
  std::unique_ptr<const Segment> old_ = graph_segment(kOld);
  std::unique_ptr<const Segment> next_ = graph_segment(kNext);
  SegmentIdentity identity_ = identity_of(*old_);
};

}  // namespace

TEST_CASE("a write that fails at any point leaves the old file or the new one, and no other",
          "[vectors]") {
  for (const std::string point : kPoints) {
    Replacing replacing;
    replacing.faults.arm([&](std::string_view at) {
      if (at == point) throw Stopped{};
    });
    CHECK_THROWS_AS(replacing.replace(), Stopped);
    const bool renamed = point == "segment_file.after_rename";
    CHECK(replacing.size() == (renamed ? Replacing::kNext : Replacing::kOld));
    CHECK(replacing.files() == 1);
  }
}

TEST_CASE("a writer killed at any point leaves one file more at most, which is removed",
          "[vectors][crash]") {
  for (const std::string point : kPoints) {
    Replacing replacing;
    replacing.replace_and_die(point);
    const bool renamed = point == "segment_file.after_rename";
    CHECK(replacing.size() == (renamed ? Replacing::kNext : Replacing::kOld));
    CHECK(replacing.files() == (renamed ? 1 : 2));
    CHECK(replacing.segments().remove_leftovers() == (renamed ? 0 : 1));
    CHECK(replacing.files() == 1);
    CHECK(replacing.size() != 0);
  }
}

TEST_CASE("what a killed writer left is replaced by the next", "[vectors][crash]") {
  Replacing replacing;
  replacing.replace_and_die("segment_file.before_rename");
  REQUIRE(replacing.files() == 2);
  REQUIRE(replacing.replace());
  CHECK(replacing.size() == Replacing::kNext);
  CHECK(replacing.files() == 1);
}

TEST_CASE("while one writes, another is turned away and nothing of the first is removed",
          "[vectors]") {
  Replacing replacing;
  const core::Faults unarmed;
  int met = 0;
  replacing.faults.arm([&](std::string_view at) {
    if (at != "segment_file.partial") return;
    ++met;
    const SegmentFolder other(replacing.segments().path().string().substr(
                                  0, replacing.segments().path().string().size() - 8),
                              unarmed);
    CHECK_FALSE(other.write(replacing.identity(), *graph_segment(10)));
    CHECK(other.remove_leftovers() == 0);
  });
  CHECK(replacing.replace());
  CHECK(met == 1);
  CHECK(replacing.size() == Replacing::kNext);
}
