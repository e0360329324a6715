#include "support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Seams between the claim and the fresh read, at which an edit is simply seen.
const std::vector<std::string> kBeforeRead = {"scheduler.invoking", "scheduler.invoke",
                                              "scheduler.outcome", "scheduler.read"};
/// The one between the read and the write: an edit makes the write refuse, and the second decision
/// obeys it.
const std::string kAfterRead = "scheduler.finish";

/// How an attempt ends.
struct Branch {
  std::string name;
  std::function<void(SchedulerScene&)> prepare;
  AttemptState state;
};

const std::vector<Branch> kBranches = {
    {"succeeded", [](SchedulerScene&) {}, AttemptState::succeeded},
    {"failed for good",
     [](SchedulerScene& f) {
       f.body = [](const Firing&) { return ActionResult::failed(Effect::committed, "half"); };
     },
     AttemptState::failed},
    {"failed, to be tried again",
     [](SchedulerScene& f) { f.body = [](const Firing&) { return nothing_done("later"); }; },
     AttemptState::failed},
    {"of unknown effect",
     [](SchedulerScene& f) {
       f.body = [](const Firing&) { return ActionResult::failed(Effect::unknown, "?"); };
     },
     AttemptState::indeterminate},
};

struct Scene : SchedulerScene {
  explicit Scene(const Branch& branch, const std::string& repeat = "daily") {
    branch.prepare(*this);
    event = act(after_start(1s), repeat);
    pass(1s);
  }
  /// Drains with the edit at that seam, and says what became of the event.
  ScheduledEvent drained(const std::string& seam, const std::string& patch_text) {
    once_at(seam, [this, patch_text] { (void)patch(event, patch_text); });
    report = drain();
    return now_is(event);
  }
  ScheduledEvent event;
  DrainReport report;
};

std::vector<std::string> all_seams() {
  auto seams = kBeforeRead;
  seams.push_back(kAfterRead);
  return seams;
}

template <class Check>
void for_each_branch_and_seam(const Check& check) {
  for (const Branch& branch : kBranches) {
    for (const std::string& seam : all_seams()) {
      INFO(branch.name << " at " << seam);
      check(branch, seam);
    }
  }
}

}  // namespace

TEST_CASE("a trigger moved while its event fires is obeyed, and the old end is recorded",
          "[scheduler][edit][N1][N5]") {
  for_each_branch_and_seam([](const Branch& branch, const std::string& seam) {
    Scene f(branch);
    const auto now = f.drained(seam, R"({"trigger_at":"2026-01-01T12:00:00Z"})");
    CHECK(now.trigger_text == "2026-01-01T12:00:00Z");
    CHECK(now.status == EventStatus::pending);
    CHECK(now.anchor == "2026-01-01T12:00:00Z");
    CHECK(f.last(f.event).state == branch.state);
    CHECK(f.last(f.event).finished_at.has_value());
    CHECK_FALSE(f.last(f.event).retry_at.has_value());
    CHECK(f.report.conflicts == (seam == kAfterRead ? 1 : 0));
    CHECK(f.report.re_armed == 0);
    f.body = {};
    f.pass(12h);
    CHECK(f.drain().fired == 1);
    CHECK(f.last(f.event).trigger_at == at_us(0) + 12h);
  });
}

TEST_CASE("a repeat cleared while its event fires ends it, not re-armed", "[scheduler][edit][N1]") {
  for (const std::string& seam : all_seams()) {
    INFO(seam);
    Scene f(kBranches[0]);
    const auto now = f.drained(seam, R"({"repeat":null})");
    CHECK(now.status == EventStatus::fired);
    CHECK_FALSE(now.repeat.has_value());
    CHECK((f.report.fired == 1 && f.report.re_armed == 0));
    CHECK(f.report.conflicts == (seam == kAfterRead ? 1 : 0));
  }
}

TEST_CASE("a repeat changed while its event fires is what the next is armed by",
          "[scheduler][edit][N2]") {
  for_each_branch_and_seam([](const Branch& branch, const std::string& seam) {
    if (branch.name == "failed, to be tried again") return;  // it keeps its trigger
    Scene f(branch, "every:1h");
    const auto now = f.drained(seam, R"({"repeat":"every:1m"})");
    CHECK(now.trigger_at == at_us(0) + 61s);
    CHECK(now.repeat == "every:1m");
    CHECK(f.report.re_armed == 1);
  });
}

TEST_CASE("a repeat given while its event fires arms it again", "[scheduler][edit]") {
  for (const std::string& seam : all_seams()) {
    INFO(seam);
    Scene f(kBranches[0], "");
    const auto now = f.drained(seam, R"({"repeat":"every:1m"})");
    CHECK(now.trigger_at == at_us(0) + 61s);
    CHECK(now.status == EventStatus::pending);
  }
}

TEST_CASE("a property added while its event fires survives, byte for byte", "[scheduler][edit]") {
  for_each_branch_and_seam([](const Branch& branch, const std::string& seam) {
    Scene f(branch);
    const auto now = f.drained(seam, R"({"properties":{"b":1.50,"a":[1, 2]}})");
    CHECK(now.properties.text() == R"({"b":1.50,"a":[1,2]})");
    CHECK(f.report.finalized == 1);
    CHECK(f.report.conflicts == (seam == kAfterRead ? 1 : 0));
  });
}

TEST_CASE("an event cancelled while it fires stays cancelled", "[scheduler][edit]") {
  for_each_branch_and_seam([](const Branch& branch, const std::string& seam) {
    Scene f(branch);
    const auto now = f.drained(seam, R"({"status":"cancelled"})");
    CHECK(now.status == EventStatus::cancelled);
    CHECK(now.trigger_at == f.event.trigger_at);
    CHECK(f.last(f.event).state == branch.state);
    CHECK(f.last(f.event).finished_at.has_value());
    f.pass(std::chrono::days(3));
    CHECK(f.drain().scanned == 0);
  });
}

TEST_CASE("an event deleted while it fires stays deleted", "[scheduler][edit]") {
  for_each_branch_and_seam([](const Branch& branch, const std::string& seam) {
    Scene f(branch);
    f.once_at(seam, [&] { (void)written(f.store.space->events().remove(f.event.id)); });
    f.report = f.drain();
    CHECK(f.now_is(f.event).deleted_at.has_value());
    CHECK(f.last(f.event).state == branch.state);
    CHECK(f.last(f.event).finished_at.has_value());
    CHECK(f.report.finalized == 1);
  });
}

TEST_CASE("an event purged while it fires leaves nothing behind", "[scheduler][edit]") {
  for_each_branch_and_seam([](const Branch& branch, const std::string& seam) {
    Scene f(branch);
    f.once_at(seam, [&] {
      (void)written(f.store.space->events().remove(f.event.id));
      CHECK(f.store.space->events().purge(f.event.id).applied());
    });
    (void)f.drain();
    CHECK_FALSE(f.store.space->events().find(f.event.id).has_value());
    CHECK(f.attempts(f.event).empty());
    CHECK(broken_checks(*f.store.store).empty());
  });
}

TEST_CASE("a zone changed while its event fires is the one that the next is counted in",
          "[scheduler][edit]") {
  for (const std::string& seam : all_seams()) {
    INFO(seam);
    SchedulerScene f;
    auto event = action_at("2026-03-28T09:00:00", "daily");
    event.zone = "UTC";
    f.store.environment.clock.set(parse_timestamp("t", "2026-03-28T09:00:00Z"));
    event = f.add(event);
    f.once_at(seam, [&] {
      (void)f.patch(event, R"({"trigger_at":"2026-03-28T10:00:00","zone":"Europe/Zurich",)"
                           R"("anchor":"2026-03-28T10:00:00"})");
    });
    CHECK(f.drain().re_armed == 1);
    CHECK(f.now_is(event).trigger_text == "2026-03-29T10:00:00");
    CHECK(to_rfc3339(f.now_is(event).trigger_at) == "2026-03-29T08:00:00.000000Z");
  }
}

TEST_CASE("an attempt that is to be tried again takes a new limit at its word",
          "[scheduler][edit]") {
  for (const std::string& seam : all_seams()) {
    INFO(seam);
    Scene f(kBranches[2], "");
    const auto now = f.drained(seam, R"({"max_attempts":1})");
    CHECK(now.status == EventStatus::failed);
    CHECK((f.report.retry == 0 && f.report.failed == 1));
  }
}

TEST_CASE("a missed event that is moved meanwhile is armed as it was moved",
          "[scheduler][edit]") {
  for (const char* seam : {"scheduler.read", "scheduler.finish"}) {
    for (const char* repeat : {"", "daily"}) {
      INFO(seam << " " << repeat);
      SchedulerScene f;
      auto event = action_at(after_start(1s), repeat);
      event.catch_up = CatchUp::none;
      event = f.add(event);
      f.pass(1h);
      f.once_at(seam, [&] { (void)f.patch(event, R"({"trigger_at":"2026-01-01T12:00:00Z"})"); });
      CHECK(f.drain().missed == 1);
      CHECK(f.now_is(event).trigger_text == "2026-01-01T12:00:00Z");
      CHECK(f.now_is(event).status == EventStatus::pending);
      CHECK(f.last(event).trigger_at == at_us(0) + 1s);
    }
  }
}

TEST_CASE("an edit before the claim makes the claim refuse, and nothing happens of the old",
          "[scheduler][edit]") {
  for (const char* change :
       {R"({"trigger_at":"2026-01-01T12:00:00Z"})", R"({"status":"cancelled"})",
        R"({"payload":{"input":{"n":2}}})"}) {
    for (const char* seam : {"scheduler.page", "scheduler.claim"}) {
      INFO(change << " at " << seam);
      SchedulerScene f;
      const auto event = f.act(after_start(1s));
      const auto control = f.act(after_start(1s));
      f.pass(1s);
      f.once_at(seam, [&] { (void)f.patch(event, change); });
      f.options.batch = 2;
      auto drain = f.drain();
      CHECK(drain.skipped_race == 1);
      CHECK(f.calls_of(control) == 1);
      if (std::string(change).find("payload") == std::string::npos) {
        CHECK(f.calls_of(event) == 0);
        CHECK(f.attempts(event).empty());
      } else {
        CHECK(f.calls_of(event) == 1);  // as it was edited, in the next sweep
      }
    }
  }
}

TEST_CASE("a plan edited before its transaction happens as edited, once", "[scheduler][edit]") {
  for (const char* seam : {"scheduler.read", "scheduler.finish"}) {
    INFO(seam);
    SchedulerScene f;
    const auto event = f.plan(after_start(1s), "old");
    f.pass(1s);
    f.once_at(seam, [&] {
      (void)f.patch(event, R"({"payload":)" + plan_payload("new").text() + "}");
    });
    (void)f.drain();
    const auto made = f.store.space->entities().list({}).items;
    REQUIRE(made.size() == 1);
    CHECK(made[0].name == "new");
    CHECK(f.now_is(event).status == EventStatus::fired);
  }
}

TEST_CASE("a plan moved or cancelled before its transaction does not happen",
          "[scheduler][edit]") {
  for (const char* change :
       {R"({"trigger_at":"2026-01-01T12:00:00Z"})", R"({"status":"cancelled"})"}) {
    for (const char* seam : {"scheduler.read", "scheduler.finish"}) {
      INFO(change << " at " << seam);
      SchedulerScene f;
      const auto event = f.plan(after_start(1s), "made");
      f.pass(1s);
      f.once_at(seam, [&] { (void)f.patch(event, change); });
      CHECK(f.drain().handed_back == 1);
      CHECK(f.store.space->entities().count({}) == 0);
      CHECK(f.last(event).state == AttemptState::not_invoked);
    }
  }
}

TEST_CASE("a callback that edits its own event has its way", "[scheduler][edit][N5]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s), "daily");
  f.body = [&](const Firing& firing) {
    (void)f.patch(firing.event, R"({"trigger_at":"2026-01-01T00:10:00Z","repeat":null})");
    return ActionResult::ok();
  };
  f.pass(1s);
  CHECK(f.drain().fired == 1);
  CHECK(f.now_is(event).trigger_at == at_us(0) + 10min);
}

TEST_CASE("an event edited each time that it was read is left to recovery, and then obeyed",
          "[scheduler][edit]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s), "daily");
  int edits = 0;
  std::function<void()> again = [&] {
    f.once_at("scheduler.finish", again);
    (void)f.patch(event, R"({"properties":{"n":)" + std::to_string(++edits) + "}}");
  };
  f.once_at("scheduler.finish", again);
  f.pass(1s);
  const auto report = f.drain();
  CHECK((report.conflicts == 16 && report.finalized == 0 && edits == 16));
  again = [] {};
  f.once_at("scheduler.none", [] {});
  f.pass(30s);
  const auto recovery = f.drain();
  CHECK((recovery.reclaimed == 1 && recovery.fired == 1 && recovery.re_armed == 1));
  CHECK(f.calls_of(event) == 1);
}

TEST_CASE("a trigger that no longer parses fails the occurrence by name", "[scheduler][edit]") {
  for (const std::string& seam : kBeforeRead) {
    INFO(seam);
    Scene f(kBranches[0]);
    f.once_at(seam, [&] {
      plant(*f.store.store, "UPDATE scheduled_events SET trigger_text = 'at noon'");
    });
    f.report = f.drain();
    CHECK(f.report.failed == 1);
    CHECK(f.now_is(f.event).status == EventStatus::failed);
    CHECK(f.now_is(f.event).trigger_text == "at noon");
    CHECK(f.last(f.event).state == AttemptState::failed);
    CHECK(f.last(f.event).effect == Effect::committed);
    CHECK_THAT(f.last(f.event).error, Catch::Matchers::ContainsSubstring("trigger_at"));
  }
}

TEST_CASE("a trigger that does not parse at the look is failed before anything is begun",
          "[scheduler][edit]") {
  SchedulerScene f;
  const auto event = f.act(after_start(1s));
  plant(*f.store.store, "UPDATE scheduled_events SET trigger_text = 'at noon'");
  f.pass(1s);
  CHECK(f.drain().failed == 1);
  CHECK(f.calls_of(event) == 0);
  CHECK(f.last(event).state == AttemptState::not_invoked);
}

TEST_CASE("a write from a stale copy of an event moves no trigger back", "[scheduler][edit][N3]") {
  SchedulerScene f;
  const auto stale = f.act(after_start(1s), "every:1h");
  f.pass(1s);
  CHECK(f.drain().re_armed == 1);
  const auto other = f.store.open_another();
  ScheduledEvent write = stale;
  write.max_attempts = 9;
  const auto result =
      other->space("main", "other").events().replace(write, as_read(stale));
  CHECK(result.outcome == Outcome::revision_moved);
  CHECK(f.now_is(stale).trigger_at == stale.trigger_at + 1h);
  CHECK(f.drain().scanned == 0);
  CHECK(f.calls_of(stale) == 1);
}
