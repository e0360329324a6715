#include <holdfast/core/error.h>
#include <holdfast/core/revision.h>

#include "support/catch.h"

#include <limits>

using namespace holdfast;

namespace {
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
}

TEST_CASE("the next revision is the clock when the clock has moved on", "[core]") {
  CHECK(next_revision(from_us(100), Revision{7}) == Revision{100});
}

TEST_CASE("the next revision is one past what was read when the clock has not moved", "[core]") {
  CHECK(next_revision(from_us(100), Revision{100}) == Revision{101});
  CHECK(next_revision(from_us(100), Revision{5000}) == Revision{5001});
}

TEST_CASE("the last revision there is can still be reached", "[core]") {
  CHECK(next_revision(from_us(1), Revision{kLast - 1}) == Revision{kLast});
}

TEST_CASE("nothing follows the last revision", "[core]") {
  try {
    (void)next_revision(from_us(1), Revision{kLast});
    FAIL("a revision past the last was given");
  } catch (const InvalidArgument& error) {
    CHECK(error.field() == "revision");
    CHECK(error.value() == std::to_string(kLast));
  }
}

TEST_CASE("the first revision is the clock, and at least 1", "[core]") {
  CHECK(first_revision(from_us(42)) == Revision{42});
  CHECK(first_revision(from_us(0)) == Revision{1});
  CHECK(first_revision(from_us(-9)) == Revision{1});
}
