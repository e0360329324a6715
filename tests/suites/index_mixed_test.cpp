#include <algorithm>
#include <map>

#include "suites/similar_support.h"

namespace holdfast::test {
namespace {

/// Random writes beside what they should come to.
class Mixed {
 public:
  Mixed(SimilarStore::Options options, std::uint64_t seed) : f(std::move(options)), random(seed) {}

  void write_one() {
    const auto what = random() % 10;
    if (vectors.empty() || what < 5) {
      const Embedding vector = random_vector(random, 4);
      last = f.add(vector).id;
      vectors[last] = vector;
    } else {
      auto at = vectors.begin();
      std::advance(at, static_cast<std::ptrdiff_t>(random() % vectors.size()));
      last = at->first;
      if (what < 8) {
        at->second = random_vector(random, 4);
        f.set(last, at->second);
      } else {
        f.remove(last);
        vectors.erase(at);
      }
    }
    f.embed();
  }

  /// Whether the row is found by its own vector, or as many that are no farther.
  bool is_found(EntityId id) {
    const auto answer = f.nearest(vectors.at(id), 10);
    return std::any_of(answer.items.begin(), answer.items.end(),
                       [&](const SimilarItem& item) { return item.id == id.uuid; }) ||
           (answer.items.size() == 10 && answer.items.back().distance == 0);
  }
  bool is_found_no_more(EntityId id) {
    const auto answer = f.nearest({0, 0, 0, 0}, 1000);
    return std::none_of(answer.items.begin(), answer.items.end(),
                        [&](const SimilarItem& item) { return item.id == id.uuid; });
  }
  /// A few of those that are there, the last one among them.
  void check_some() {
    if (vectors.contains(last)) {
      REQUIRE(is_found(last));
    } else {
      REQUIRE(is_found_no_more(last));
    }
    for (int i = 0; i < 2 && !vectors.empty(); ++i) {
      auto at = vectors.begin();
      std::advance(at, static_cast<std::ptrdiff_t>(random() % vectors.size()));
      REQUIRE(is_found(at->first));
    }
  }
  void check_all() {
    for (const auto& [id, vector] : vectors) REQUIRE(is_found(id));
    CHECK(f.space->verify_index().findings_total == 0);
    CHECK(f.space->index_status().vectors == vectors.size());
  }

  SimilarStore f;
  std::mt19937_64 random;
  std::map<EntityId, Embedding> vectors;
  EntityId last;
};

TEST_CASE("a row is found by its own vector after every one of many mixed writes",
          "[index][H6][H1]") {
  Mixed mixed(SimilarStore::in_graph(), 11);
  mixed.f.space->load_index();
  for (int i = 0; i < 300; ++i) {
    mixed.write_one();
    mixed.check_some();
  }
  mixed.check_all();
}

TEST_CASE("every row is found by its own vector after each of 10,000 mixed writes",
          "[index][soak]") {
  Mixed mixed(SimilarStore::in_graph(), 12);
  mixed.f.space->load_index();
  for (int i = 0; i < 10'000; ++i) {
    mixed.write_one();
    mixed.check_some();
    if (i % 1000 == 999) mixed.check_all();
  }
}

TEST_CASE("one sequence of writes and searches makes one and the same index", "[index]") {
  std::vector<std::vector<SimilarItem>> answers[2];
  for (auto& of_one : answers) {
    Mixed mixed(SimilarStore::in_graph(), 13);
    mixed.f.space->load_index();
    for (int i = 0; i < 100; ++i) {
      mixed.write_one();
      of_one.push_back(mixed.f.nearest(random_vector(mixed.random, 4)).items);
    }
  }
  CHECK(answers[0] == answers[1]);
}

}  // namespace
}  // namespace holdfast::test
