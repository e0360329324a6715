#include "vectors/flat_scan.h"

#include <algorithm>
#include <numeric>

#include "sample.h"
#include "support/catch.h"

using namespace holdfast;
using namespace holdfast::vectors;

namespace {

constexpr std::size_t kDimension = 17;

Rows rows_of(std::size_t count) {
  return tests::Clustered{.dimension = kDimension, .centres = 10, .noise = 1, .seed = 5}.make(
      count, 0);
}

/// All of them in order, by the metric itself.
std::vector<Candidate> in_order(const Rows& rows, std::span<const float> query, Metric metric) {
  std::vector<Candidate> all;
  for (Slot slot = 0; slot < rows.size() / kDimension; ++slot) {
    all.push_back({distance(metric, query, tests::row(rows, kDimension, slot)), slot});
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Candidate> copied(std::span<const Candidate> found) {
  return {found.begin(), found.end()};
}

}  // namespace

TEST_CASE("a scan of floats is exact, for any count", "[vectors]") {
  const Rows rows = rows_of(500);
  for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
    const VectorArray array = array_of(rows, kDimension, metric, Form::floats);
    SearchWorkspace work(array);
    const auto query = tests::row(rows, kDimension, 42);
    work.query.prepare(query);
    const auto all = in_order(rows, query, metric);
    for (const std::size_t count : {0U, 1U, 10U, 499U, 500U, 501U}) {
      const auto first = std::span(all).first(std::min<std::size_t>(count, 500));
      CHECK(copied(scan(array, work, count, AcceptAll{})) == copied(first));
    }
  }
}

TEST_CASE("a scan returns only what its predicate accepts", "[vectors]") {
  const Rows rows = rows_of(300);
  const VectorArray array = array_of(rows, kDimension, Metric::l2, Form::floats);
  SearchWorkspace work(array);
  work.query.prepare(tests::row(rows, kDimension, 1));
  const auto odd = [](Slot slot) { return slot % 2 == 1; };
  const auto found = scan(array, work, 1000, odd);
  CHECK(found.size() == 150);
  CHECK(std::all_of(found.begin(), found.end(),
                    [&](const Candidate& one) { return odd(one.slot); }));
}

TEST_CASE("a scan of listed slots is a scan that accepts those", "[vectors]") {
  const Rows rows = rows_of(300);
  for (const Form form : {Form::codes, Form::floats}) {
    const VectorArray array = array_of(rows, kDimension, Metric::cosine, form);
    SearchWorkspace work(array);
    work.query.prepare(tests::row(rows, kDimension, 1));
    std::vector<Slot> slots;
    for (Slot slot = 0; slot < 300; slot += 7) slots.push_back(slot);
    const auto listed = copied(scan_slots(array, work, slots, 20));
    CHECK(listed == copied(scan(array, work, 20, [](Slot slot) { return slot % 7 == 0; })));
  }
}

TEST_CASE("of equally near slots the first are kept", "[vectors]") {
  Rows rows;
  for (int i = 0; i < 100; ++i) rows.insert(rows.end(), kDimension, 1.0F);
  const VectorArray array = array_of(rows, kDimension, Metric::cosine, Form::codes);
  SearchWorkspace work(array);
  work.query.prepare(tests::row(rows, kDimension, 0));
  const auto found = scan(array, work, 10, AcceptAll{});
  for (Slot slot = 0; slot < 10; ++slot) CHECK(found[slot].slot == slot);
}

TEST_CASE("equally near slots are kept by another order when one is given", "[vectors]") {
  Rows rows;
  for (int i = 0; i < 100; ++i) rows.insert(rows.end(), kDimension, 1.0F);
  const VectorArray array = array_of(rows, kDimension, Metric::cosine, Form::codes);
  SearchWorkspace work(array);
  work.query.prepare(tests::row(rows, kDimension, 0));
  const auto last_first = [](const Candidate& a, const Candidate& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.slot > b.slot);
  };
  const auto found = scan(array, work, 10, AcceptAll{}, last_first);
  for (Slot i = 0; i < 10; ++i) CHECK(found[i].slot == 99 - i);
}
