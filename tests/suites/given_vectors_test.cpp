#include <cmath>
#include <limits>

#include "suites/models_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// A model that serves, and an entity that is written along with vectors.
struct Given : Embedding3 {
  explicit Given(bool comes_with_writes = false) {
    ada = store.add_entity("Ada");
    create(comes_with_writes ? caller_model() : model());
    pass_time(store);
  }
  WriteResult<Entity> patch(const std::string& document, const GivenVectors& vectors) const {
    return space().entities().patch(ada.id, JsonObject::parse("p", document), {}, with(vectors));
  }
  /// The write with these vectors is refused by name, and nothing of it lands.
  std::string refused(const GivenVectors& vectors) const {
    const std::string before = picture(*store.store);
    const auto rows = rows_in("vectors");
    const auto why = refusal_of([&] { (void)patch(R"({"name":"Bea"})", vectors); });
    CHECK(picture(*store.store) == before);
    CHECK(rows_in("vectors") == rows);
    return why;
  }
  Entity ada;
};

}  // namespace

TEST_CASE("vectors land with an insert, and nothing is pending of it", "[vectors]") {
  Given f;
  const auto result = f.space().entities().insert_if_absent(person("Bea"), with(given({1, 2, 3})));
  const Entity bea = written(result);
  CHECK(result.pending.empty());
  CHECK(f.stored(bea) == one({1, 2, 3}));
  CHECK(f.counts().current == 2);
  const auto without = f.space().entities().insert_if_absent(person("Cid"));
  CHECK(without.pending == std::vector<std::string>{"m"});
  (void)f.models().embed("m");
  CHECK(f.stored(bea) == one({1, 2, 3}));
  CHECK(f.fake->given("Bea") == 0);
}

TEST_CASE("vectors land with every write that leaves a live row", "[vectors][E1]") {
  Given f;
  const auto& entities = f.space().entities();
  Entity row = written(f.patch(R"({"name":"Bea"})", given({1, 0, 0})));
  CHECK(f.stored(row) == one({1, 0, 0}));
  pass_time(f.store);
  const Expected read = as_read(row);
  row.name = "Cid";
  row = written(entities.replace(row, read, with(given({2, 0, 0}))));
  CHECK(f.stored(row) == one({2, 0, 0}));
  pass_time(f.store);
  row = written(entities.update(row.id, [](Entity& e) { e.name = "Dee"; },
                                {.vectors = {given({3, 0, 0})}}));
  CHECK(f.stored(row) == one({3, 0, 0}));
  CHECK(entities.remove(row.id).applied());
  (void)f.models().embed("m");
  REQUIRE(f.stored(row).empty());
  row = written(entities.restore(row.id, {}, with(given({4, 0, 0}))));
  CHECK(f.stored(row) == one({4, 0, 0}));
  CHECK(f.counts().current == 1);
}

TEST_CASE("notes take vectors, and a zero vector is one", "[vectors]") {
  Given f;
  Note note;
  note.kind = "fact";
  note.content = "the sky is blue";
  const Note made = written(f.space().notes().insert_if_absent(note, with(given({0, 0, 0}))));
  CHECK(f.stored(made) == one({0, 0, 0}));
}

TEST_CASE("vectors given again replace those that are there", "[vectors][H19]") {
  Given f;
  for (int i = 1; i <= 3; ++i) {
    pass_time(f.store);
    const auto number = static_cast<float>(i);
    const auto before = f.change_of(f.ada.id.uuid);
    (void)written(f.patch("{\"name\":\"Ada " + std::to_string(i) + "\"}",
                          given({number, number, number})));
    CHECK(f.stored(f.ada) == one({number, number, number}));
    CHECK(f.change_of(f.ada.id.uuid) > before);
  }
  CHECK(f.rows_in("vectors") == 1);
}

TEST_CASE("vectors that will not do are refused by name, and the row with them", "[vectors]") {
  Given f;
  CHECK(f.refused(given({1, 2})) ==
        "vectors[0].vectors[0]: have as many components as the model has dimensions, 3");
  CHECK(f.refused(given({1, kNan, 3})) == "vectors[0].vectors[0][1]: be a finite number");
  CHECK(f.refused(given({1, 2, INFINITY})) == "vectors[0].vectors[0][2]: be a finite number");
  CHECK(f.refused(given({3e18F, 3e18F, 3e18F})).starts_with("vectors[0].vectors[0]: have comp"));
  CHECK(f.refused({.model = "m", .vectors = {}}) == "vectors[0].vectors: be at least one");
  CHECK(f.refused({.model = "m", .vectors = {{1, 2, 3}, {1, 2, 3}}})
            .starts_with("vectors[0].vectors: be 1: one for each chunk"));
  CHECK(f.refused(given({1, 2, 3}, "nobody")) == "vectors[0].model: be a model of the space");
  CHECK(written(f.patch(R"({"name":"Bea"})", given({1, 2, 3}))).name == "Bea");
}

TEST_CASE("vectors of a generation that is not written to are a conflict, and the row stays",
          "[vectors]") {
  Given f;
  const auto give = [&](std::uint64_t generation) {
    return f.patch(R"({"name":"Bea"})",
                   {.model = "m", .vectors = {{1, 2, 3}}, .generation = generation});
  };
  const auto superseded = f.serving().number;
  (void)f.models().rebuild("m", {.rebuild = {.anew = true}});
  const std::string before = picture(*f.store.store);
  CHECK_THROWS_AS(give(superseded), Conflict);
  CHECK_THROWS_WITH(give(99), Catch::Matchers::StartsWith("vectors[0].generation: 99 is not"));
  CHECK(picture(*f.store.store) == before);
  CHECK(give(f.serving().number).gave_vectors);
}

TEST_CASE("vectors without a model's name are the default's, and need one", "[vectors]") {
  Given f;
  (void)written(f.patch(R"({"name":"Bea"})", given({1, 2, 3}, "")));
  CHECK(f.stored(f.ada) == one({1, 2, 3}));
  CHECK(f.models().drop("m"));
  CHECK(f.refused(given({1, 2, 3}, "")) ==
        "vectors[0].model: be given: " + std::string(kNoDefaultModel));
}

TEST_CASE("vectors are for rows that the model embeds, and that live", "[vectors]") {
  Given f;
  const Entity bea = f.store.add_entity("Bea");
  const auto edge = [&](const WriteOptions& options) {
    return f.space().edges().insert_if_absent(edge_between(f.ada.id, "knows", bea.id), options);
  };
  CHECK(refusal_of([&] { (void)edge(with(given({1, 2, 3}))); })
            .starts_with("vectors[0].model: embed something of edge"));
  CHECK(refusal_of([&] {
          (void)f.space().entities().remove(bea.id, {}, with(given({1, 2, 3})));
        }).starts_with("vectors: not be given with a write that leaves no live row"));
  CHECK_FALSE(f.space().entities().get(bea.id).deleted_at);
  CHECK(refusal_of([&] { (void)f.space().configure({}, with(given({1, 2, 3}))); })
            .starts_with("vectors: not be given"));
  CHECK(refusal_of([&] {
          (void)f.space().apply(f.space().plan(), with(given({1, 2, 3})));
        }) == "vectors: be given with the plan's steps");
}

TEST_CASE("a stale write brings no vectors", "[vectors][E1]") {
  Given f;
  const Expected read = as_read(f.ada);
  (void)written(f.space().rename_entity(f.ada.id, "Bea"));
  const auto result = f.space().entities().patch(
      f.ada.id, JsonObject::parse("p", R"({"name":"Cid"})"), read, with(given({1, 2, 3})));
  CHECK(result.outcome == Outcome::revision_moved);
  CHECK(f.stored(f.ada) == one(f.fake->vector_of("Ada")));
}

TEST_CASE("a row that stays as it is takes vectors too", "[vectors]") {
  Given f;
  const auto before = f.space().tail().seq;
  const auto result = f.patch("{}", given({1, 2, 3}));
  CHECK(result.outcome == Outcome::unchanged);
  CHECK(result.gave_vectors);
  CHECK(f.space().tail().seq == before);
  CHECK(f.stored(f.ada) == one({1, 2, 3}));
  CHECK(broken_checks(*f.store.store).empty());
}

TEST_CASE("a request repeated with other vectors is another request", "[vectors]") {
  Given f;
  const auto write = [&](const Embedding& vector) {
    WriteOptions options = with(given(vector));
    options.request_id = "once";
    return f.space().entities().patch(f.ada.id, JsonObject::parse("p", R"({"name":"Bea"})"), {},
                                      options);
  };
  CHECK(write({1, 2, 3}).applied());
  CHECK(write({1, 2, 3}).repeated);
  CHECK(refusal_of([&] { (void)write({1, 2, 4}); }).starts_with("request_id: "));
  CHECK(f.stored(f.ada) == one({1, 2, 3}));
}

TEST_CASE("where vectors come with the writes, rows wait for theirs and fail nothing",
          "[vectors]") {
  Given f(true);
  CHECK(f.counts().missing == 1);
  const auto report = f.models().embed("m");
  CHECK(f.failed() == 0);
  (void)written(f.patch(R"({"name":"Bea"})", given({1, 2, 3})));
  CHECK(f.counts().current == 1);
  pass_time(f.store);
  (void)written(f.space().rename_entity(f.ada.id, "Cid"));
  const auto waiting = f.models().embed("m");
  CHECK(waiting.outcomes.at("waiting") == 1);
  CHECK(f.counts().stale == 1);
  CHECK(f.models().status("m").serving->behind == 0);
  CHECK(f.stored(f.ada) == one({1, 2, 3}));
  CHECK(broken_checks(*f.store.store).empty());
  CHECK(f.space().entities().remove(f.ada.id).applied());
  (void)f.models().embed("m");
  CHECK(f.stored(f.ada).empty());
  CHECK(broken_checks(*f.store.store).empty());
}

TEST_CASE("a rebuild where vectors come with the writes waits for those that served",
          "[vectors]") {
  Given f(true);
  (void)written(f.patch(R"({"name":"Bea"})", given({1, 2, 3})));
  Model wider = f.caller_model();
  wider.dimension = 5;
  const auto end = [&](const RebuildModelOptions& options = {}) {
    return f.models().rebuild("m", options).end;
  };
  CHECK(end({.model = wider}) == journal::RebuildEnd::incomplete);
  CHECK(f.stored(f.ada) == one({1, 2, 3}));
  const auto building = f.models().status("m").building.value().generation.number;
  const auto again = f.models().rebuild("m");
  CHECK(again.waiting == 1);
  CHECK(again.problems_total == 1);
  REQUIRE(again.problems.size() == 1);
  CHECK(again.problems[0].id == f.ada.id.uuid);
  CHECK(again.problems[0].detail.starts_with("missing: "));
  CHECK(f.refused(given({1, 2, 3, 4, 5})).starts_with("vectors[0].vectors[0]: have as many"));
  CHECK(f.patch("{}", {.model = "m", .vectors = {{1, 2, 3, 4, 5}}, .generation = building})
            .gave_vectors);
  CHECK(end() == journal::RebuildEnd::swapped);
  CHECK(f.stored(f.ada) == one({1, 2, 3, 4, 5}));
}

TEST_CASE("given vectors reach a generation that is being built, when it embeds alike",
          "[vectors]") {
  Given f;
  const auto rebuild = [&](const Model& model) {
    return f.models().rebuild("m", {.model = model, .rebuild = {.batch = 1}}, [&](const auto&) {
      (void)f.patch(R"({"name":"Bea"})", given({1, 2, 3}));
      return true;
    });
  };
  Model other = f.model();
  other.metric = Metric::ip;
  CHECK(rebuild(other).end == journal::RebuildEnd::swapped);
  CHECK(f.stored(f.ada) == one({1, 2, 3}));
  CHECK(f.fake->given("Bea") == 0);
}

TEST_CASE("a text of several chunks takes a vector for each", "[vectors]") {
  Embedding3 f;
  Model model = f.model();
  model.chunking = {.chunk_chars = 8};
  f.create(model);
  const GivenVectors both{.model = "m", .vectors = {{1, 2, 3}, {4, 5, 6}}};
  const Entity row = written(f.space().entities().insert_if_absent(person("one two three"),
                                                                   with(both)));
  CHECK(f.stored(row) == both.vectors);
  CHECK(f.models().status("m").serving->vectors == 2);
  pass_time(f.store);
  (void)written(f.space().rename_entity(row.id, "short"));
  (void)f.models().embed("m");
  CHECK(f.stored(row) == one(f.fake->vector_of("short")));
}
