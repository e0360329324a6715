#include <holdfast/core/error.h>

#include "support/foreign_sqlite.h"
#include "suites/similar_support.h"
#include "vectors/vector_rows.h"

namespace holdfast::test {
namespace {

/// A store of 30 rows, whose index is in a file.
struct Numbered {
  Numbered() : f(SimilarStore::in_graph()) {
    for (int i = 0; i < 30; ++i) ids.push_back(f.add(along(i)).id);
    f.embed();
    f.space->load_index();
    REQUIRE(f.space->index_status().is_file_usable);
  }
  /// Runs SQL while nobody has the store open.
  void run(const std::string& sql) {
    const auto path = f.store_options().database.path;
    f.space.reset();
    f.store.reset();
    run_sql(path, sql);
    f.reopen();
  }
  std::int64_t number_of(const EntityId& id) const {
    const auto snapshot = f.store->database().snapshot();
    const auto generation = f.nearest(along(0)).generation;
    std::int64_t number = 0;
    const vectors::VectorsOf of{
        .space = "main", .model = "m", .generation = generation, .dimension = 4};
    vectors::each_vector_of(snapshot->transaction(), of, "entity", id.uuid,
                            [&](const vectors::StoredVector& stored) {
                              number = stored.number;
                              return true;
                            });
    return number;
  }
  SimilarStore f;
  std::vector<EntityId> ids;
};

TEST_CASE("rows that were given the numbers of others that are gone are found by their own vectors",
          "[index]") {
  Numbered numbered;
  SimilarStore& f = numbered.f;
  const EntityId last = numbered.ids.back();
  const auto number = numbered.number_of(last);
  f.remove(last);
  REQUIRE(f.space->entities().purge(last).applied());
  f.embed();
  const EntityId next = f.embedded(along(-50)).id;
  REQUIRE(numbered.number_of(next) == number);
  CHECK(f.nearest(along(-50), 1).items[0].id == next.uuid);
  CHECK(f.nearest(along(29), 1).items[0].id == numbered.ids[28].uuid);
  CHECK(f.space->verify_index().findings_total == 0);
  (void)f.space->compact_index();
  CHECK(f.nearest(along(-50), 1).items[0].distance == 0);
  CHECK(f.space->verify_index().findings_total == 0);
}

TEST_CASE("an index whose rows have other numbers is not believed, and is made anew", "[index]") {
  Numbered numbered;
  // Each row has the number of another.
  numbered.run("UPDATE vectors SET number = 1000 + number;"
               "UPDATE vectors SET number = 1 + (number - 1000) % 30");
  for (int i = 0; i < 30; ++i) {
    const auto answer = numbered.f.nearest(along(i), 1);
    CHECK(answer.items[0].id == numbered.ids[static_cast<std::size_t>(i)].uuid);
    CHECK(answer.items[0].distance == 0);
  }
  numbered.f.space->load_index();
  CHECK(numbered.f.space->verify_index().findings_total == 0);
}

TEST_CASE("of many rows that have changed each is taken in with all its vectors, or none",
          "[index]") {
  SimilarStore f(SimilarStore::in_graph());
  Model model{.name = "n", .dimension = 4, .metric = Metric::l2};
  model.embedder = CallerEmbedderSpec{.name = "numbers"};
  model.chunking = {.chunk_chars = 8};
  const auto parameters = SimilarStore::in_graph().parameters;
  REQUIRE(f.space->models().create(model, parameters).outcome == ModelOutcome::created);
  const EntityId gone = f.add({0, 0, 0, 0}).id;
  (void)f.space->models().embed("n");
  f.space->load_index("n");
  std::vector<Uuid> added;
  for (int i = 0; i < 600; ++i) {  // more than are taken in at once
    Entity entity;
    entity.kind = "person";
    entity.name = "one two three";
    const float at = 10.0F + static_cast<float>(i);
    const WriteOptions two{.vectors = {{.model = "n", .vectors = {{at, 1, 0, 0}, {at, 2, 0, 0}}}}};
    added.push_back(written(f.space->entities().insert_if_absent(entity, two)).id.uuid);
    if (i != 300) continue;
    f.remove(gone);
    (void)f.space->models().embed("n");
  }
  f.space->load_index("n");
  CHECK(f.space->index_status("n").vectors == 2 * added.size());
  CHECK(f.space->verify_index("n").findings_total == 0);
  for (const std::size_t i : {0U, 255U, 256U, 599U}) {
    for (const float chunk : {1.0F, 2.0F}) {
      auto request = request_near({10.0F + static_cast<float>(i), chunk, 0, 0}, 1);
      request.model = "n";
      CHECK(f.similar(request).items.at(0).id == added[i]);
      CHECK(f.similar(request).items.at(0).distance == 0);
    }
  }
}

TEST_CASE("verifying finds rows under other numbers than the index has", "[index]") {
  Numbered numbered;
  numbered.run("UPDATE vectors SET number = 1000 + number WHERE number = 7");
  const auto found = numbered.f.space->verify_index();
  REQUIRE(found.findings_total == 1);
  CHECK(found.findings[0].check == "index.number");
}

}  // namespace
}  // namespace holdfast::test
