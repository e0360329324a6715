#include <atomic>
#include <thread>

#include "suites/similar_support.h"

namespace holdfast::test {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr int kWrites = 20;
#else
constexpr int kWrites = 100;
#endif

SimilarStore::Options in_background() {
  auto options = SimilarStore::in_graph();
  options.index.background = true;
  options.index.threads = 1;
  options.in_real_time = true;
  return options;
}

/// What a searcher may never see: rows twice, or out of order.
bool is_well_formed(const SimilarAnswer& answer) {
  std::set<Uuid> ids;
  for (std::size_t i = 0; i < answer.items.size(); ++i) {
    if (!ids.insert(answer.items[i].id).second) return false;
    if (i > 0 && answer.items[i].distance < answer.items[i - 1].distance) return false;
  }
  return true;
}

TEST_CASE("ten threads search while four write, and every row is found", "[index][H1][H7]") {
  SimilarStore f(in_background());
  for (int i = 0; i < 50; ++i) (void)f.add(along(i));
  f.embed();
  std::atomic<int> writing{4};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  std::vector<std::vector<std::pair<EntityId, Embedding>>> added(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kWrites; ++i) {
        const Embedding vector = {1.0F * static_cast<float>(i), 1.0F + static_cast<float>(t), 0, 0};
        // What Catch2 checks is for one thread.
        Entity entity;
        entity.kind = "person";
        entity.name = numbers(vector);
        const auto result = f.space->entities().insert_if_absent(entity);
        if (!result.applied()) ++wrong;
        added[static_cast<std::size_t>(t)].emplace_back(result.current->id, vector);
      }
      --writing;
    });
  }
  threads.emplace_back([&] {
    while (writing > 0) f.embed();
  });
  for (int t = 0; t < 10; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<std::uint64_t>(t));
      while (writing > 0) {
        const auto answer = f.nearest(random_vector(random, 4), 20);
        if (answer.items.size() != 20 || !is_well_formed(answer)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  f.embed();
  CHECK(wrong == 0);
  for (const auto& of_one : added) {
    for (const auto& [id, vector] : of_one) CHECK(f.nearest(vector, 1).items[0].id == id.uuid);
  }
  CHECK(f.space->verify_index().findings_total == 0);
}

TEST_CASE("twenty threads add rows with their vectors at once, and each is found at once",
          "[index][H21]") {
  SimilarStore f(in_background());
  (void)f.embedded(along(0));
  f.space->load_index();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 20; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kWrites / 10; ++i) {
        const Embedding vector = {1.0F * static_cast<float>(i), 1.0F + static_cast<float>(t), 0, 0};
        Entity entity;
        entity.kind = "person";
        entity.name = numbers(vector);
        const WriteOptions options{.vectors = {{.model = "m", .vectors = {vector}}}};
        const auto result = f.space->entities().insert_if_absent(entity, options);
        if (!result.applied()) {
          ++wrong;
          continue;
        }
        const auto answer = f.nearest(vector, 1);
        if (answer.items.size() != 1 || answer.items[0].id != result.current->id.uuid) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(f.nearest(along(0), 1000).items.size() == 1 + 20 * (kWrites / 10));
  CHECK(f.space->verify_index().findings_total == 0);
}

TEST_CASE("tombstones are cleared away beside adds and searches, and nothing else goes",
          "[index][H5]") {
  SimilarStore f(in_background());
  for (int i = 0; i < 20; ++i) (void)f.add(along(i));
  f.embed();
  std::atomic<bool> is_done{false};
  std::atomic<int> wrong{0};
  std::atomic<int> cleared{0};
  std::thread clearing([&] {
    while (!is_done) {
      (void)f.space->compact_index();
      ++cleared;
    }
  });
  std::thread searching([&] {
    while (!is_done) {
      const auto answer = f.nearest(along(0), 20);
      if (answer.items.size() != 20 || !is_well_formed(answer)) ++wrong;
    }
  });
  for (int i = 0; i < kWrites || cleared < 3; ++i) {
    const Entity passing = f.embedded(along(1000 + i));
    if (f.ids_near(along(1000 + i), 1) != std::vector<Uuid>{passing.id.uuid}) ++wrong;
    f.remove(passing.id);
    f.embed();
  }
  is_done = true;
  clearing.join();
  searching.join();
  CHECK(wrong == 0);
  CHECK(f.nearest(along(0), 1000).items.size() == 20);
  CHECK(f.space->verify_index().findings_total == 0);
}

TEST_CASE("concurrent searches of one instant answer like one after the other", "[index][H7]") {
  SimilarStore f(in_background());
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) (void)f.add(random_vector(random, 4));
  f.embed();
  f.space->load_index();
  std::vector<Embedding> queries;
  std::vector<SimilarAnswer> expected;
  for (int i = 0; i < 20; ++i) {
    queries.push_back(random_vector(random, 4));
    expected.push_back(f.nearest(queries.back()));
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < queries.size(); ++i) {
        if (f.nearest(queries[i]).items != expected[i].items) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("closing a store ends what is being built for it", "[index]") {
  SimilarStore f(in_background());
  std::mt19937_64 random(2);
  for (int i = 0; i < 300; ++i) (void)f.add(random_vector(random, 4));
  f.embed();
  CHECK(f.nearest({0, 0, 0, 0}).searched == SearchedIn::rows);
  f.reopen();
  CHECK(f.nearest({0, 0, 0, 0}).items.size() == 10);
}

}  // namespace
}  // namespace holdfast::test
