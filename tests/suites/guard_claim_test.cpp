#include <holdfast/schedule/claims.h>

#include "suites/guard_fixture.h"
#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;
using schedule::Claim;

namespace {

constexpr auto kLease = 30s;

/// An event that is due, and the steps of a worker, each in a transaction of its own.
struct ClaimGuard {
  ClaimGuard() {
    ScheduledEvent due = ScheduledKind::fresh(store, *store.space, "attacked");
    due.trigger_text = to_rfc3339(now());
    due.repeat.reset();
    event = written(store.space->events().insert_if_absent(due));
    ScheduledKind::add(store, *store.space, "bystander");
  }

  Timestamp now() { return store.environment.clock.now(); }
  void set(const std::string& what) {
    std::string hex = to_string(event.id);
    std::erase(hex, '-');
    plant(*store.store, "UPDATE scheduled_events SET " + what + " WHERE id = x'" + hex + "'");
  }
  void set_attempt(const std::string& what) {
    plant(*store.store, "UPDATE attempts SET " + what);
  }

  template <class Call>
  auto in(const Call& call) {
    decltype(call(std::declval<storage::Transaction&>())) answer{};
    store.store->database().writer().submit(
        [&](storage::Transaction& transaction) {
          answer = call(transaction);
          return storage::Verdict::keep;
        },
        "test");
    return answer;
  }

  std::optional<Claim> claim() {
    return in([&](storage::Transaction& transaction) {
      return schedule::claim_event(transaction, "main",
                                   {.event = event,
                                    .trigger_at = event.trigger_at,
                                    .invocation = store.environment.ids->next(),
                                    .worker = "worker",
                                    .lease = kLease},
                                   now());
    });
  }
  bool mark(const Claim& claim) {
    return in([&](storage::Transaction& transaction) {
      return schedule::mark_invoking(transaction, "main", claim, false, now());
    });
  }
  bool complete(const Claim& claim) {
    return in([&](storage::Transaction& transaction) {
      return schedule::store_outcome(transaction, "main", claim, {}, now());
    });
  }
  /// The event stays as it is, so that only this guard stands between.
  bool finish(const Claim& claim, const ScheduledEvent& read) {
    bool done = false;
    store.space->write([&](journal::Appender& appender) {
      done = schedule::finish(appender, claim, {.end = {}, .read = read});
      if (done) appender.append({.kind = "probe", .id = claim.attempt.invocation, .op = "probe",
                                 .body = "{}", .stream = journal::Appender::Stream::begins});
    });
    return done;
  }
  /// A claim that has come as far as its stored outcome.
  Claim completed() {
    Claim claim = this->claim().value();
    REQUIRE(mark(claim));
    REQUIRE(complete(claim));
    claim.attempt.state = AttemptState::succeeded;
    return claim;
  }

  TestStore store;
  ScheduledEvent event;
};

}  // namespace

TEST_CASE("an event is not claimed when it is only deleted since it was seen",
          "[guard][guard:event.claim.live]") {
  ClaimGuard guard;
  guard.set("deleted_at = 5");
  CHECK_FALSE(guard.claim().has_value());
  guard.set("deleted_at = NULL");
  CHECK(guard.claim().has_value());
}

TEST_CASE("an event is not claimed when only its status has changed since it was seen",
          "[guard][guard:event.claim.pending]") {
  ClaimGuard guard;
  guard.set("status = 'cancelled'");
  CHECK_FALSE(guard.claim().has_value());
  guard.set("status = 'pending'");
  CHECK(guard.claim().has_value());
}

TEST_CASE("an event is not claimed when only its trigger has moved since it was seen",
          "[guard][guard:event.claim.trigger]") {
  ClaimGuard guard;
  guard.set("trigger_at = trigger_at + 1");
  CHECK_FALSE(guard.claim().has_value());
  guard.set("trigger_at = trigger_at - 1");
  CHECK(guard.claim().has_value());
}

TEST_CASE("an event is not claimed when only its revision has moved since it was seen",
          "[guard][guard:event.claim.revision]") {
  ClaimGuard guard;
  guard.set("revision = revision + 1");
  CHECK_FALSE(guard.claim().has_value());
  guard.set("revision = revision - 1");
  CHECK(guard.claim().has_value());
}

TEST_CASE("an event is not claimed when only an attempt at it is open",
          "[guard][guard:event.claim.free]") {
  ClaimGuard guard;
  REQUIRE(guard.claim().has_value());
  // Without the index, and past the lease, nothing else stands in the way.
  plant(*guard.store.store, "DROP INDEX attempts_open");
  guard.store.environment.clock.advance(kLease);
  CHECK_FALSE(guard.claim().has_value());
  guard.set_attempt("state = 'not_invoked', completed_at = 1, finished_at = 1");
  CHECK(guard.claim().has_value());
}

TEST_CASE("an event is not claimed when only its next attempt is to wait",
          "[guard][guard:event.claim.rested]") {
  ClaimGuard guard;
  REQUIRE(guard.claim().has_value());
  guard.store.environment.clock.advance(kLease);
  const auto later = std::to_string(to_us(guard.now()) + 1);
  guard.set_attempt("state = 'failed', completed_at = 1, finished_at = 1, retry_at = " + later);
  CHECK_FALSE(guard.claim().has_value());
  guard.store.environment.clock.advance(1us);
  CHECK(guard.claim().has_value());
}

TEST_CASE("a handler's call is not begun when only the attempt is another",
          "[guard][guard:attempt.invoke.invocation]") {
  ClaimGuard guard;
  Claim claim = guard.claim().value();
  const Uuid own = std::exchange(claim.attempt.invocation, Uuid{});
  CHECK_FALSE(guard.mark(claim));
  claim.attempt.invocation = own;
  CHECK(guard.mark(claim));
}

TEST_CASE("a handler's call is not begun when only it was begun before",
          "[guard][guard:attempt.invoke.claimed]") {
  ClaimGuard guard;
  const Claim claim = guard.claim().value();
  REQUIRE(guard.mark(claim));
  CHECK_FALSE(guard.mark(claim));
  guard.set_attempt("state = 'claimed'");
  CHECK(guard.mark(claim));
}

TEST_CASE("an outcome is not stored when only the attempt is another",
          "[guard][guard:attempt.complete.invocation]") {
  ClaimGuard guard;
  Claim claim = guard.claim().value();
  REQUIRE(guard.mark(claim));
  const Uuid own = std::exchange(claim.attempt.invocation, Uuid{});
  CHECK_FALSE(guard.complete(claim));
  claim.attempt.invocation = own;
  CHECK(guard.complete(claim));
}

TEST_CASE("an outcome is not stored when only the handler's call was not begun",
          "[guard][guard:attempt.complete.invoking]") {
  ClaimGuard guard;
  const Claim claim = guard.claim().value();
  CHECK_FALSE(guard.complete(claim));
  REQUIRE(guard.mark(claim));
  CHECK(guard.complete(claim));
}

TEST_CASE("an event is not finished when only the attempt is another",
          "[guard][guard:attempt.finish.invocation]") {
  ClaimGuard guard;
  Claim claim = guard.completed();
  const Uuid own = std::exchange(claim.attempt.invocation, guard.store.environment.ids->next());
  CHECK_FALSE(guard.finish(claim, guard.event));
  claim.attempt.invocation = own;
  CHECK(guard.finish(claim, guard.event));
}

TEST_CASE("an event is not finished when only its attempt is not as far as its worker thinks",
          "[guard][guard:attempt.finish.state]") {
  ClaimGuard guard;
  Claim claim = guard.completed();
  claim.attempt.state = AttemptState::invoking;
  CHECK_FALSE(guard.finish(claim, guard.event));
  claim.attempt.state = AttemptState::succeeded;
  CHECK(guard.finish(claim, guard.event));
}

TEST_CASE("an event is not finished when only its attempt is closed already",
          "[guard][guard:attempt.finish.open]") {
  ClaimGuard guard;
  const Claim claim = guard.completed();
  guard.set_attempt("finished_at = 1");
  CHECK_FALSE(guard.finish(claim, guard.event));
  guard.set_attempt("finished_at = NULL");
  CHECK(guard.finish(claim, guard.event));
}

TEST_CASE("an event is not finished when only its revision has moved since it was read",
          "[guard][guard:event.finish.revision]") {
  ClaimGuard guard;
  const Claim claim = guard.completed();
  guard.set("revision = revision + 1");
  CHECK_FALSE(guard.finish(claim, guard.event));
  guard.set("revision = revision - 1");
  CHECK(guard.finish(claim, guard.event));
}

TEST_CASE("an event is not finished when only its deletion mark has changed since it was read",
          "[guard][guard:event.finish.deleted_at]") {
  ClaimGuard guard;
  const Claim claim = guard.completed();
  guard.set("deleted_at = 5");
  CHECK_FALSE(guard.finish(claim, guard.event));
  guard.set("deleted_at = NULL");
  CHECK(guard.finish(claim, guard.event));
}

TEST_CASE("an event is not finished when only its properties have changed since it was read",
          "[guard][guard:event.finish.properties]") {
  ClaimGuard guard;
  const Claim claim = guard.completed();
  guard.set("properties = '{}'");
  CHECK_FALSE(guard.finish(claim, guard.event));
  guard.set("properties = '" + guard.event.properties.text() + "'");
  CHECK(guard.finish(claim, guard.event));
}

// The lease's own conditions have their tests; these show that each step asks it.

TEST_CASE("no step of a claim is taken when only its lease is another's", "[claims]") {
  ClaimGuard guard;
  const auto lose = [&] { plant(*guard.store.store, "UPDATE leases SET fencing = fencing + 1"); };
  const auto regain = [&] { plant(*guard.store.store, "UPDATE leases SET fencing = fencing - 1"); };
  Claim claim = guard.claim().value();
  lose();
  CHECK_FALSE(guard.mark(claim));
  regain();
  REQUIRE(guard.mark(claim));
  lose();
  CHECK_FALSE(guard.complete(claim));
  regain();
  REQUIRE(guard.complete(claim));
  claim.attempt.state = AttemptState::succeeded;
  lose();
  CHECK_FALSE(guard.finish(claim, guard.event));
  regain();
  CHECK(guard.finish(claim, guard.event));
}
