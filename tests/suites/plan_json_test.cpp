#include <holdfast/core/error.h>

#include "suites/plan_support.h"
#include "suites/support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

struct Json {
  Plan parse(const std::string& text) {
    return store.space->parse_plan(JsonObject::parse("plan", text));
  }
  std::string refusal(const std::string& steps) {
    return refusal_of([&] { parse(R"({"steps":[)" + steps + "]}"); });
  }
  TestStore store;
};

}  // namespace

TEST_CASE("a plan's JSON form says all that the builder can", "[plan][json]") {
  Json f;
  const Entity ada = f.store.add_entity("Ada");
  const Entity bob = f.store.add_entity("Bob");
  const Edge knows = f.store.add_edge(ada.id, "knows", bob.id);
  const Note note = f.store.add_note("text", ada.id);
  const auto quoted = [](const auto& id) { return "\"" + to_string(id) + "\""; };
  const auto expect = [](const auto& row) {
    return R"("expect":{"revision":)" + std::to_string(row.revision.us) + R"(,"deleted_at":null})";
  };
  const std::string text =
      R"({"steps":[
      {"op":"expect_unchanged","kind":"entity","id":)" + quoted(ada.id) + "," + expect(ada) + R"(},
      {"op":"expect_absent","kind":"note","key":"status"},
      {"op":"expect_neighborhood","id":)" + quoted(ada.id) + R"(,"seq":)" +
      std::to_string(f.store.space->tail().seq) + R"(},
      {"op":"create","kind":"entity","as":"cy","row":{"kind":"person","name":"Cy",
        "properties":{"z":1.50,"a":2}}},
      {"op":"create","kind":"edge","row":{"source":"$cy","relation":"knows","target":)" +
      quoted(ada.id) + R"(}},
      {"op":"insert_if_absent","kind":"note","row":{"kind":"status","key":"status","about":"$cy",
        "content":"new"}},
      {"op":"replace","kind":"entity","id":)" + quoted(bob.id) + "," + expect(bob) +
      R"(,"row":{"kind":"person","name":"Robert"}},
      {"op":"patch","kind":"entity","id":"$cy","patch":{"tags":["new"]}},
      {"op":"retarget","id":)" + quoted(knows.id) + "," + expect(knows) +
      R"(,"to":{"target":"$cy"}},
      {"op":"delete","kind":"note","id":)" + quoted(note.id) + "," + expect(note) + R"(},
      {"op":"restore","kind":"note","id":)" + quoted(note.id) + "}]}";
  const auto result = f.store.space->apply(f.parse(text));
  CHECK(outcomes(result) == std::vector<std::string>{"held", "held", "held", "applied", "applied",
                                                     "applied", "applied", "applied", "applied",
                                                     "applied", "applied"});
  REQUIRE(result.applied());
  const Entity cy = std::get<Entity>(result.steps[3].current);
  CHECK(cy.properties.text() == R"({"z":1.50,"a":2})");
  CHECK(f.store.space->edges().get(knows.id).target == cy.id);
  CHECK(f.store.space->find_note("status")->about == cy.id);
}

TEST_CASE("an error in a plan's JSON names the step, its op and the field", "[plan][json]") {
  Json f;
  const std::string id = "\"01a22872-ab5b-70c7-90a5-ff871e446f3c\"";
  CHECK(f.refusal(R"({"op":"create","kind":"entity","row":{"kind":"p","name":5}})") ==
        "steps[0] create: row.name: be a string");
  CHECK(f.refusal(R"({"op":"create","kind":"entity","row":{"kind":"p","name":""}})") ==
        "steps[0] create: row.name: be 1 to 1,024 bytes");
  CHECK(f.refusal(R"({"op":"create","kind":"entity","row":{"kind":"p","name":"a"}},)"
                  R"({"op":"patch","kind":"entity","id":"x","patch":{}})")
            .starts_with("steps[1] patch: id: "));
  CHECK(f.refusal(R"({"op":"destroy"})").starts_with("steps[0] op: be one of create, "));
  CHECK(f.refusal(R"({"kind":"entity"})") == "steps[0] op: be given");
  CHECK(f.refusal(R"({"op":"create","kind":"person","row":{}})") ==
        "steps[0] create: kind: be one of entity, edge, note");
  CHECK(f.refusal(R"({"op":"delete","kind":"entity"})") == "steps[0] delete: id: be given");
  CHECK(f.refusal(R"({"op":"delete","kind":"entity","id":)" + id + R"(,"row":{}})") ==
        "steps[0] delete: row: not be given here");
  CHECK(f.refusal(R"({"op":"replace","kind":"entity","id":)" + id +
                  R"(,"row":{"kind":"p","name":"n"}})") ==
        "steps[0] replace: expect: name the revision that was read");
  CHECK(f.refusal(R"({"op":"expect_unchanged","kind":"note","id":)" + id + "}") ==
        "steps[0] expect_unchanged: expect: be given");
  CHECK(f.refusal(R"({"op":"delete","kind":"note","id":)" + id + R"(,"expect":{}})") ==
        "steps[0] delete: expect.revision: be the revision that was read");
  CHECK(f.refusal(R"({"op":"expect_neighborhood","id":)" + id + R"(,"seq":-1})") ==
        "steps[0] expect_neighborhood: seq: be 0 or more");
  CHECK(f.refusal(R"({"op":"create","kind":"entity","row":{"kind":"p","name":"n"},)"
                  R"("expect":{"revision":1}})") == "steps[0] create: expect: not be given here");
  CHECK(f.refusal("5") == "steps: be an array of objects");
  CHECK(refusal_of([&] { f.parse("{}"); }) == "steps: be given");
  CHECK(refusal_of([&] { f.parse(R"({"stpes":[]})"); }).starts_with("stpes: not be given"));
}

TEST_CASE("names of a plan's rows must come before their use and be unique", "[plan][json]") {
  Json f;
  const std::string ada =
      R"({"op":"create","kind":"entity","as":"a","row":{"kind":"p","name":"x"}})";
  CHECK(f.refusal(R"({"op":"delete","kind":"entity","id":"$a"},)" + ada) ==
        R"(steps[0] delete: id: be the name that an earlier step gives with "as")");
  CHECK(f.refusal(ada + "," + ada) ==
        "steps[1] create: as: not be the name of an earlier step's row");
}

TEST_CASE("the same JSON plan under the same request id is made once, though ids are made anew",
          "[plan][json][request]") {
  Json f;
  const std::string text =
      R"({"steps":[{"op":"create","kind":"entity","row":{"kind":"p","name":"x"}}]})";
  const auto first = f.store.space->apply(f.parse(text), {.request_id = "r"});
  REQUIRE(first.applied());
  const auto again = f.store.space->apply(f.parse(text), {.request_id = "r"});
  CHECK(again.repeated);
  CHECK((again.steps[0].current == first.steps[0].current));
  CHECK(f.store.space->entities().count({}) == 1);
}
