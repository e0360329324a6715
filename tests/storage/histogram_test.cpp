#include <holdfast/storage/histogram.h>

#include "support/catch.h"

using holdfast::storage::Histogram;

TEST_CASE("a histogram counts each value under its power of two", "[storage]") {
  Histogram histogram;
  for (const std::uint64_t value : {0, 1, 2, 3, 4, 7, 8}) histogram.add(value);
  CHECK(histogram.buckets[0] == 1);
  CHECK(histogram.buckets[1] == 1);
  CHECK(histogram.buckets[2] == 2);
  CHECK(histogram.buckets[3] == 2);
  CHECK(histogram.buckets[4] == 1);
  CHECK(histogram.count == 7);
  CHECK(histogram.sum == 25);
  CHECK(histogram.max == 8);
}

TEST_CASE("a quantile is never too small, at most twice too large and at most the maximum",
          "[storage]") {
  Histogram histogram;
  CHECK(histogram.quantile(0.5) == 0);
  for (std::uint64_t value = 1; value <= 1000; ++value) histogram.add(value);
  for (const double q : {0.001, 0.01, 0.5, 0.9, 0.999}) {
    CAPTURE(q);
    CHECK(static_cast<double>(histogram.quantile(q)) >= 1000 * q);
    CHECK(static_cast<double>(histogram.quantile(q)) <= 2000 * q);
  }
  CHECK(histogram.quantile(0) == 1);
  CHECK(histogram.quantile(1) == 1000);
}

TEST_CASE("a value beyond the last bucket is kept in it", "[storage]") {
  Histogram histogram;
  histogram.add(UINT64_MAX);
  CHECK(histogram.buckets.back() == 1);
  CHECK(histogram.quantile(0.5) == UINT64_MAX);
}

TEST_CASE("histograms add up", "[storage]") {
  Histogram one;
  Histogram two;
  one.add(3);
  two.add(3);
  two.add(9);
  one.add(two);
  CHECK(one.buckets[2] == 2);
  CHECK(one.count == 3);
  CHECK(one.sum == 15);
  CHECK(one.max == 9);
}
