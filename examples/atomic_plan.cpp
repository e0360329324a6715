// An agent has read several rows and thought about them. What it decided lands whole, and only if
// nothing it rests on has moved.
#include <iostream>

#include <holdfast/space/store.h>

using namespace holdfast;

namespace {

Entity task(const std::string& name) {
  Entity entity;
  entity.kind = "task";
  entity.name = name;
  return entity;
}

Expected as_read(const Entity& row) { return {row.revision, row.deleted_at}; }

/// Closes `done` and opens what follows from it, provided that `project` is still as it was read.
PlanResult follow_up(const Space& space, const Entity& project, const Entity& done) {
  Plan plan = space.plan();
  plan.expect_unchanged(project.id, as_read(project));
  plan.patch(done.id, JsonObject::parse("patch", R"({"tags":["done"]})"), as_read(done));
  Edge follows;
  follows.source = plan.create(task("write it up"));  // a later step may name it at once
  follows.relation = "follows";
  follows.target = done.id;
  plan.create(follows);

  std::cout << "dry run: " << to_string(space.check(plan).outcome) << '\n';
  return space.apply(plan);
}

void report(const PlanResult& result) {
  std::cout << "plan: " << to_string(result.outcome) << '\n';
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    std::cout << "  step " << i << ": " << to_string(result.steps[i].outcome) << '\n';
  }
}

}  // namespace

int main(int, char** arguments) {
  const auto store = Store::open(arguments[1]);
  const Space space = store->create_space("default", "agent");
  const Entity project = space.entities().insert_if_absent(task("the project")).current.value();
  const Entity done = space.entities().insert_if_absent(task("measure")).current.value();

  // While the agent thinks, somebody puts the project on hold.
  const auto hold = JsonObject::parse("patch", R"({"tags":["on hold"]})");
  const Entity now = space.entities().patch(project.id, hold).current.value();

  const PlanResult refused = follow_up(space, project, done);
  report(refused);
  const auto& in_the_way = std::get<Entity>(refused.steps[0].current);
  std::cout << "  the project is now " << in_the_way.tags[0] << '\n';

  // It reads again, thinks again, and decides to go on.
  report(follow_up(space, now, done));
}
