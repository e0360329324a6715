#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// A new entity is Full and writes nothing under `limits`, and lands once they are lifted.
void refuses_a_row_under(const SpaceSettings& limits, TestStore& store) {
  written(store.space->configure(limits));
  const Entity next = EntityKind::fresh(store, *store.space, "next");
  const std::string before = picture(*store.store);
  CHECK_THROWS_AS(store.space->entities().insert_if_absent(next), Full);
  CHECK(picture(*store.store) == before);
  written(store.space->configure({}));
  CHECK(store.space->entities().insert_if_absent(next).outcome == Outcome::applied);
}

}  // namespace

TEST_CASE("a new row is refused when only the space has as many as it may",
          "[guard][guard:space.limit.rows]") {
  TestStore store;
  store.add_entity("first");
  refuses_a_row_under({.rows_max = 1}, store);
}

TEST_CASE("a new row is refused when only its text would pass what the space may keep",
          "[guard][guard:space.limit.bytes]") {
  TestStore store;
  store.add_entity("first");
  refuses_a_row_under({.bytes_max = store.store->space_info("main").body_bytes + 1}, store);
}
