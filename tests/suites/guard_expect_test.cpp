#include "suites/transact_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// A plan that creates an entity and rests on something else.
struct Rests : Transacted {
  Plan changing() const {
    Plan plan = space().plan();
    plan.create(person("made"));
    return plan;
  }
  void require_refused(const Plan& plan, Outcome outcome) const {
    const std::string before = picture(*store.store);
    const auto result = space().apply(plan);
    CHECK(result.outcome == PlanOutcome::refused);
    CHECK(outcomes(result) ==
          std::vector<std::string>{"held", std::string(to_string(outcome))});
    CHECK(picture(*store.store) == before);
  }
  void require_applied(const Plan& plan) const { CHECK(space().apply(plan).applied()); }

  /// What a read comes to, as steps of a plan that creates an entity.
  Plan resting_on(const std::function<void(Transaction&)>& read) const {
    Transaction transaction(space());
    read(transaction);
    Plan plan = changing();
    for (const PlanStep& step : transaction.read_set()) plan.add(step);
    return plan;
  }
};

}  // namespace

TEST_CASE("a plan is refused when a row has changed since the sequence it was read at",
          "[guard][guard:plan.expect.since]") {
  Rests f;
  const Sequence seen = f.space().tail().seq;
  Plan plan = f.changing();
  plan.expect_unchanged_since(f.ada.id, seen);
  f.edit(f.ada.id);
  f.require_refused(plan, Outcome::revision_moved);
  Plan right = f.changing();
  right.expect_unchanged_since(f.ada.id, f.space().tail().seq);
  f.require_applied(right);
}

TEST_CASE("a plan is refused when what a note is about was deleted since it was read",
          "[guard][guard:plan.expect.about]") {
  Rests f;
  const auto read = [&](Transaction& t) { t.get(f.note.id); };
  const Plan plan = f.resting_on(read);
  written(f.space().entities().remove(f.ada.id));
  f.require_refused(plan, Outcome::deletion_changed);
  f.require_applied(f.resting_on(read));
}

TEST_CASE("a plan is refused when a list it rests on answers otherwise",
          "[guard][guard:plan.expect.list]") {
  Rests f;
  const auto read = [&](Transaction& t) { t.list(EntityFilter{}, {.limit = 1, .cursor = {}}); };
  const Plan plan = f.resting_on(read);
  f.store.add_entity("phantom");
  f.require_refused(plan, Outcome::list_moved);
  f.require_applied(f.resting_on(read));
}

TEST_CASE("a transaction runs again when what it saw through its own changes has moved",
          "[guard][guard:plan.expect.own_view]") {
  Rests f;
  int runs = 0;
  const auto result = f.space().transact([&](Transaction& t) {
    t.create(person("mine"));
    t.count(EntityFilter{});
    if (++runs == 1) f.store.add_entity("phantom");
  });
  CHECK(result.applied());
  CHECK(runs == 2);
}

namespace {

constexpr auto kByEmail = R"({"email":"ada@x"})";

void set_email(const Rests& f, EntityId id, const char* properties) {
  const std::string text = std::string(R"({"properties":)") + properties + "}";
  written(f.space().entities().patch(id, JsonObject::parse("patch", text)));
}

}  // namespace

TEST_CASE("a plan is refused when a declared key it followed leads elsewhere",
          "[guard][guard:plan.expect.key]") {
  Rests f;
  CHECK(f.space().declare_key({.name = "email", .kind = "person", .path = "/email"}).outcome ==
        KeyOutcome::declared);
  set_email(f, f.ada.id, kByEmail);
  Plan plan = f.changing();
  plan.expect_key("email", "ada@x", f.ada.id);
  set_email(f, f.ada.id, R"({"email":null})");
  f.require_refused(plan, Outcome::key_moved);
  set_email(f, f.bob.id, kByEmail);
  f.require_refused(plan, Outcome::key_moved);
  Plan right = f.changing();
  right.expect_key("email", "ada@x", f.bob.id);
  right.expect_key("email", "nobody@x", std::nullopt);
  f.require_applied(right);
}
