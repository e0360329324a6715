#include "support.h"

using namespace holdfast;
using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("what provably did nothing is tried again, after pauses that grow", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  int left = 2;
  f.body = [&](const Firing&) { return left-- > 0 ? nothing_done("not yet") : ActionResult::ok(); };
  f.pass(1s);
  CHECK(f.drain().retry == 1);
  const auto first = f.last(event);
  REQUIRE(first.retry_at.has_value());
  CHECK((*first.retry_at - f.clock() >= 500ms && *first.retry_at - f.clock() <= 1s));
  CHECK(f.drain().scanned == 0);
  f.store.environment.clock.set(*first.retry_at);
  CHECK(f.drain().retry == 1);
  const auto second = f.last(event);
  CHECK((*second.retry_at - f.clock() >= 1s && *second.retry_at - f.clock() <= 2s));
  f.store.environment.clock.set(*second.retry_at);
  CHECK(f.drain().fired == 1);
  const auto third = f.last(event);
  CHECK(third.occurrence == first.occurrence);
  CHECK(third.invocation != first.invocation);
  CHECK((third.number == 3 && third.tries == 3));
  CHECK(f.now_is(event).status == EventStatus::fired);
}

TEST_CASE("tries are capped, and then the event has failed", "[scheduler]") {
  SchedulerScene f;
  auto event = action_at(after_start(1s));
  event.max_attempts = 3;
  event = f.add(event);
  f.body = [](const Firing&) { return nothing_done("never"); };
  f.pass(1s);
  for (int i = 0; i < 10; ++i) {
    (void)f.drain();
    f.pass(1h);
  }
  CHECK(f.calls_of(event) == 3);
  CHECK(f.now_is(event).status == EventStatus::failed);
  CHECK(f.last(event).error == "never");
}

TEST_CASE("a series whose occurrence has failed for good goes on with the next", "[scheduler]") {
  SchedulerScene f;
  auto event = action_at(after_start(1s), "every:1h");
  event.max_attempts = 1;
  event = f.add(event);
  f.body = [](const Firing&) { return nothing_done("never"); };
  f.pass(1s);
  const auto report = f.drain();
  CHECK((report.failed == 1 && report.re_armed == 1));
  CHECK(f.now_is(event).status == EventStatus::pending);
  CHECK(f.now_is(event).trigger_at == at_us(0) + 1h + 1s);
}

TEST_CASE("what did something, or may have, is never tried again", "[scheduler]") {
  for (const Effect effect : {Effect::committed, Effect::unknown}) {
    SchedulerScene f;
    const auto event = f.act(after_start(1s));
    f.body = [&](const Firing&) { return ActionResult::failed(effect, "broke off"); };
    f.pass(1s);
    (void)f.drain();
    CHECK(f.last(event).state ==
          (effect == Effect::unknown ? AttemptState::indeterminate : AttemptState::failed));
    CHECK(f.last(event).effect == effect);
    CHECK(f.now_is(event).status == EventStatus::failed);
    f.pass(1h);
    CHECK(f.drain().scanned == 0);
    CHECK(f.calls_of(event) == 1);
  }
}

TEST_CASE("a handler that throws has an effect that is not known, unless it says which",
          "[scheduler]") {
  SchedulerScene f;
  const auto thrown = f.act(after_start(1s));
  const auto known = f.act(after_start(1s));
  f.body = [&](const Firing& firing) -> ActionResult {
    if (firing.event.id == known.id) throw ActionFailed(Effect::not_committed, "no line");
    throw std::runtime_error("oops");
  };
  f.pass(1s);
  const auto report = f.drain();
  CHECK((report.indeterminate == 1 && report.retry == 1));
  CHECK(f.last(thrown).error == "oops");
  CHECK(f.last(known).error == "no line");
}

TEST_CASE("a caller's retry of a failed event is another attempt at the same occurrence",
          "[scheduler]") {
  SchedulerScene f;
  int gate = 0;
  bool is_open = false;
  Handlers handlers = f.handlers();
  handlers.authorize = [&](const Firing&) -> std::optional<std::string> {
    ++gate;
    return is_open ? std::nullopt : std::optional<std::string>("closed");
  };
  auto event = action_at(after_start(1s));
  event.max_attempts = 1;
  event.catch_up = CatchUp::none;
  event = f.add(event);
  f.pass(1s);
  CHECK(Scheduler(*f.store.store, handlers, f.options).drain_once().failed == 1);
  const auto first = f.last(event);
  f.pass(std::chrono::days(1));  // long past its grace
  is_open = true;
  (void)f.patch(event, R"({"status":"pending"})");
  CHECK(Scheduler(*f.store.store, handlers, f.options).drain_once().fired == 1);
  const auto second = f.last(event);
  CHECK(second.occurrence == first.occurrence);
  CHECK(second.invocation != first.invocation);
  CHECK(second.tries == 1);
  CHECK(gate == 2);
}

TEST_CASE("a denied creator's event is tried again, with the reason stored", "[scheduler]") {
  SchedulerScene f;
  Handlers handlers = f.handlers();
  std::string asked_for;
  handlers.authorize = [&](const Firing& firing) -> std::optional<std::string> {
    asked_for = firing.actor;
    return "not today";
  };
  const auto event = f.act(after_start(1s));
  const auto reminder = f.remind(after_start(1s));
  f.pass(1s);
  CHECK(Scheduler(*f.store.store, handlers, f.options).drain_once().retry == 2);
  CHECK(asked_for == f.store.space->access().actor);
  CHECK_THAT(f.last(event).error, ContainsSubstring("not today"));
  CHECK_THAT(f.last(reminder).error, ContainsSubstring("not today"));
  CHECK(f.all_calls() == 0);
  CHECK(f.reminders().empty());
}

TEST_CASE("an event without a first event in the journal fails, and nothing happens",
          "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  const auto series = f.act(after_start(1s), "daily");
  const auto reminder = f.remind(after_start(1s));
  for (const auto& one : {event, series, reminder}) {
    (void)f.patch(one, R"({"properties":{"n":1}})");
  }
  plant(*f.store.store, "DELETE FROM events WHERE kind = 'scheduled_event' AND stream_seq = 1");
  f.pass(1s);
  CHECK(f.drain().failed == 3);
  for (const auto& one : {event, series, reminder}) {
    CHECK(f.last(one).state == AttemptState::not_invoked);
    CHECK_THAT(f.last(one).error, ContainsSubstring("who created"));
  }
  CHECK(f.all_calls() == 0);
  CHECK(f.reminders().empty());
}

TEST_CASE("credentials in an error are masked where it is stored, and nothing is refused",
          "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  f.body = [](const Firing&) {
    return ActionResult::failed(Effect::committed,
                                "POST https://bob:hunter2@example.org: Bearer abcdef123456");
  };
  f.pass(1s);
  CHECK(f.drain().failed == 1);
  CHECK(f.last(event).error == "POST https://bob:[masked]@example.org: Bearer [masked]");
}

TEST_CASE("a refused plan changes nothing and is tried again", "[scheduler]") {
  SchedulerScene f;
  auto event = action_at(after_start(1s));
  event.payload = JsonObject::parse(
      "payload", R"({"plan":{"steps":[)"
                 R"({"op":"create","kind":"entity","row":{"kind":"x","name":"half"}},)"
                 R"({"op":"patch","kind":"entity","id":"01890000-0000-7000-8000-000000000001",)"
                 R"("patch":{"name":"gone"}}]}})");
  event = f.add(event);
  f.pass(1s);
  CHECK(f.drain().retry == 1);
  CHECK_THAT(f.last(event).error, ContainsSubstring("steps[1]: missing"));
  CHECK(f.store.space->entities().count({}) == 0);
}

TEST_CASE("a plan that cannot be one is refused when it is written", "[scheduler]") {
  SchedulerScene f;
  for (const char* payload :
       {R"({"plan":{"steps":[{"op":"explode"}]}})", R"({"plan":[]})", R"({})", R"({"action":""})",
        R"({"action":"a","plan":{"steps":[]}})", R"({"actions":["a","b"]})"}) {
    INFO(payload);
    auto event = action_at(after_start(1s));
    event.payload = JsonObject::parse("payload", payload);
    CHECK_THROWS_AS(f.add(event), InvalidArgument);
  }
}

TEST_CASE("a full space still lets its events end", "[scheduler]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  const auto reminder = f.remind(after_start(1s));
  SpaceSettings settings = f.store.space->settings();
  settings.rows_max = 1;
  settings.bytes_max = 1;
  (void)f.store.space->configure(settings);
  f.pass(1s);
  const auto report = f.drain();
  CHECK((report.fired == 1 && report.retry == 1));
  CHECK(f.now_is(event).status == EventStatus::fired);
  CHECK_THAT(f.last(reminder).error, ContainsSubstring("rows_max"));
}
