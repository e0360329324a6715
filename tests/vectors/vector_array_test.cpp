#include <cmath>
#include <cstring>
#include <limits>

#include <holdfast/core/error.h>

#include "sample.h"
#include "support/catch.h"

using namespace holdfast;
using namespace holdfast::vectors;

namespace {

constexpr Metric kMetrics[] = {Metric::cosine, Metric::ip, Metric::l2};
constexpr Form kForms[] = {Form::codes, Form::floats};

Rows random_rows(std::size_t dimension, std::size_t count) {
  return tests::Clustered{.dimension = dimension, .centres = 5, .noise = 1, .seed = 7}.make(count,
                                                                                           0);
}

std::vector<Factors> copied(std::span<const Factors> factors) {
  return {factors.begin(), factors.end()};
}

}  // namespace

TEST_CASE("distances are those of the definition", "[vectors]") {
  const float a[] = {3, 4, 0};
  const float b[] = {0, 4, 3};
  CHECK(distance(Metric::cosine, a, b) == Approx(1 - 16.0 / 25));
  CHECK(distance(Metric::ip, a, b) == Approx(-16));
  CHECK(distance(Metric::l2, a, b) == Approx(std::sqrt(18.0)));
}

TEST_CASE("the cosine distance to a zero vector is one", "[vectors]") {
  const float zero[] = {0, 0, 0};
  const float one[] = {1, 2, 3};
  CHECK(distance(Metric::cosine, zero, one) == 1);
  CHECK(distance(Metric::cosine, one, zero) == 1);
  CHECK(distance(Metric::cosine, zero, zero) == 1);
}

TEST_CASE("cosines of the smallest numbers there are are cosines", "[vectors]") {
  const float least = std::numeric_limits<float>::denorm_min();
  const float tiny[] = {least, least};
  const float axis[] = {1, 0};
  const float tiny_axis[] = {0, 1e-30F};
  CHECK(distance(Metric::cosine, tiny, axis) == Approx(1 - std::sqrt(0.5)).margin(1e-6));
  CHECK(distance(Metric::cosine, tiny, tiny_axis) == Approx(1 - std::sqrt(0.5)).margin(1e-6));
  CHECK(distance(Metric::cosine, tiny, tiny) == Approx(0).margin(1e-6));
}

TEST_CASE("a metric is read by its name, and no other word is one", "[vectors]") {
  for (const Metric metric : kMetrics) CHECK(parse_metric("metric", to_string(metric)) == metric);
  CHECK_THROWS_AS(parse_metric("metric", "L2"), InvalidArgument);
}

TEST_CASE("vectors that are not finite, or overflow, do not fit", "[vectors]") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(fits(std::vector<float>{1, 2}));
  CHECK(fits(std::vector<float>{3e18F, 0}));
  CHECK_FALSE(fits(std::vector<float>{1, std::numeric_limits<float>::quiet_NaN()}));
  CHECK_FALSE(fits(std::vector<float>{-infinity, 1}));
  CHECK_FALSE(fits(std::vector<float>{3e18F, 3e18F}));
}

TEST_CASE("floats give the distance itself, at every dimension", "[vectors]") {
  for (const Metric metric : kMetrics) {
    for (std::size_t dimension = 1; dimension <= 130; ++dimension) {
      const Rows rows = random_rows(dimension, 3);
      const VectorArray array = array_of(rows, dimension, metric, Form::floats);
      PreparedQuery query(array);
      query.prepare(tests::row(rows, dimension, 0));
      for (const Slot slot : {0U, 1U, 2U}) {
        const float exact = distance(metric, tests::row(rows, dimension, 0),
                                     tests::row(rows, dimension, slot));
        CHECK(to_distance(metric, query.comparable(array, slot)) == exact);
      }
    }
  }
}

TEST_CASE("codes estimate distances to a hundredth of the norms, at every dimension",
          "[vectors]") {
  for (const Metric metric : kMetrics) {
    for (std::size_t dimension = 1; dimension <= 130; ++dimension) {
      const Rows rows = random_rows(dimension, 2);
      const VectorArray array = array_of(rows, dimension, metric, Form::codes);
      const auto a = tests::row(rows, dimension, 0);
      const auto b = tests::row(rows, dimension, 1);
      PreparedQuery query(array);
      query.prepare(a);
      const float norms = 1 / (inverse_norm(a) * inverse_norm(b));
      const float exact = distance(metric, a, b);
      const float wanted = metric == Metric::l2 ? exact * exact : exact;
      const float scale = metric == Metric::cosine ? 1 : norms;
      CAPTURE(dimension, to_string(metric));
      CHECK(std::abs(query.comparable(array, 1) - wanted) <= 0.02F * scale);
    }
  }
}

TEST_CASE("a slot as a query, and two slots, compare to the last bit as the vector does",
          "[vectors]") {
  for (const Metric metric : kMetrics) {
    for (const Form form : kForms) {
      const Rows rows = random_rows(77, 9);
      const VectorArray array = array_of(rows, 77, metric, form);
      PreparedQuery by_vector(array);
      PreparedQuery by_slot(array);
      for (Slot a = 0; a < 9; ++a) {
        by_vector.prepare(tests::row(rows, 77, a));
        by_slot.prepare(array, a);
        for (Slot b = 0; b < 9; ++b) {
          CHECK(by_vector.comparable(array, b) == by_slot.comparable(array, b));
          CHECK(by_vector.comparable(array, b) == array.comparable(a, b));
          CHECK(array.comparable(a, b) == array.comparable(b, a));
        }
      }
    }
  }
}

TEST_CASE("zero vectors and the smallest ones compare as numbers", "[vectors]") {
  const Rows rows{0, 0, 0, 1e-45F, 0, 0, 1e-30F, 1e-30F, 0, 3e18F, 0, 0, 1, 2, 3};
  for (const Metric metric : kMetrics) {
    for (const Form form : kForms) {
      const VectorArray array = array_of(rows, 3, metric, form);
      for (Slot a = 0; a < array.size(); ++a) {
        for (Slot b = 0; b < array.size(); ++b) {
          CHECK(std::isfinite(array.comparable(a, b)));
        }
        if (metric == Metric::cosine) CHECK(array.comparable(0, a) == 1);
        if (metric == Metric::ip) CHECK(array.comparable(0, a) == 0);
      }
    }
  }
}

TEST_CASE("a slot of another array is added byte for byte", "[vectors]") {
  for (const Form form : kForms) {
    const Rows rows = random_rows(33, 40);
    const VectorArray from = array_of(rows, 33, Metric::l2, form);
    VectorArray to(33, Metric::l2, form);
    for (Slot slot = 0; slot < from.size(); ++slot) CHECK(to.add_from(from, slot) == slot);
    const auto a = from.raw_vectors();
    const auto b = to.raw_vectors();
    REQUIRE(a.size() == b.size());
    CHECK(std::memcmp(a.data(), b.data(), a.size()) == 0);
    CHECK(std::memcmp(from.raw_factors().data(), to.raw_factors().data(),
                      from.raw_factors().size_bytes()) == 0);
  }
}

TEST_CASE("an array is made again from its raw parts", "[vectors]") {
  for (const Metric metric : kMetrics) {
    for (const Form form : kForms) {
      const VectorArray array = array_of(random_rows(33, 40), 33, metric, form);
      const VectorArray again(33, metric, form, array.raw_vectors(), array.raw_factors());
      REQUIRE(again.size() == 40);
      for (Slot slot = 0; slot < 40; ++slot) {
        CHECK(again.comparable(slot, 3) == array.comparable(slot, 3));
      }
    }
  }
}

TEST_CASE("raw parts that no array gave are refused", "[vectors]") {
  const VectorArray array = array_of(random_rows(8, 4), 8, Metric::ip, Form::codes);
  const auto make = [&](std::span<const std::byte> vectors, const std::vector<Factors>& factors) {
    return VectorArray(8, Metric::ip, Form::codes, vectors, factors);
  };
  const auto vectors = array.raw_vectors();
  auto factors = copied(array.raw_factors());
  REQUIRE(make(vectors, factors).size() == 4);
  CHECK_THROWS_AS(make(vectors.first(31), factors), Corrupt);
  factors[2].sum += 1;
  CHECK_THROWS_AS(make(vectors, factors), Corrupt);
  for (const float bad : {-1.0F, 1e30F, std::numeric_limits<float>::quiet_NaN()}) {
    factors = copied(array.raw_factors());
    factors[2].scale = bad;
    CHECK_THROWS_AS(make(vectors, factors), Corrupt);
  }
  factors = copied(array.raw_factors());
  factors[2].squared_norm = std::numeric_limits<float>::infinity();
  CHECK_THROWS_AS(make(vectors, factors), Corrupt);
}

TEST_CASE("raw floats that are not finite are refused", "[vectors]") {
  const VectorArray array = array_of(random_rows(8, 4), 8, Metric::ip, Form::floats);
  std::vector<std::byte> vectors(array.raw_vectors().begin(), array.raw_vectors().end());
  const float bad = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(vectors.data() + 20, &bad, sizeof bad);
  CHECK_THROWS_AS(
      VectorArray(8, Metric::ip, Form::floats, vectors, copied(array.raw_factors())), Corrupt);
}

TEST_CASE("rounding leads no cosine distance beyond 0 and 2", "[vectors]") {
  float least = 1;
  float most = 1;
  for (const auto& row : {random_rows(7, 500), random_rows(300, 500)}) {
    const std::size_t dimension = row.size() / 500;
    VectorArray array(dimension, Metric::cosine, Form::floats);
    PreparedQuery query(array);
    for (std::size_t i = 0; i < 500; ++i) {
      const auto vector = std::span(row).subspan(i * dimension, dimension);
      std::vector<float> opposite(vector.begin(), vector.end());
      for (float& component : opposite) component = -component;
      const Slot slot = array.add(vector);
      query.prepare(vector);
      least = std::min({least, distance(Metric::cosine, vector, vector),
                        query.comparable(array, slot)});
      query.prepare(opposite);
      most = std::max({most, distance(Metric::cosine, vector, opposite),
                       query.comparable(array, slot)});
    }
  }
  CHECK(least == 0);
  CHECK(most == 2);
}
