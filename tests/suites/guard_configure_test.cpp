#include "suites/support.h"

using namespace holdfast;
using namespace holdfast::test;

TEST_CASE("settings that another has changed since they were read are not overwritten",
          "[guard][guard:space.configure.read]") {
  TestStore store;
  const SpaceSettings read = store.space->settings();
  SpaceSettings wanted = read;
  wanted.rows_max = 1000;
  written(store.space->configure({.relations = RelationPolicy::declared}));
  const std::string before = picture(*store.store);
  const auto refused = store.space->configure(wanted, read);
  CHECK(refused.outcome == Outcome::revision_moved);
  CHECK(refused.current->settings.text() == R"({"relations":"declared"})");
  CHECK(picture(*store.store) == before);

  const SpaceSettings again = store.space->settings();
  wanted = again;
  wanted.rows_max = 1000;
  written(store.space->configure(wanted, again));
  CHECK(store.space->settings() == wanted);
}
