#include <array>

#include "suites/kinds.h"
#include "suites/plan_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

enum class State { absent, live, edited, deleted, restored, purged };
constexpr std::array kStates = {State::absent,  State::live,     State::edited,
                                State::deleted, State::restored, State::purged};

enum class Named { nothing, first_read, now, now_but_live, now_but_deleted };
constexpr std::array kNamed = {Named::nothing, Named::first_read, Named::now, Named::now_but_live,
                               Named::now_but_deleted};

constexpr std::array kOps = {PlanOp::create, PlanOp::insert_if_absent, PlanOp::replace,
                             PlanOp::patch,  PlanOp::remove,           PlanOp::restore};

JsonObject document() { return JsonObject::parse("patch", R"({"properties":{"patched":true}})"); }

/// One row in a state, made the same way each time, and what its writer names of it.
template <class Kind>
struct Cell {
  using Row = typename Kind::Row;

  Cell(State state, Named named) {
    const auto& rows = Kind::in(*store.space);
    first = state == State::absent ? Kind::fresh(store, *store.space, "row")
                                   : Kind::add(store, *store.space, "row");
    if (state == State::absent) first.id = {store.environment.ids->next()};
    pass_time(store);
    if (state == State::edited) written(rows.update(first.id, &Kind::edit));
    if (state >= State::deleted) written(rows.remove(first.id));
    pass_time(store);
    if (state == State::restored) written(rows.restore(first.id));
    if (state == State::purged) CHECK(rows.purge(first.id).applied());
    pass_time(store);
    const auto now = rows.find(first.id);
    switch (named) {
      case Named::nothing: break;
      case Named::first_read: expected = as_read(first); break;
      case Named::now: expected = as_read(now.value_or(first)); break;
      case Named::now_but_live: expected = Expected{now.value_or(first).revision, {}}; break;
      case Named::now_but_deleted:
        expected = Expected{now.value_or(first).revision, at_us(1)};
        break;
    }
    edited = first;
    Kind::edit(edited);
    edited.deleted_at = expected ? expected->deleted_at : std::nullopt;
  }

  WriteResult<Row> alone(PlanOp op) const {
    const auto& rows = Kind::in(*store.space);
    switch (op) {
      case PlanOp::replace: return rows.replace(edited, *expected);
      case PlanOp::patch: return rows.patch(first.id, document(), expected);
      case PlanOp::remove: return rows.remove(first.id, expected);
      case PlanOp::restore: return rows.restore(first.id, expected);
      default: return rows.insert_if_absent(first);
    }
  }

  PlanResult planned(PlanOp op) const {
    Plan plan = store.space->plan();
    switch (op) {
      case PlanOp::create: plan.create(first); break;
      case PlanOp::insert_if_absent: plan.insert_if_absent(first); break;
      case PlanOp::replace: plan.replace(edited, expected); break;
      case PlanOp::patch: plan.patch(first.id, document(), expected); break;
      case PlanOp::remove: plan.remove(first.id, expected); break;
      default: plan.restore(first.id, expected); break;
    }
    return store.space->apply(plan);
  }

  TestStore store;
  Row first;
  Row edited;
  std::optional<Expected> expected;
};

bool applies(PlanOp op, Named named) {
  const bool is_insert = op == PlanOp::create || op == PlanOp::insert_if_absent;
  if (is_insert) return named == Named::nothing;
  return op != PlanOp::replace || named != Named::nothing;
}

}  // namespace

TEMPLATE_TEST_CASE("a change in a plan ends as the same change made alone", "[plan][matrix]",
                   EntityKind, EdgeKind, NoteKind) {
  std::set<std::string> met;
  for (const State state : kStates) {
    for (const Named named : kNamed) {
      for (const PlanOp op : kOps) {
        if (!applies(op, named)) continue;
        CAPTURE(static_cast<int>(state), static_cast<int>(named), std::string(to_string(op)));
        Cell<TestType> one(state, named);
        Cell<TestType> other(state, named);
        REQUIRE(picture(*one.store.store) == picture(*other.store.store));
        const auto alone = one.alone(op);
        const auto planned = other.planned(op);
        const StepResult& step = planned.steps.front();
        CHECK(to_string(step.outcome) == to_string(alone.outcome));
        CHECK(step.seq == alone.seq);
        CHECK(planned.applied() == (alone.applied() || alone.outcome == Outcome::unchanged ||
                                    (alone.outcome == Outcome::exists &&
                                     op == PlanOp::insert_if_absent)));
        if (alone.current && planned.steps.front().is_conflict) {
          CHECK((std::get<typename TestType::Row>(step.current) == *alone.current));
        }
        CHECK(picture(*other.store.store) == picture(*one.store.store));
        met.insert(std::string(to_string(alone.outcome)));
      }
    }
  }
  CHECK(met == std::set<std::string>{"applied", "deletion_changed", "exists", "missing", "purged",
                                     "revision_moved", "unchanged"});
}

namespace {

/// Random changes of a few rows, the same for the same seed: what is there may be stale, deleted or
/// taken.
std::vector<PlanStep> random_steps(TestStore& store, core::Random& random) {
  const Space& space = *store.space;
  std::vector<Entity> entities;
  for (int i = 0; i < 5; ++i) entities.push_back(store.add_entity(std::to_string(i)));
  std::vector<Edge> edges;
  for (std::size_t i = 0; i + 1 < entities.size(); ++i) {
    edges.push_back(store.add_edge(entities[i].id, "knows", entities[i + 1].id));
  }
  pass_time(store);
  // Others go on meanwhile.
  if (random.below(3) == 0) written(space.entities().update(entities[0].id, &EntityKind::edit));
  if (random.below(3) == 0) written(space.edges().remove(edges[1].id));
  pass_time(store);

  Plan plan = space.plan();
  for (std::size_t i = 0; i < entities.size(); ++i) {
    const Entity& entity = entities[i];
    const auto read = random.below(2) == 0 ? std::optional(as_read(entity)) : std::nullopt;
    switch (random.below(6)) {
      case 0: plan.patch(entity.id, document(), read); break;
      case 1: plan.remove(entity.id, read); break;
      case 2: plan.create(edge_between(entity.id, "likes", entities[random.below(5)].id)); break;
      case 3: plan.create(EntityKind::fresh(store, space, "new")); break;
      default: break;
    }
    if (i >= edges.size()) continue;
    const auto edge_read = random.below(2) == 0 ? std::optional(as_read(edges[i])) : std::nullopt;
    switch (random.below(4)) {
      case 0: plan.patch(edges[i].id, document(), edge_read); break;
      case 1:
        plan.retarget(edges[i].id,
                      {.source = {},
                       .relation = {},
                       .target = entities[random.below(5)].id,
                       .valid_from = {},
                       .valid_to = {}},
                      edge_read);
        break;
      default: break;
    }
  }
  return plan.steps();
}

template <class Row>
Outcome made(const WriteResult<Row>& result) {
  return result.outcome;
}

Outcome make_alone(const Space& space, const PlanStep& step) {
  const bool is_edge = step.kind == holdfast::RowKind::edge;
  const EntityId entity{step.id};
  const EdgeId edge{step.id};
  switch (step.op) {
    case PlanOp::create:
      return is_edge ? made(space.edges().insert_if_absent(std::get<Edge>(step.row)))
                     : made(space.entities().insert_if_absent(std::get<Entity>(step.row)));
    case PlanOp::patch:
      return is_edge ? made(space.edges().patch(edge, step.patch, step.expected))
                     : made(space.entities().patch(entity, step.patch, step.expected));
    case PlanOp::remove: return made(space.entities().remove(entity, step.expected));
    default: return made(space.retarget_edge(edge, step.move, step.expected));
  }
}

bool is_fine(Outcome outcome) {
  return outcome == Outcome::applied || outcome == Outcome::absorbed ||
         outcome == Outcome::unchanged;
}

}  // namespace

TEST_CASE("changes made one by one and in a plan leave the same rows, or stop at the same one",
          "[plan][matrix]") {
  int landed = 0;
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    TestStore one(seed);
    TestStore other(seed);
    core::Random draw_one(seed);
    core::Random draw_other(seed);
    const auto steps = random_steps(one, draw_one);
    Plan plan(*other.environment.ids);
    for (PlanStep& step : random_steps(other, draw_other)) plan.add(std::move(step));
    if (steps.empty()) continue;
    const std::string before = picture(*other.store);
    const auto result = other.space->apply(plan);

    std::size_t at = 0;
    Outcome outcome = Outcome::applied;
    for (; at < steps.size() && is_fine(outcome); ++at) {
      outcome = make_alone(*one.space, steps[at]);
      if (!is_fine(outcome)) break;
    }
    if (at == steps.size()) {
      CHECK(result.applied());
      CHECK(picture(*other.store) == picture(*one.store));
      ++landed;
    } else {
      CHECK(result.outcome == PlanOutcome::refused);
      CHECK(to_string(result.steps[at].outcome) == to_string(outcome));
      CHECK(picture(*other.store) == before);
      ++refused;
    }
  }
  CHECK(landed > 50);
  CHECK(refused > 50);
}
