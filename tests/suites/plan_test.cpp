#include <holdfast/core/error.h>

#include "suites/kinds.h"
#include "suites/plan_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

Note about(EntityId entity, const std::string& content) {
  Note note;
  note.kind = "observation";
  note.about = entity;
  note.content = content;
  return note;
}

JsonObject patch(const char* text) { return JsonObject::parse("patch", text); }

}  // namespace

TEST_CASE("a plan's steps land together, under one request id", "[plan]") {
  People f;
  Plan plan = f.space().plan();
  const EntityId cy = plan.create(person("Cy"));
  const EdgeId edge = plan.create(edge_between(cy, "knows", f.ada.id));
  plan.patch(f.bob.id, patch(R"({"name":"Robert"})"), as_read(f.bob));
  plan.remove(f.note.id, as_read(f.note));
  const auto result = f.space().apply(plan);

  REQUIRE(result.outcome == PlanOutcome::applied);
  CHECK(outcomes(result) == std::vector<std::string>(4, "applied"));
  CHECK(f.space().entities().get(cy) == std::get<Entity>(result.steps[0].current));
  CHECK(f.space().edges().get(edge).source == cy);
  CHECK(f.space().entities().get(f.bob.id).name == "Robert");
  CHECK(f.space().notes().get(f.note.id).deleted_at.has_value());
  const auto events = journal_of(*f.store.store);
  for (std::size_t i = events.size() - 4; i < events.size(); ++i) {
    CHECK(events[i].request_id == result.request_id);
  }
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("one refused step refuses the plan, and nothing of it is written", "[plan][C11]") {
  People f;
  const Entity newer = written(f.space().entities().update(f.bob.id, &EntityKind::edit));
  const std::string before = picture(*f.store.store);
  Plan plan = f.space().plan();
  plan.create(person("Cy"));
  plan.remove(f.note.id, as_read(f.note));
  plan.remove(f.bob.id, as_read(f.bob));
  plan.remove(f.eve.id, as_read(f.eve));
  const auto result = f.space().apply(plan);

  CHECK(result.outcome == PlanOutcome::refused);
  CHECK(outcomes(result) == std::vector<std::string>{"held", "held", "revision_moved", "held"});
  CHECK(result.conflicts() == 1);
  CHECK((std::get<Entity>(result.steps[2].current) == newer));
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("a refused plan lists every conflict with the row in the way", "[plan]") {
  People f;
  const Entity bob = written(f.space().entities().update(f.bob.id, &EntityKind::edit));
  const Entity eve = written(f.space().entities().remove(f.eve.id));
  Plan plan = f.space().plan();
  plan.patch(f.bob.id, patch(R"({"name":"x"})"), as_read(f.bob));
  plan.patch(f.eve.id, patch(R"({"name":"x"})"), as_read(f.eve));
  plan.create(edge_between(f.ada.id, "knows", f.bob.id));
  Entity again = person("again");
  again.id = f.ada.id;
  plan.create(again);
  const auto result = f.space().apply(plan);
  CHECK(outcomes(result) == std::vector<std::string>{"revision_moved", "deletion_changed",
                                                     "not_evaluated", "exists"});
  CHECK((std::get<Entity>(result.steps[0].current) == bob));
  CHECK((std::get<Entity>(result.steps[1].current) == eve));
  CHECK((std::get<Entity>(result.steps[3].current) == f.ada));
  CHECK(result.conflicts() == 3);
}

TEST_CASE("what rests on a refused step is not evaluated, and what rests on that neither",
          "[plan]") {
  People f;
  Entity taken = person("Ada again");
  taken.id = f.ada.id;
  Plan plan = f.space().plan();
  plan.create(taken);
  const EdgeId edge = plan.create(edge_between(f.ada.id, "admires", f.bob.id));
  plan.patch(edge, patch(R"({"weight":2})"));
  const NoteId note = plan.create(about(f.ada.id, "text"));
  plan.remove(note);
  plan.patch(f.eve.id, patch(R"({"name":"Eva"})"));
  const auto result = f.space().apply(plan);
  CHECK(outcomes(result) == std::vector<std::string>{"exists", "not_evaluated", "not_evaluated",
                                                     "not_evaluated", "not_evaluated", "held"});
  CHECK(result.conflicts() == 1);
}

TEST_CASE("a conflict hides no other: earlier steps and other expectations are judged all the same",
          "[plan]") {
  People f;
  const Entity newer = written(f.space().entities().update(f.bob.id, &EntityKind::edit));
  Entity taken = person("Bob again");
  taken.id = f.bob.id;
  Note namesake = about(f.ada.id, "shares its id with an entity");
  namesake.id = NoteId{f.bob.id.uuid};
  Plan plan = f.space().plan();
  plan.create(taken);
  plan.create(edge_between(f.ada.id, "knows", EntityId{f.store.environment.ids->next()}));
  plan.create(namesake);
  plan.expect_unchanged(f.bob.id, as_read(f.bob));
  plan.expect_unchanged(f.bob.id, {f.bob.revision, newer.deleted_at});
  plan.expect_unchanged(f.bob.id, as_read(newer));
  plan.expect_key_absent("free");
  const auto result = f.space().apply(plan);
  CHECK(outcomes(result) == std::vector<std::string>{"exists", "endpoint_missing", "held",
                                                     "revision_moved", "revision_moved", "held",
                                                     "held"});
}

TEST_CASE("a neighbourhood cannot be named by a sequence that is still to come", "[plan]") {
  People f;
  Plan plan = f.space().plan();
  plan.expect_neighborhood(f.ada.id, f.space().tail().seq + 1);
  CHECK(refusal_of([&] { (void)f.space().apply(plan); })
            .starts_with("steps[0] expect_neighborhood: seq: not be after the journal's end"));
}

TEST_CASE("a plan that is built anew under its request id is made once, whatever ids it makes",
          "[plan][request]") {
  People f;
  const auto build = [&](const char* name) {
    Plan plan = f.space().plan();
    const EntityId cy = plan.create(person(name));
    plan.create(edge_between(cy, "knows", f.ada.id));
    plan.patch(cy, patch(R"({"tags":["new"]})"));
    return plan;
  };
  const auto first = f.space().apply(build("Cy"), {.request_id = "r"});
  REQUIRE(first.applied());
  const auto again = f.space().apply(build("Cy"), {.request_id = "r"});
  CHECK(again.repeated);
  CHECK((again.steps[0].current == first.steps[0].current));
  CHECK_THROWS_AS(f.space().apply(build("Dee"), {.request_id = "r"}), InvalidArgument);
}

TEST_CASE("the answer of a plan outlives one of its rows", "[plan][request]") {
  People f;
  Plan plan = f.space().plan();
  const EntityId cy = plan.create(person("Cy"));
  plan.create(person("Dee"));
  const auto first = f.space().apply(plan, {.request_id = "r"});
  written(f.space().entities().remove(cy));
  CHECK(f.space().entities().purge(cy).applied());
  const auto again = f.space().apply(plan, {.request_id = "r"});
  CHECK(again.repeated);
  CHECK(std::holds_alternative<std::monostate>(again.steps[0].current));
  CHECK((again.steps[1].current == first.steps[1].current));
}

TEST_CASE("expectations name rows as they were before the plan", "[plan]") {
  People f;
  Plan plan = f.space().plan();
  plan.patch(f.bob.id, patch(R"({"name":"Robert"})"), as_read(f.bob));
  plan.expect_unchanged(f.bob.id, as_read(f.bob));
  plan.patch(f.bob.id, patch(R"({"tags":["renamed"]})"), as_read(f.bob));
  plan.remove(f.bob.id, as_read(f.bob));
  plan.restore(f.bob.id);
  const auto result = f.space().apply(plan);
  CHECK(outcomes(result) ==
        std::vector<std::string>{"applied", "held", "applied", "applied", "applied"});
  const Entity bob = f.space().entities().get(f.bob.id);
  CHECK(bob.name == "Robert");
  CHECK(bob.tags == std::vector<std::string>{"renamed"});
  CHECK_FALSE(bob.deleted_at.has_value());
  CHECK(result.steps[3].edges == std::vector{f.knows.id});
  CHECK(result.steps[4].edges == std::vector{f.knows.id});
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("a plan may rest on rows that it only read", "[plan]") {
  People f;
  Plan plan = f.space().plan();
  plan.expect_unchanged(f.ada.id, as_read(f.ada));
  plan.patch(f.bob.id, patch(R"({"name":"Robert"})"));
  written(f.space().entities().update(f.ada.id, &EntityKind::edit));
  const auto result = f.space().apply(plan);
  CHECK(outcomes(result) == std::vector<std::string>{"revision_moved", "held"});
  CHECK(f.space().entities().get(f.bob.id) == f.bob);
}

TEST_CASE("a dry run makes the checks of the real run and writes nothing", "[plan][P7]") {
  People f;
  Plan plan = f.space().plan();
  const EntityId cy = plan.create(person("Cy"));
  plan.create(edge_between(cy, "knows", f.ada.id));
  plan.patch(f.bob.id, patch("{}"), as_read(f.bob));
  const std::string before = picture(*f.store.store);
  const auto good = f.space().check(plan);
  CHECK(good.outcome == PlanOutcome::checked);
  CHECK(outcomes(good) == std::vector<std::string>{"held", "held", "unchanged"});
  CHECK(picture(*f.store.store) == before);

  written(f.space().entities().update(f.bob.id, &EntityKind::edit));
  const auto bad = f.space().check(plan);
  const auto real = f.space().apply(plan);
  CHECK(bad.outcome == PlanOutcome::refused);
  CHECK(outcomes(bad) == outcomes(real));
  CHECK(bad.conflicts() == real.conflicts());
}

TEST_CASE("a plan keeps the rules that single writes keep", "[plan][P8]") {
  People f;
  Note keyed = about(f.ada.id, "first");
  keyed.key = "k";
  written(f.space().notes().insert_if_absent(keyed));
  Plan plan = f.space().plan();
  plan.create(keyed);
  plan.create(edge_between(f.ada.id, "knows", f.bob.id));
  plan.create(edge_between(f.ada.id, "knows", f.ada.id));
  plan.create(edge_between(f.ada.id, "knows", EntityId{f.store.environment.ids->next()}));
  const auto result = f.space().apply(plan);
  CHECK(outcomes(result) == std::vector<std::string>{"key_taken", "key_taken", "loop_refused",
                                                     "endpoint_missing"});
}

TEST_CASE("insert_if_absent takes a row that is there for done; create does not", "[plan]") {
  People f;
  Plan plan = f.space().plan();
  plan.insert_if_absent(f.ada);
  const auto result = f.space().apply(plan);
  CHECK(result.applied());
  CHECK(outcomes(result) == std::vector<std::string>{"exists"});
  Plan creating = f.space().plan();
  creating.create(f.ada);
  CHECK(f.space().apply(creating).outcome == PlanOutcome::refused);
}

TEST_CASE("a plan that changes nothing is applied and appends nothing", "[plan]") {
  People f;
  const std::string before = picture(*f.store.store);
  Plan plan = f.space().plan();
  plan.patch(f.ada.id, patch("{}"), as_read(f.ada));
  plan.restore(f.bob.id);
  plan.expect_absent(EntityId{f.store.environment.ids->next()});
  const auto result = f.space().apply(plan);
  CHECK(result.applied());
  CHECK(outcomes(result) == std::vector<std::string>{"unchanged", "unchanged", "held"});
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("merging by hand re-points edges in one transaction, absorbed ones included",
          "[plan][C4]") {
  People f;
  const Edge from_eve = f.store.add_edge(f.eve.id, "knows", f.bob.id);
  const Edge to_eve = f.store.add_edge(f.bob.id, "likes", f.eve.id);
  Plan plan = f.space().plan();
  plan.retarget(from_eve.id, {.source = f.ada.id, .relation = {}, .target = {}, .valid_from = {},
                              .valid_to = {}},
                as_read(from_eve));
  plan.retarget(to_eve.id, {.source = {}, .relation = {}, .target = f.ada.id, .valid_from = {},
                            .valid_to = {}},
                as_read(to_eve));
  plan.remove(f.eve.id, as_read(f.eve));
  const auto result = f.space().apply(plan);
  REQUIRE(result.applied());
  CHECK(outcomes(result) == std::vector<std::string>{"absorbed", "applied", "applied"});
  CHECK((std::get<Edge>(result.steps[0].current) == f.knows));
  CHECK(result.steps[2].edges.empty());
  CHECK(f.space().edges().get(to_eve.id).target == f.ada.id);
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("a refused merge by hand leaves every edge where it was", "[plan][C4]") {
  People f;
  const Edge from_eve = f.store.add_edge(f.eve.id, "likes", f.bob.id);
  Plan plan = f.space().plan();
  plan.retarget(from_eve.id, {.source = f.ada.id, .relation = {}, .target = {}, .valid_from = {},
                              .valid_to = {}},
                as_read(from_eve));
  plan.remove(f.eve.id, as_read(f.eve));
  written(f.space().entities().update(f.eve.id, &EntityKind::edit));
  const std::string before = picture(*f.store.store);
  CHECK(f.space().apply(plan).outcome == PlanOutcome::refused);
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("deleting and creating in one plan cannot lose the old row when the new one is refused",
          "[plan][A16]") {
  People f;
  const std::string before = picture(*f.store.store);
  Plan plan = f.space().plan();
  plan.remove(f.note.id, as_read(f.note));
  plan.create(about(EntityId{f.store.environment.ids->next()}, "its successor"));
  CHECK(f.space().apply(plan).outcome == PlanOutcome::refused);
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("a plan of 10,000 steps is applied whole; one more is refused", "[plan]") {
  TestStore store;
  Plan plan = store.space->plan();
  for (int i = 0; i < 10'000; ++i) plan.create(person(std::to_string(i)));
  CHECK(refusal_of([&] { plan.create(person("one more")); }) == "steps: be at most 10000");
  const auto result = store.space->apply(plan);
  REQUIRE(result.applied());
  CHECK(store.space->entities().count({}) == 10'000);
  CHECK(store.space->tail().seq == 10'001);
}

TEST_CASE("the same request id makes a plan once, with the same answer from another handle",
          "[plan][request]") {
  People f;
  Plan plan = f.space().plan();
  const EntityId cy = plan.create(person("Cy"));
  plan.create(edge_between(cy, "knows", f.ada.id));
  plan.remove(f.bob.id);
  plan.expect_unchanged(f.eve.id, as_read(f.eve));
  const auto first = f.space().apply(plan, {.request_id = "once"});
  REQUIRE(first.applied());
  const std::string after = picture(*f.store.store);

  const auto another = f.store.open_another();
  const auto again =
      another->space("main", "somebody else").apply(plan, {.request_id = "once"});
  CHECK(again.applied());
  CHECK(again.repeated);
  CHECK(outcomes(again) == outcomes(first));
  for (std::size_t i = 0; i < first.steps.size(); ++i) {
    CHECK((again.steps[i].current == first.steps[i].current));
    CHECK(again.steps[i].seq == first.steps[i].seq);
    CHECK(again.steps[i].edges == first.steps[i].edges);
  }
  CHECK(picture(*f.store.store) == after);

  Plan other = f.space().plan();
  other.create(person("Dee"));
  CHECK_THROWS_AS(f.space().apply(other, {.request_id = "once"}), InvalidArgument);
  CHECK(picture(*f.store.store) == after);
}

TEST_CASE("a plan without a request id of its own can be asked after by the id it was given",
          "[plan][request]") {
  People f;
  Plan plan = f.space().plan();
  plan.create(person("Cy"));
  const auto result = f.space().apply(plan);
  const auto found = f.space().find_request(result.request_id);
  REQUIRE(found.has_value());
  CHECK(found->seq == f.space().tail().seq);
  const auto again = f.space().apply(plan, {.request_id = result.request_id});
  CHECK(again.repeated);
}

TEST_CASE("a refused plan keeps no answer: asked again, it is looked at afresh",
          "[plan][request]") {
  People f;
  Plan plan = f.space().plan();
  plan.patch(f.bob.id, patch(R"({"name":"Robert"})"), Expected{{1}, {}});
  CHECK(f.space().apply(plan, {.request_id = "r"}).outcome == PlanOutcome::refused);
  CHECK_FALSE(f.space().find_request("r").has_value());
  Plan right = f.space().plan();
  right.patch(f.bob.id, patch(R"({"name":"Robert"})"), as_read(f.bob));
  CHECK(f.space().apply(right, {.request_id = "r"}).applied());
}

TEST_CASE("a row that only the plan itself has made is not shown as the one in the way", "[plan]") {
  People f;
  REQUIRE(f.space().declare_key({.name = "name", .path = "name"}).outcome ==
          KeyOutcome::declared);
  Plan twins = f.space().plan();
  twins.create(person("new"));
  twins.create(person("new"));
  const auto refused = f.space().apply(twins);
  CHECK(outcomes(refused) == std::vector<std::string>{"held", "key_taken"});
  CHECK(std::holds_alternative<std::monostate>(refused.steps[1].current));
  Plan taken = f.space().plan();
  taken.create(person("Ada"));
  const auto in_the_way = f.space().apply(taken).steps[0].current;
  CHECK(std::get<Entity>(in_the_way).id == f.ada.id);
}
