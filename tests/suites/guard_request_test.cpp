#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// A request that was applied: an entity was made.
struct Applied {
  Applied() { answer = written(ask("a")); }
  WriteResult<Entity> ask(const std::string& name) {
    return store.space->entities().insert_if_absent(EntityKind::fresh(store, *store.space, name),
                                                    {.request_id = "request"});
  }
  /// The request is known for applied, and asking again is an error of some kind: without the
  /// condition on its id it would be one too, of the table's key.
  void require_error(const std::string& name) {
    const std::string before = picture(*store.store);
    CHECK_THROWS(ask(name));
    CHECK(picture(*store.store) == before);
  }
  TestStore store;
  Entity answer;
};

}  // namespace

TEST_CASE("a request that was applied is answered as it was and writes nothing",
          "[guard][guard:request.replay.id]") {
  Applied f;
  const std::string before = picture(*f.store.store);
  const auto again = f.ask("a");
  CHECK(again.repeated);
  CHECK((again.current == f.answer));
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("an applied request's id is an error when only what it asks for is another",
          "[guard][guard:request.replay.digest]") {
  Applied f;
  f.require_error("b");
}

TEST_CASE("an applied request is an error when only its answer is kept no longer",
          "[guard][guard:request.replay.retention]") {
  Applied f;
  f.store.environment.clock.advance(f.store.space->settings().request_retention + 1us);
  f.require_error("a");
}
