#include "suites/guard_fixture.h"
#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {
using EventGuard = ReplaceGuard<ScheduledKind>;
}  // namespace

TEST_CASE("replacing a scheduled event is refused when only the space is another",
          "[guard][guard:scheduled_event.replace.space]") {
  refuses_a_row_of_another_space<ScheduledKind>();
}

TEST_CASE("replacing a scheduled event is refused when only the id is another",
          "[guard][guard:scheduled_event.replace.id]") {
  EventGuard guard;
  refuses_an_unknown_id(guard);
}

TEST_CASE("replacing a scheduled event is refused when only the revision has moved",
          "[guard][guard:scheduled_event.replace.revision]") {
  refuses_a_moved_revision<ScheduledKind>();
}

TEST_CASE("replacing a scheduled event is refused when only the deletion mark has changed",
          "[guard][guard:scheduled_event.replace.deletion]") {
  refuses_to_raise_the_dead<ScheduledKind>(&Space::events);
}

TEST_CASE("replacing a scheduled event is refused when only its revision does not advance",
          "[guard][guard:scheduled_event.replace.advance]") {
  refuses_a_revision_that_does_not_advance<ScheduledKind>();
}

TEST_CASE("replacing a scheduled event is an error when only its time of creation differs",
          "[guard][guard:scheduled_event.replace.created_at]") {
  refuses_another_time_of_creation<ScheduledKind>();
}

TEST_CASE("cancelling a scheduled event is refused when only it has ended",
          "[guard][guard:scheduled_event.replace.pending]") {
  EventGuard guard;
  const auto set_status = [&](const char* status) {
    plant(*guard.store.store, "UPDATE scheduled_events SET status = '" + std::string(status) + "'");
  };
  guard.write.status = EventStatus::cancelled;
  for (const char* ended : {"fired", "missed", "failed"}) {
    set_status(ended);
    guard.require_refused(Outcome::not_pending);
  }
  set_status("pending");
  guard.require_applied();
}
