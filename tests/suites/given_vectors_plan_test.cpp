#include "suites/models_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

struct Planned : Embedding3 {
  Planned() {
    ada = store.add_entity("Ada");
    create();
    pass_time(store);
  }
  Plan parse(const std::string& steps) const {
    return space().parse_plan(JsonObject::parse("plan", R"({"steps":[)" + steps + "]}"));
  }
  std::string patch(const std::string& vectors) const {
    return R"({"op":"patch","kind":"entity","id":")" + to_string(ada.id) +
           R"(","patch":{"name":"Bea"},"vectors":)" + vectors + "}";
  }
  Entity ada;
};

}  // namespace

TEST_CASE("the steps of a plan bring vectors along", "[plan][vectors]") {
  Planned f;
  Plan plan = f.space().plan();
  const EntityId bea = plan.create(person("Bea"));
  plan.give(given({1, 0, 0}));
  plan.patch(f.ada.id, JsonObject::parse("p", R"({"name":"Ada L."})"));
  plan.give(given({0, 1, 0}));
  CHECK(f.space().apply(plan).applied());
  CHECK(f.stored("entity", bea.uuid) == one({1, 0, 0}));
  CHECK(f.stored(f.ada) == one({0, 1, 0}));
  CHECK(f.counts().current == 2);
}

TEST_CASE("a plan that is refused brings no vectors", "[plan][vectors]") {
  Planned f;
  Plan plan = f.space().plan();
  plan.patch(f.ada.id, JsonObject::parse("p", R"({"name":"Bea"})"));
  plan.give(given({0, 1, 0}));
  plan.expect_absent(f.ada.id);
  CHECK_FALSE(f.space().apply(plan).applied());
  CHECK(f.stored(f.ada) == one(f.fake->vector_of("Ada")));
}

TEST_CASE("an insert that finds its id taken leaves the vectors that are there",
          "[plan][vectors]") {
  Planned f;
  Plan plan = f.space().plan();
  Entity again = person("Bea");
  again.id = f.ada.id;
  plan.insert_if_absent(again);
  plan.give(given({0, 1, 0}));
  CHECK(f.space().apply(plan).steps.at(0).outcome == Outcome::exists);
  CHECK(f.stored(f.ada) == one(f.fake->vector_of("Ada")));
}

TEST_CASE("a plan whose rows stay as they are still brings their vectors", "[plan][vectors]") {
  Planned f;
  Plan plan = f.space().plan();
  plan.patch(f.ada.id, {});
  plan.give(given({0, 1, 0}));
  const auto result = f.space().apply(plan);
  CHECK(result.steps.at(0).outcome == Outcome::unchanged);
  CHECK(result.wrote_something);
  CHECK(f.stored(f.ada) == one({0, 1, 0}));
}

TEST_CASE("a plan's document brings vectors for new rows and changed ones", "[plan][vectors]") {
  Planned f;
  const Plan plan = f.parse(
      R"({"op":"create","kind":"note","as":"n","row":{"kind":"fact","content":"x"},)"
      R"("vectors":[{"model":"m","vectors":[[1,0,0]]}]},)" +
      f.patch(R"([{"model":"m","vectors":[[0,1.5,-2e-1]]}])"));
  const auto result = f.space().apply(plan);
  REQUIRE(result.applied());
  const Note note = std::get<Note>(result.steps[0].current);
  CHECK(f.stored(note) == one({1, 0, 0}));
  CHECK(f.stored(f.ada) == one({0, 1.5F, -0.2F}));
}

TEST_CASE("a plan names the step and the vector that will not do", "[plan][vectors]") {
  Planned f;
  const auto parsed = [&](const std::string& vectors) {
    return refusal_of([&] { (void)f.parse(f.patch(vectors)); });
  };
  const auto applied = [&](const std::string& vectors) {
    return refusal_of([&] { (void)f.space().apply(f.parse(f.patch(vectors))); });
  };
  CHECK(parsed(R"([{"vectors":[[1,"x",3]]}])") ==
        "steps[0] patch: vectors[0].vectors[0][1]: be a number");
  CHECK(parsed(R"([{"vectors":[[1,1e39,3]]}])") ==
        "steps[0] patch: vectors[0].vectors[0][1]: be a finite number");
  CHECK(parsed(R"([{"generation":0,"vectors":[[1,2,3]]}])") ==
        "steps[0] patch: vectors[0].generation: be 1 or more");
  CHECK(applied(R"([{"vectors":[[1,2]]}])")
            .starts_with("steps[0] patch: vectors[0].vectors[0]: have as many components"));
  CHECK(refusal_of([&] {
          (void)f.parse(R"({"op":"delete","kind":"entity","id":")" + to_string(f.ada.id) +
                        R"(","vectors":[]})");
        }) == "steps[0] delete: vectors: not be given here");
}

TEST_CASE("vectors are for a step that leaves a row, and there must be one", "[plan][vectors]") {
  Planned f;
  Plan plan = f.space().plan();
  CHECK(refusal_of([&] { plan.give(given({1, 2, 3})); }).starts_with("steps: "));
  plan.remove(f.ada.id);
  CHECK(refusal_of([&] { plan.give(given({1, 2, 3})); }) ==
        "steps[0] delete: vectors: not be given with a step that leaves no live row");
  CHECK(f.space().apply(plan).applied());
}

TEST_CASE("a plan repeated with other vectors is another request", "[plan][vectors]") {
  Planned f;
  const auto apply = [&](const Embedding& vector) {
    Plan plan = f.space().plan();
    plan.patch(f.ada.id, JsonObject::parse("p", R"({"name":"Bea"})"));
    plan.give(given(vector));
    return f.space().apply(plan, {.request_id = "once"});
  };
  CHECK(apply({1, 2, 3}).applied());
  CHECK(apply({1, 2, 3}).repeated);
  CHECK(refusal_of([&] { (void)apply({1, 2, 4}); }).starts_with("request_id: "));
}
