#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

JsonObject patch_of(std::string_view text) {
  return JsonObject::parse("patch", text);
}

Entity add_with_properties(TestStore& store, std::string_view properties) {
  Entity entity;
  entity.kind = "person";
  entity.name = "a";
  entity.tags = {"tag"};
  entity.properties = JsonObject::parse("properties", properties);
  return written(store.space->entities().insert_if_absent(entity));
}

}  // namespace

TEST_CASE("a patch changes the members it names and leaves the rest as spelled", "[patch]") {
  TestStore store;
  const Entity row = add_with_properties(store, R"({"a":1.50,"b":{"c":1,"d":2},"e":3})");
  const Entity patched = written(store.space->entities().patch(
      row.id, patch_of(R"({"name":"b","properties":{"b":{"c":null},"f":[]}})")));
  CHECK(patched.name == "b");
  CHECK(patched.kind == row.kind);
  CHECK(patched.tags == row.tags);
  CHECK(patched.properties.text() == R"({"a":1.50,"b":{"d":2},"e":3,"f":[]})");
  CHECK((store.space->entities().get(row.id) == patched));
}

TEST_CASE("null clears what may be absent and is refused for what may not", "[patch]") {
  TestStore store;
  const Entity row = add_with_properties(store, R"({"a":1})");
  const auto& entities = store.space->entities();
  const Entity cleared =
      written(entities.patch(row.id, patch_of(R"({"properties":null,"tags":null})")));
  CHECK(cleared.properties.text() == "{}");
  CHECK(cleared.tags.empty());
  CHECK(refusal_of([&] { (void)entities.patch(row.id, patch_of(R"({"name":null})")); }) ==
        "name: be a string");

  Note note;
  note.kind = "observation";
  note.key = "key";
  note.about = row.id;
  note.expires_at = at_us(5);
  note = written(store.space->notes().insert_if_absent(note));
  note = written(store.space->notes().patch(
      note.id, patch_of(R"({"key":null,"about":null,"expires_at":null})")));
  CHECK_FALSE(note.key.has_value());
  CHECK_FALSE(note.about.has_value());
  CHECK_FALSE(note.expires_at.has_value());
}

TEMPLATE_TEST_CASE("a patch that names an unknown field is refused and lists the known ones",
                   "[patch]", EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const std::string before = picture(*store.store);
  for (const char* text : {R"({"nmae":"b"})", R"({"id":"b"})", R"({"revision":1})",
                           R"({"deleted_at":null})", R"({"seq":1})", R"({"created_at":1})"}) {
    const std::string refusal =
        refusal_of([&] { (void)TestType::in(*store.space).patch(row.id, patch_of(text)); });
    CHECK(refusal.find("not be given: the fields are ") != std::string::npos);
    CHECK(refusal.find("properties") != std::string::npos);
  }
  CHECK(picture(*store.store) == before);
}

TEMPLATE_TEST_CASE("a patch that changes nothing says so and moves nothing", "[patch]", EntityKind,
                   EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto row = TestType::add(store, *store.space, "row");
  const std::string before = picture(*store.store);
  for (const char* text : {"{}", R"({"properties":{}})", R"({"properties":{"none":null}})"}) {
    const auto result = TestType::in(*store.space).patch(row.id, patch_of(text));
    CHECK(result.outcome == Outcome::unchanged);
    CHECK((result.current == row));
  }
  CHECK(picture(*store.store) == before);
}

TEST_CASE("a patch of another type than its field is refused", "[patch]") {
  TestStore store;
  const Entity row = add_with_properties(store, "{}");
  const auto patch = [&](const char* text) {
    return refusal_of([&] { (void)store.space->entities().patch(row.id, patch_of(text)); });
  };
  CHECK(patch(R"({"name":1})") == "name: be a string");
  CHECK(patch(R"({"tags":"tag"})") == "tags: be an array of strings");
  CHECK(patch(R"({"tags":[1]})") == "tags: be an array of strings");
  CHECK(patch(R"({"properties":[]})").find("properties: ") == 0);
  CHECK(patch(R"({"properties":"{}"})").find("twice") != std::string::npos);
}

TEST_CASE("an edge's patch reaches its weight, properties and end, and not its identity",
          "[patch]") {
  TestStore store;
  const Edge edge = EdgeKind::add(store, *store.space, "edge");
  const auto& edges = store.space->edges();
  const Edge patched =
      written(edges.patch(edge.id, patch_of(R"({"weight":2,"valid_to":"2026-01-02T00:00:00Z"})")));
  CHECK(patched.weight == 2.0);
  CHECK(patched.valid_to == at_us(86'400'000'000));
  CHECK_FALSE(written(edges.patch(edge.id, patch_of(R"({"valid_to":null})"))).valid_to);
  for (const char* text : {R"({"relation":"x"})", R"({"source":"x"})", R"({"valid_from":1})"}) {
    CHECK_THROWS_AS(edges.patch(edge.id, patch_of(text)), InvalidArgument);
  }
}

TEST_CASE("two patches of different members both land", "[patch]") {
  TestStore store;
  const Entity row = add_with_properties(store, "{}");
  const auto& entities = store.space->entities();
  bool is_first = true;
  store.environment.faults.arm([&](std::string_view point) {
    if (point != "patch.between_read_and_write" || !is_first) return;
    is_first = false;
    written(entities.patch(row.id, patch_of(R"({"properties":{"theirs":1}})")));
  });
  const Entity both = written(entities.patch(row.id, patch_of(R"({"properties":{"mine":2}})")));
  CHECK(both.properties.text() == R"({"theirs":1,"mine":2})");
}

TEST_CASE("a patch that would break a limit is refused whole", "[patch]") {
  TestStore store;
  const std::string half(600'000, 'x');
  const Entity row = add_with_properties(store, R"({"a":")" + half + R"("})");
  CHECK_THROWS_AS(store.space->entities().patch(
                      row.id, patch_of(R"({"name":"b","properties":{"b":")" + half + R"("}})")),
                  InvalidArgument);
  CHECK((store.space->entities().get(row.id) == row));
}
