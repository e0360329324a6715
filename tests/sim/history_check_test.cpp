#include "sim/histories.h"
#include "support/catch.h"
#include "support/marks.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

const HistoryShape kSmall{.clients = 4, .operations = 6, .rows = 2, .unknown_percent = 0};

}  // namespace

TEST_CASE("the history of perfect rows is found without fault", "[sim]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    REQUIRE(check_history(make_history(seed, kSmall)).empty());
    HistoryShape large{.clients = 16, .operations = 100, .rows = 10, .unknown_percent = 5};
    if (seed % 20 == 0) REQUIRE(check_history(make_history(seed, large)).empty());
  }
}

TEST_CASE("an unknown write explains a gap that nothing else does", "[sim]") {
  using Answer = Operation::Answer;
  History history{.initial = {{0, 1}},
                  .operations = {{.row = 0, .answer = Answer::unknown, .called = 1,
                                  .returned = 0, .expected = 1, .revision = 5},
                                 {.row = 0, .answer = Answer::applied, .called = 2,
                                  .returned = 3, .expected = 5, .revision = 6}}};
  CHECK(check_history(history).empty());
  CHECK(is_linearizable(history));
  history.operations.front().called = 4;  // after what builds on it had returned
  CHECK_FALSE(check_history(history).empty());
  CHECK_FALSE(is_linearizable(history));
}

TEST_CASE("every seeded fault in a history is found", "[sim]") {
  REQUIRE(seeded_faults().size() >= 8);
  for (const SeededFault& fault : seeded_faults()) {
    std::uint64_t injected = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      CAPTURE(fault.name, seed);
      core::Random random(seed);
      History history = make_history(seed, kSmall);
      if (!fault.inject(history, random)) continue;
      ++injected;
      REQUIRE_FALSE(check_history(history).empty());
    }
    CAPTURE(fault.name);
    CHECK(injected >= 100);
  }
}

TEST_CASE("checking chains and trying every order give one verdict", "[sim]") {
  Marks marks;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    core::Random random(seed);
    const auto unknown = static_cast<unsigned>(random.below(3) * 20);
    History history = make_history(seed, {.clients = 2 + random.below(3),
                                          .operations = 2 + random.below(5),
                                          .rows = 1 + random.below(2),
                                          .unknown_percent = unknown});
    const auto& fault = seeded_faults()[random.below(seeded_faults().size())];
    const bool is_faulted = random.below(3) > 0 && fault.inject(history, random);
    const bool is_right = is_linearizable(history);
    marks.hit(is_right ? "right" : "wrong");
    if (is_faulted && is_right) marks.hit("a fault that unknown writes explain");
    CAPTURE(seed, is_faulted, fault.name, is_right);
    REQUIRE(check_history(history).empty() == is_right);
  }
  CHECK(marks.count("right") > 300);
  CHECK(marks.count("wrong") > 300);
  CHECK(marks.count("a fault that unknown writes explain") > 0);
}
