#include <random>

#include "vectors/segment_fixture.h"

using namespace holdfast;
using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Small, and with something in each of its sections.
std::unique_ptr<const Segment> small_segment(Form form = Form::codes) {
  const Shape shape{.dimension = 5, .metric = Metric::l2, .form = form};
  const auto folded = fold(*graph_segment(40, shape), [](Slot slot) { return slot % 8 != 1; },
                           empty_contents(shape), graph_build());
  SegmentParts parts = folded->parts();
  parts.strays = {3, 14};
  return std::make_unique<const Segment>(std::move(parts));
}

class Damaging {
 public:
  explicit Damaging(const Segment& segment)
      : identity_(identity_of(segment)), bytes_(written(segment, identity_)) {}

  const std::string& bytes() const { return bytes_; }
  std::string with_flip(std::size_t at, unsigned bit) const {
    std::string flipped = bytes_;
    flipped[at] = static_cast<char>(flipped[at] ^ (1U << bit));
    return flipped;
  }
  LoadedSegment load(const std::string& bytes) const {
    put_bytes(folder_ / "a", bytes);
    return load_segment(folder_ / "a", identity_);
  }
  bool is_refused(const std::string& bytes) const {
    const auto answer = load(bytes);
    return segment_in(answer) == nullptr && !why_not(answer).empty();
  }

 private:
  SegmentTestFolder folder_;
  SegmentIdentity identity_;
  std::string bytes_;
};

}  // namespace

TEST_CASE("a file with one bit changed, in any of its bytes, is not used", "[vectors]") {
  const Damaging damaging(*small_segment());
  REQUIRE_FALSE(damaging.is_refused(damaging.bytes()));
  for (std::size_t at = 0; at < damaging.bytes().size(); ++at) {
    const bool refused = damaging.is_refused(damaging.with_flip(at, at % 8));
    if (!refused) FAIL("used with a change at byte " << at);
  }
}

TEST_CASE("a file cut off anywhere is not used", "[vectors]") {
  const Damaging damaging(*small_segment());
  const std::string& bytes = damaging.bytes();
  for (std::size_t length = 0; length < bytes.size(); length += length < 600 ? 1 : 7) {
    if (!damaging.is_refused(bytes.substr(0, length))) FAIL("used at " << length << " bytes");
    if (!damaging.is_refused(sealed(bytes.substr(0, length)))) FAIL("sealed at " << length);
  }
}

TEST_CASE("a file with something behind its end is not used", "[vectors]") {
  const Damaging damaging(*small_segment());
  CHECK(damaging.is_refused(damaging.bytes() + '\0'));
  CHECK(damaging.is_refused(damaging.bytes() + damaging.bytes()));
  CHECK(damaging.is_refused(sealed(damaging.bytes() + std::string(16, '\0'))));
}

TEST_CASE("parts of two files together are not used", "[vectors]") {
  const Damaging one(*small_segment());
  const Damaging other(*small_segment(Form::floats));
  const Damaging twin(*build_segment(random_contents(40, {.dimension = 5}, 9), graph_build()));
  CHECK(one.is_refused(other.bytes()));
  for (std::size_t at = 50; at < one.bytes().size(); at += 50) {
    const auto spliced = [at](const std::string& a, const std::string& b) {
      return a.substr(0, at) + b.substr(std::min(at, b.size()));
    };
    CHECK(one.is_refused(spliced(one.bytes(), other.bytes())));
    CHECK(one.is_refused(spliced(one.bytes(), twin.bytes())));
    CHECK(twin.is_refused(spliced(twin.bytes(), one.bytes())));
  }
}

TEST_CASE("a file whose checksums match is refused or its searches stay within it", "[vectors]") {
  const auto form = GENERATE(Form::codes, Form::floats);
  const Damaging damaging(*small_segment(form));
  std::size_t used = 0;
  std::size_t refused = 0;
  for (std::size_t at = 0; at < damaging.bytes().size(); ++at) {
    for (const unsigned bit : {static_cast<unsigned>(at % 8), 7U, 0U}) {
      const auto answer = damaging.load(sealed(damaging.with_flip(at, bit)));
      const Segment* const segment = segment_in(answer);
      ++(segment != nullptr ? used : refused);
      if (segment != nullptr && !holds_together(*segment)) FAIL("byte " << at << " bit " << bit);
    }
  }
  // Else only the checksum was tried.
  CHECK(used > 100);
  CHECK(refused > 100);
}

TEST_CASE("random bytes in a file whose checksums match do no harm", "[vectors]") {
  const Damaging damaging(*small_segment());
  std::mt19937 random(17);
  for (int round = 0; round < 2'000; ++round) {
    std::string bytes = damaging.bytes();
    for (std::size_t changes = 1 + random() % 6; changes > 0; --changes) {
      bytes[24 + random() % (bytes.size() - 24)] = static_cast<char>(random() % 256);
    }
    const auto answer = damaging.load(sealed(bytes));
    if (segment_in(answer) != nullptr) REQUIRE(holds_together(*segment_in(answer)));
  }
}

TEST_CASE("a header that claims more than the file holds costs no memory", "[vectors]") {
  const Damaging damaging(*small_segment());
  constexpr std::size_t kSlotsAt = 24 + 16 + 32 + 8 + 8 + 8 + 4 + 4 + 8;
  std::string bytes = damaging.bytes();
  const std::uint64_t slots = 0x7fffffff;
  const std::uint64_t members = slots * sizeof(Member);
  REQUIRE(bytes[kSlotsAt] == 40);
  std::memcpy(bytes.data() + kSlotsAt, &slots, sizeof(slots));
  CHECK_THAT(why_not(damaging.load(sealed(bytes))), ContainsSubstring("as its slots need"));
  std::memcpy(bytes.data() + kSlotsAt + 16, &members, sizeof(members));
  CHECK(damaging.is_refused(sealed(bytes)));
}

TEST_CASE("a file of another version of the format is not used, and says so", "[vectors]") {
  const Damaging damaging(*small_segment());
  std::string bytes = damaging.bytes();
  bytes[8] = 2;
  const auto answer = damaging.load(sealed(bytes));
  CHECK(std::get<NotUsable>(answer).kind == NotUsable::Kind::other);
  CHECK_THAT(why_not(answer), ContainsSubstring("format version 2, where this program reads 1"));
}
