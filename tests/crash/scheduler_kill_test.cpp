#include <signal.h>
#include <sys/wait.h>

#include "drain_scene.h"
#include "support/catch.h"

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

constexpr Timestamp kStart{1'800'000'000s};

/// What becomes of one event when nobody is killed, and what must be true when somebody was.
struct Branch {
  const char* name;
  const char* lost_at;  ///< where a worker leaves behind what is recovered
  std::function<ScheduledEvent(Timestamp due)> event;
  /// What is wrong; "" when nothing is.
  std::function<std::string(const EventJudge&, const ScheduledEvent& before,
                            const ScheduledEvent& now)>
      judge;
};

std::string made_name(const ScheduledEvent& event) { return "made at " + event.trigger_text; }

std::string once(const EventJudge& judge, const ScheduledEvent&, const ScheduledEvent& now) {
  return judge.action(now.id).wrong;
}

std::string armed_again(const EventJudge& judge, const ScheduledEvent& before,
                        const ScheduledEvent& now) {
  const auto state = judge.last_attempt(now.id).state;
  const int lines = judge.lines_of(now.id);
  if (now.status != EventStatus::pending) return "it ended";
  if (now.trigger_at != before.trigger_at + 24h) return "it is not armed for the next day";
  if (state == AttemptState::succeeded && lines == 1) return "";
  return state == AttemptState::indeterminate && lines <= 1 ? "" : "it happened otherwise";
}

/// It says the first time that nothing was done, and may then be done again; but not when it had
/// no time to say so.
std::string retried(const EventJudge& judge, const ScheduledEvent&, const ScheduledEvent& now) {
  const auto state = judge.last_attempt(now.id).state;
  const int lines = judge.lines_of(now.id);
  if (now.status == EventStatus::fired && lines == 2) return "";
  return state == AttemptState::indeterminate && now.status == EventStatus::failed && lines <= 1
             ? ""
             : "it happened otherwise";
}

std::string missed(const EventJudge& judge, const ScheduledEvent&, const ScheduledEvent& now) {
  if (now.status != EventStatus::missed) return "it was not missed";
  return judge.lines_of(now.id) == 0 ? "" : "it happened";
}

std::string planned(const EventJudge& judge, const ScheduledEvent&, const ScheduledEvent& now) {
  return judge.plan(now.id, made_name(now)).wrong;
}

std::string reminded(const EventJudge& judge, const ScheduledEvent&, const ScheduledEvent& now) {
  if (now.status != EventStatus::fired) return "it was not fired";
  return judge.reminders_of(now.id) == 1 ? "" : "other than one reminder";
}

ScheduledEvent daily(Timestamp due) {
  ScheduledEvent event = action_due(due);
  event.repeat = "every:24h";
  return event;
}

ScheduledEvent too_late(Timestamp now) {
  ScheduledEvent event = action_due(now - 1us);
  event.catch_up = CatchUp::none;
  event.grace = 0us;
  return event;
}

ScheduledEvent reminder(Timestamp due) {
  ScheduledEvent event = action_due(due);
  event.kind = EventKind::remind;
  event.payload = JsonObject::parse("payload", R"({"text":"look"})");
  return event;
}

ScheduledEvent plan(Timestamp due) {
  ScheduledEvent event = action_due(due);
  event.payload = plan_creating(made_name(event));
  return event;
}

const Branch kBranches[] = {
    {"fires", "handler.ends", [](Timestamp due) { return action_due(due); }, once},
    {"repeats", "scheduler.finish", daily, armed_again},
    {"retries", "scheduler.invoking", [](Timestamp due) { return action_due(due, "balk"); },
     retried},
    {"misses", "scheduler.finish", too_late, missed},
    {"plans", "scheduler.finish", plan, planned},
    {"reminds", "scheduler.read", reminder, reminded},
};

int wait_for(pid_t child, int options = 0) {
  int status = -1;
  REQUIRE(waitpid(child, &status, options) == child);
  return status;
}

/// True when the child was killed, false when it got through.
bool was_killed(pid_t child) {
  const int status = wait_for(child);
  if (WIFSIGNALED(status)) return true;
  CHECK(WEXITSTATUS(status) == 0);
  return false;
}

/// One event a round, drained by children of which each is killed at its next point, until one gets
/// through; `prepare` drains before it. After each the event is recovered and judged.
void kill_at_each_point(DrainScene& scene, const Branch& branch,
                        const std::function<Timestamp(Timestamp due)>& prepare) {
  bool is_killed = true;
  for (int at = 0; is_killed; ++at) {
    INFO(branch.name << ", point " << at);
    REQUIRE(at < 100);
    const Timestamp due = scene.next_hour();
    const ScheduledEvent event = DrainScene::Opened(scene, due).add(branch.event(due));
    const Timestamp begin = prepare(due);
    is_killed = was_killed(scene.start(begin, SIGKILL, DrainScene::at_number(at)));

    DrainScene::Opened opened(scene, begin);
    (void)opened.drain(begin + DrainScene::kLease);
    (void)opened.drain(begin + DrainScene::kLease + DrainScene::kRetryMax);
    const ScheduledEvent now = opened.event(event.id);
    CHECK(branch.judge(opened.judge(), event, now) == "");
    CHECK(opened.judge().leftovers() == "");
    if (now.status == EventStatus::pending) {
      REQUIRE(opened.space->events().remove(event.id).applied());
    }
  }
}

void check_hit(const DrainScene& scene, const std::set<std::string>& points) {
  const auto hit = scene.hit();
  for (const std::string& point : points) {
    INFO(point);
    CHECK(hit.contains(point));
  }
}

}  // namespace

TEST_CASE("kill -9 at any point of a drain leaves no event stuck, and none that happened twice",
          "[crash][scheduler]") {
  DrainScene scene;
  for (const Branch& branch : kBranches) {
    kill_at_each_point(scene, branch, [](Timestamp due) { return due; });
  }
  check_hit(scene, {"scheduler.page", "scheduler.claim", "scheduler.invoking", "scheduler.invoke",
                    "handler.begins", "handler.ends", "scheduler.outcome", "scheduler.read",
                    "scheduler.finish", "scheduler.finished", "writer.before_commit",
                    "writer.after_commit"});
}

TEST_CASE("kill -9 at any point of a recovery leaves no event stuck, and none that happened twice",
          "[crash][scheduler]") {
  DrainScene scene;
  for (const Branch& branch : kBranches) {
    kill_at_each_point(scene, branch, [&](Timestamp due) {
      REQUIRE(was_killed(scene.start(due, SIGKILL, DrainScene::at_point(branch.lost_at))));
      return due + DrainScene::kLease;
    });
  }
  check_hit(scene, {"scheduler.reclaim", "scheduler.read", "scheduler.finish",
                    "scheduler.finished", "writer.before_commit", "writer.after_commit"});
}

namespace {

struct Stop {
  const char* point;
  EventStatus status;   ///< that the recovery gives the event
  AttemptState state;   ///< of its last attempt
  int lines;
};

/// Stops a child there past its lease, recovers the event, lets the child go on, and compares.
void stop_and_go_on(const ScheduledEvent& given, const Stop& stop) {
  INFO(stop.point);
  DrainScene scene;
  const ScheduledEvent event = DrainScene::Opened(scene, kStart).add(given);
  const pid_t child = scene.start(kStart, SIGSTOP, DrainScene::at_point(stop.point));
  REQUIRE(WIFSTOPPED(wait_for(child, WUNTRACED)));
  DrainScene::Opened opened(scene, kStart);
  CHECK(opened.drain(kStart + DrainScene::kLease - 1us).reclaimed == 0);
  CHECK(opened.drain(kStart + DrainScene::kLease).reclaimed == 1);
  const ScheduledEvent recovered = opened.event(event.id);
  const Attempt attempt = opened.judge().last_attempt(event.id);
  CHECK(recovered.status == stop.status);
  CHECK(attempt.state == stop.state);

  kill(child, SIGCONT);
  const int status = wait_for(child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == DrainScene::kFenced);
  CHECK(opened.event(event.id) == recovered);
  CHECK(opened.judge().last_attempt(event.id) == attempt);
  CHECK(opened.judge().lines_of(event.id) == stop.lines);
  CHECK(opened.judge().leftovers() == "");
}

}  // namespace

TEST_CASE("a process that was stopped at work past its lease is refused when it goes on",
          "[crash][scheduler]") {
  constexpr auto lost = AttemptState::indeterminate;
  constexpr auto done = AttemptState::succeeded;
  for (const Stop& stop : {Stop{"scheduler.invoking", EventStatus::fired, done, 1},
                           Stop{"scheduler.invoke", EventStatus::failed, lost, 1},
                           Stop{"handler.begins", EventStatus::failed, lost, 1},
                           Stop{"handler.ends", EventStatus::failed, lost, 1},
                           Stop{"scheduler.outcome", EventStatus::failed, lost, 1},
                           Stop{"scheduler.finish", EventStatus::fired, done, 1}}) {
    stop_and_go_on(action_due(kStart), stop);
  }
}

TEST_CASE("a plan whose process was stopped past its lease happens once, by another",
          "[crash][scheduler]") {
  for (const char* point : {"scheduler.read", "scheduler.finish"}) {
    stop_and_go_on(plan(kStart), {point, EventStatus::fired, AttemptState::succeeded, 0});
  }
}
