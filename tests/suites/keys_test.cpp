#include "suites/support.h"

#include <holdfast/core/error.h>

namespace holdfast::test {
namespace {

Entity person(const std::string& name, const std::string& email) {
  Entity row;
  row.kind = "person";
  row.name = name;
  row.properties = JsonObject::parse("properties", R"({"email":")" + email + R"("})");
  return row;
}

const KeyDeclaration kEmail{.name = "email", .kind = "person", .path = "/email"};

/// A store in which persons have the key "email".
struct Keyed {
  Keyed() { CHECK(space().declare_key(kEmail).outcome == KeyOutcome::declared); }
  const Space& space() const { return *store.space; }
  Entity add(const std::string& name, const std::string& email) {
    pass_time(store);
    return written(space().entities().insert_if_absent(person(name, email)));
  }
  std::string holder(const KeyValue& value) const {
    const auto found = space().find_by_key("email", value);
    return found ? found->name : "nobody";
  }

  TestStore store;
};

}  // namespace

TEST_CASE("a declared key finds what is there already and what comes later", "[keys]") {
  TestStore store;
  for (int i = 0; i < 200; ++i) {
    const auto n = std::to_string(i);
    (void)written(store.space->entities().insert_if_absent(person("p" + n, n + "@x")));
  }
  const auto declared = store.space->declare_key(kEmail);
  CHECK(declared.outcome == KeyOutcome::declared);
  CHECK(declared.build.walked == 200);
  CHECK(store.space->find_by_key("email", "17@x")->name == "p17");
  (void)written(store.space->entities().insert_if_absent(person("late", "late@x")));
  CHECK(store.space->find_by_key("email", "late@x")->name == "late");
  CHECK_FALSE(store.space->find_by_key("email", "nobody@x").has_value());
  CHECK(store.space->declare_key(kEmail).outcome == KeyOutcome::unchanged);
  CHECK(store.store->verify().is_clean());
}

TEST_CASE("a key follows its entity through every change", "[keys]") {
  Keyed f;
  const Entity ann = f.add("Ann", "ann@x");
  const auto patch = JsonObject::parse("patch", R"({"properties":{"email":"a@x"}})");
  CHECK(f.space().entities().patch(ann.id, patch).applied());
  CHECK(f.holder("ann@x") == "nobody");
  CHECK(f.holder("a@x") == "Ann");
  CHECK(f.space().entities().remove(ann.id).applied());
  CHECK(f.holder("a@x") == "nobody");
  CHECK(f.space().entities().restore(ann.id).applied());
  CHECK(f.holder("a@x") == "Ann");
  const auto kind = JsonObject::parse("patch", R"({"kind":"robot"})");
  CHECK(f.space().entities().patch(ann.id, kind).applied());
  CHECK(f.holder("a@x") == "nobody");
  CHECK(f.space().entities().remove(ann.id).applied());
  CHECK(f.space().entities().purge(ann.id).applied());
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("of two creators of one key the second gets the first one's row", "[keys]") {
  Keyed f;
  const Entity first = f.add("Ann", "ann@x");
  const auto second = f.space().entities().insert_if_absent(person("Anne", "ann@x"));
  CHECK(second.outcome == Outcome::key_taken);
  REQUIRE(second.current.has_value());
  CHECK(second.current->id == first.id);
  CHECK(f.space().entities().count({}) == 1);
}

TEST_CASE("a key over existing duplicates is refused, lists them and leaves nothing", "[keys]") {
  TestStore store;
  const auto add = [&](const std::string& name, const std::string& email) {
    pass_time(store);
    return written(store.space->entities().insert_if_absent(person(name, email)));
  };
  const Entity ann = add("Ann", "same@x");
  (void)add("Bob", "bob@x");
  const Entity other = add("Other", "same@x");
  const auto refused = store.space->declare_key(kEmail);
  CHECK(refused.outcome == KeyOutcome::refused);
  REQUIRE(refused.build.problems.size() == 1);
  CHECK(refused.build.problems[0].id == other.id.uuid);
  CHECK(refused.build.problems[0].clashes_with == ann.id.uuid);
  CHECK(refused.build.problems[0].detail == "\"same@x\"");
  CHECK(store.space->keys().empty());
  CHECK_THROWS_AS(store.space->find_by_key("email", "bob@x"), NotFound);
  CHECK(store.space->entities().remove(other.id).applied());
  CHECK(store.space->declare_key(kEmail).outcome == KeyOutcome::declared);
  CHECK(store.store->verify().is_clean());
}

TEST_CASE("an undeclared key leaves nothing behind and can be declared anew", "[keys]") {
  Keyed f;
  (void)f.add("Ann", "ann@x");
  CHECK(f.space().undeclare_key("email"));
  CHECK_FALSE(f.space().undeclare_key("email"));
  CHECK_THROWS_AS(f.space().find_by_key("email", "ann@x"), NotFound);
  (void)f.add("Twin", "ann@x");
  CHECK(f.space().declare_key(kEmail).outcome == KeyOutcome::refused);
  const KeyDeclaration by_name{.name = "email", .path = "name"};
  CHECK(f.space().declare_key(by_name).outcome == KeyOutcome::declared);
  CHECK(f.holder("Twin") == "Twin");
  const auto other = f.space().declare_key(kEmail);
  CHECK(other.outcome == KeyOutcome::declared_otherwise);
  CHECK(other.current == by_name);
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("keys are strings as NFC or integers, and 42 is not \"42\"", "[keys]") {
  Keyed f;
  (void)f.add("composed", "\u00e9@x");
  CHECK(f.holder("e\u0301@x") == "composed");
  Entity number = person("number", "");
  number.properties = JsonObject::parse("properties", R"({"email":42})");
  (void)written(f.space().entities().insert_if_absent(number));
  CHECK(f.holder(42) == "number");
  CHECK(f.holder("42") == "nobody");
}

TEST_CASE("a live row is refused for what cannot be a key, a declaration lists it", "[keys]") {
  Keyed f;
  Entity row = person("list", "");
  row.properties = JsonObject::parse("properties", R"({"email":["a@x"]})");
  CHECK_THROWS_AS(f.space().entities().insert_if_absent(row), InvalidArgument);
  row.kind = "robot";
  (void)written(f.space().entities().insert_if_absent(row));
  const auto all = f.space().declare_key({.name = "any", .path = "/email"});
  CHECK(all.outcome == KeyOutcome::refused);
  CHECK(all.build.problems_total == 1);
  CHECK(f.space().keys().size() == 1);
}

TEST_CASE("a key that is not in force is an error, never an answer", "[keys]") {
  TestStore store;
  (void)written(store.space->entities().insert_if_absent(person("Ann", "ann@x")));
  const auto stopped = store.space->declare_key(kEmail, {}, [](const auto&) { return false; });
  CHECK(stopped.outcome == KeyOutcome::stopped);
  CHECK_THROWS_AS(store.space->find_by_key("email", "ann@x"), Unavailable);
  CHECK(store.space->declare_key(kEmail).outcome == KeyOutcome::declared);
  CHECK(store.space->find_by_key("email", "ann@x")->name == "Ann");
}

}  // namespace holdfast::test
