#include "suites/support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// "Ann" has the key that `named("Ann")` would take.
struct Keyed {
  Keyed() {
    ann = store.add_entity("Ann");
    REQUIRE(store.space->declare_key({.name = "name", .path = "name"}).outcome ==
            KeyOutcome::declared);
    pass_time(store);
  }
  const auto& entities() const { return store.space->entities(); }
  static Entity named(const std::string& name) {
    Entity row;
    row.kind = "robot";
    row.name = name;
    return row;
  }
  void require_taken(const WriteResult<Entity>& result) const {
    CHECK(to_string(result.outcome) == "key_taken");
    CHECK((result.current && result.current->id == ann.id));
  }

  TestStore store;
  Entity ann;
};

/// Nothing else may stand in the way: an error is a failure too.
template <class Write>
WriteResult<Entity> answer_of(const Write& write) {
  try {
    return write();
  } catch (const std::exception& error) {
    FAIL_CHECK(error.what());
    return {};
  }
}

}  // namespace

TEST_CASE("an insert is refused when only its key is taken",
          "[guard][guard:entity.insert.key_free]") {
  Keyed f;
  f.require_taken(answer_of([&] { return f.entities().insert_if_absent(Keyed::named("Ann")); }));
  CHECK(f.entities().insert_if_absent(Keyed::named("Anne")).applied());
}

TEST_CASE("a replace is refused when only its key is taken",
          "[guard][guard:entity.replace.key_free]") {
  Keyed f;
  Entity row = written(f.entities().insert_if_absent(Keyed::named("Bob")));
  const Expected read = as_read(row);
  row.name = "Ann";
  f.require_taken(answer_of([&] { return f.entities().replace(row, read); }));
  row.name = "Anne";
  CHECK(f.entities().replace(row, read).applied());
}

TEST_CASE("a restore is refused when only its key is taken",
          "[guard][guard:entity.restore.key_free]") {
  Keyed f;
  written(f.entities().remove(f.ann.id));
  pass_time(f.store);
  const Entity twin = written(f.entities().insert_if_absent(Keyed::named("Ann")));
  const auto refused = answer_of([&] { return f.entities().restore(f.ann.id); });
  CHECK(to_string(refused.outcome) == "key_taken");
  CHECK((refused.current && refused.current->id == twin.id));
  written(f.entities().remove(twin.id));
  CHECK(f.entities().restore(f.ann.id).applied());
}
