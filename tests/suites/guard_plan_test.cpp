#include "suites/kinds.h"
#include "suites/plan_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// A plan that renames one entity and rests on something about another. Without `spoil` it lands.
struct Resting {
  Resting() {
    pass_time(store);
    read = store.add_entity("read");
    pass_time(store);
    changed = store.add_entity("changed");
    pass_time(store);
  }

  void require_refused(const Plan& plan, Outcome outcome) const {
    const std::string before = picture(*store.store);
    const auto result = store.space->apply(plan);
    CHECK(result.outcome == PlanOutcome::refused);
    CHECK(to_string(result.steps[0].outcome) == to_string(outcome));
    CHECK(picture(*store.store) == before);
  }
  void require_applied(const Plan& plan) const { CHECK(store.space->apply(plan).applied()); }

  void add_change(Plan& plan) const {
    plan.patch(changed.id, JsonObject::parse("patch", R"({"tags":["seen"]})"));
  }

  TestStore store;
  Entity read;
  Entity changed;
};

}  // namespace

TEST_CASE("a plan is refused when a row it read has another revision",
          "[guard][guard:plan.expect.revision]") {
  Resting f;
  Plan plan = f.store.space->plan();
  plan.expect_unchanged(f.read.id, as_read(f.read));
  f.add_change(plan);
  const Entity newer = written(f.store.space->entities().update(f.read.id, &EntityKind::edit));
  f.require_refused(plan, Outcome::revision_moved);
  Plan right = f.store.space->plan();
  right.expect_unchanged(f.read.id, as_read(newer));
  f.add_change(right);
  f.require_applied(right);
}

TEST_CASE("a plan is refused when a row it read as deleted is live at that revision",
          "[guard][guard:plan.expect.deletion]") {
  Resting f;
  Plan plan = f.store.space->plan();
  plan.expect_unchanged(f.read.id, {f.read.revision, f.store.environment.clock.now()});
  f.add_change(plan);
  f.require_refused(plan, Outcome::deletion_changed);
  Plan right = f.store.space->plan();
  right.expect_unchanged(f.read.id, as_read(f.read));
  f.add_change(right);
  f.require_applied(right);
}

TEST_CASE("a plan is refused when a row it read is not there",
          "[guard][guard:plan.expect.present]") {
  Resting f;
  Entity gone = f.read;
  gone.id = {f.store.environment.ids->next()};
  Plan plan = f.store.space->plan();
  plan.expect_unchanged(gone.id, as_read(gone));
  f.add_change(plan);
  f.require_refused(plan, Outcome::missing);
  Plan right = f.store.space->plan();
  right.expect_unchanged(f.read.id, as_read(f.read));
  f.add_change(right);
  f.require_applied(right);
}

TEST_CASE("a plan is refused when a row it found absent is there",
          "[guard][guard:plan.expect.absent]") {
  Resting f;
  Plan plan = f.store.space->plan();
  plan.expect_absent(f.read.id);
  f.add_change(plan);
  f.require_refused(plan, Outcome::exists);
  Plan right = f.store.space->plan();
  right.expect_absent(EntityId{f.store.environment.ids->next()});
  f.add_change(right);
  f.require_applied(right);
}

TEST_CASE("a plan is refused when a key it found free is taken",
          "[guard][guard:plan.expect.key_absent]") {
  Resting f;
  Note note = NoteKind::fresh(f.store, *f.store.space, "keyed");
  note.key = "k";
  note = written(f.store.space->notes().insert_if_absent(note));
  Plan plan = f.store.space->plan();
  plan.expect_key_absent("k");
  f.add_change(plan);
  f.require_refused(plan, Outcome::key_taken);
  written(f.store.space->notes().remove(note.id));
  f.require_applied(plan);
}

TEST_CASE("a plan is refused when an edge at an entity has changed since it was read",
          "[guard][guard:plan.expect.neighborhood]") {
  Resting f;
  const Sequence seen = f.store.space->tail().seq;
  Plan plan = f.store.space->plan();
  plan.expect_neighborhood(f.read.id, seen);
  f.add_change(plan);
  f.store.add_edge(f.changed.id, "knows", f.read.id);
  f.require_refused(plan, Outcome::neighborhood_moved);
  Plan right = f.store.space->plan();
  right.expect_neighborhood(f.read.id, f.store.space->neighborhood_seq(f.read.id));
  f.add_change(right);
  f.require_applied(right);
}
