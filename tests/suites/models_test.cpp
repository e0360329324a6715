#include "suites/models_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// What a declaration with one thing changed is refused with.
std::string refusal(const Embedding3& f, const std::function<void(Model&)>& spoil) {
  return refusal_of([&] {
    Model model = f.model();
    spoil(model);
    (void)f.models().create(model);
  });
}

}  // namespace

TEST_CASE("a model that is created has the vectors of all that is there", "[models]") {
  Embedding3 f;
  const Entity ada = f.store.add_entity("Ada");
  const Note note = f.store.add_note("wrote a program");
  f.create();
  CHECK(f.stored(ada) == one(f.fake->vector_of("Ada")));
  CHECK(f.stored(note) == one(f.fake->vector_of("wrote a program")));
  CHECK(f.counts().current == 2);
  CHECK(f.models().status("m").serving->vectors == 2);
  CHECK(broken_checks(*f.store.store).empty());
}

TEST_CASE("creating a model again finds it, and another under its name is refused", "[models]") {
  Embedding3 f;
  f.create();
  CHECK(f.models().create(f.model()).outcome == ModelOutcome::unchanged);
  Model other = f.model();
  other.metric = Metric::l2;
  const auto result = f.models().create(other);
  CHECK(result.outcome == ModelOutcome::declared_otherwise);
  REQUIRE(result.current.has_value());
  CHECK(result.current->model == f.model());
  CHECK(f.models().create(f.model(), {.m = 8}).outcome == ModelOutcome::declared_otherwise);
}

TEST_CASE("a key and a model cannot share a name", "[models]") {
  Embedding3 f;
  (void)f.space().declare_key({.name = "m", .path = "name"});
  const auto result = f.models().create(f.model());
  CHECK(result.outcome == ModelOutcome::declared_otherwise);
  CHECK_FALSE(result.current.has_value());
  CHECK_FALSE(f.models().find("m").has_value());
  CHECK_FALSE(f.models().drop("m"));
  CHECK(f.thrown_by([&] { (void)f.models().status("m"); }) == "not_found");
}

TEST_CASE("the first model is the default until another is made it, in the database",
          "[models][I4]") {
  Embedding3 f;
  f.create();
  f.create(f.model("n"));
  REQUIRE(f.models().find_default()->model.name == "m");
  f.models().make_default("n");
  f.store.reopen();
  CHECK(f.models().find_default()->model.name == "n");
  CHECK_FALSE(f.models().find("m")->is_default);
  CHECK(f.thrown_by([&] { f.models().make_default("nobody"); }) == "not_found");
  CHECK(f.models().drop("n"));
  CHECK_FALSE(f.models().find_default().has_value());
}

TEST_CASE("a model may become the default as it is created", "[models]") {
  Embedding3 f;
  f.create();
  (void)f.models().create(f.model("n"), {}, {.make_default = true});
  CHECK(f.models().find_default()->model.name == "n");
}

TEST_CASE("a model that is dropped leaves nothing behind", "[models]") {
  Embedding3 f;
  f.store.add_entity("Ada");
  f.create();
  f.create(f.model("n"));
  REQUIRE(f.rows_in("vectors") == 2);
  CHECK(f.models().drop("m"));
  CHECK_FALSE(f.models().drop("m"));
  CHECK(f.rows_in("vectors") == 1);
  CHECK(f.rows_in("vector_changes") == 1);
  CHECK(f.rows_in("projection_versions") == 1);
  CHECK(f.models().list().size() == 1);
  CHECK(broken_checks(*f.store.store).empty());
}

TEST_CASE("a declaration that will not do names the field and its rule", "[models]") {
  Embedding3 f;
  CHECK(refusal(f, [](Model& m) { m.dimension = 0; }) == "dimension: be 1 to 8,192");
  CHECK(refusal(f, [](Model& m) { m.dimension = 8193; }) == "dimension: be 1 to 8,192");
  CHECK(refusal(f, [](Model& m) { m.dimension = -1; }) == "dimension: be 1 to 8,192");
  CHECK(refusal(f, [](Model& m) { m.sources.clear(); }) == "sources: be 1 to 16");
  CHECK(refusal(f, [](Model& m) { m.sources[1].paths.clear(); }) ==
        "sources[1].paths: be 1 to 64");
  CHECK(refusal(f, [](Model& m) { m.sources[1].kind = "entity"; }) ==
        "sources[1].kind: be named once");
  CHECK(refusal(f, [](Model& m) { m.sources[0].kind = "space"; })
            .starts_with("sources.kind: be one of entity, relation, edge, note"));
  CHECK(refusal(f, [](Model& m) { m.sources[0].paths[0] = "name"; })
            .starts_with("sources[0].paths[0]: "));
  CHECK(refusal(f, [](Model& m) { m.chunking.overlap_chars = 1; })
            .starts_with("chunking.overlap_chars: "));
  CHECK(refusal(f, [](Model& m) { m.name.clear(); }).starts_with("model: "));
  CHECK(refusal_of([&] { (void)f.models().create(f.model(), {.ef_search = 0}); }) ==
        "ef_search: be 1 to 10,000");
  CHECK(f.models().list().empty());
}

TEST_CASE("a model of properties embeds the strings that its pointers find, line by line",
          "[models]") {
  Embedding3 f;
  Entity ada = person("Ada");
  ada.properties = JsonObject::parse("p", R"({"titles":["Countess",7,"Ms"],"born":1815})");
  ada = written(f.space().entities().insert_if_absent(ada));
  const Entity empty = f.store.add_entity("Nobody");
  Model model = f.model();
  model.sources = {{.kind = "entity", .paths = {"/properties/titles", "/properties/born"}}};
  f.create(model);
  CHECK(f.stored(ada) == one(f.fake->vector_of("Countess\nMs")));
  CHECK(f.stored(empty).empty());
  CHECK(f.counts().current == 2);
}

TEST_CASE("models of one dimension keep their vectors apart", "[models][I1]") {
  Embedding3 f;
  const Entity ada = f.store.add_entity("Ada");
  f.create(f.model("m", "fake"));
  f.create(f.model("n", "other"));
  CHECK(f.stored(ada, "m") == one(f.fake->vector_of("Ada")));
  CHECK(f.stored(ada, "n") == one(f.other->vector_of("Ada")));
  const auto renamed =
      written(f.space().entities().patch(ada.id, JsonObject::parse("p", R"({"name":"Bea"})"), {},
                                         with(given({1, 2, 3}, "m"))));
  CHECK(f.stored(renamed, "m") == one({1, 2, 3}));
  CHECK(f.stored(renamed, "n") == one(f.other->vector_of("Ada")));
  CHECK(f.counts("n").stale == 1);
}

TEST_CASE("a space's models are its own, whatever their names and numbers", "[models][H14]") {
  Embedding3 f;
  const Space other = f.store.store->create_space("other", "tester");
  const Entity ada = f.store.add_entity("Ada");
  const Entity bea = written(other.entities().insert_if_absent(person("Bea")));
  f.create();
  REQUIRE(other.models().create(f.model("m", "other")).outcome == ModelOutcome::created);
  const auto theirs = other.models().status("m").serving.value();
  CHECK(theirs.generation.number == f.serving().number);
  CHECK(theirs.vectors == 1);
  CHECK(f.models().status("m").serving->vectors == 1);
  CHECK(f.stored(ada) == one(f.fake->vector_of("Ada")));
  CHECK(f.stored(bea).empty());
  CHECK(other.models().drop("m"));
  CHECK(f.stored(ada) == one(f.fake->vector_of("Ada")));
}
