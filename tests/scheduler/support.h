#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <holdfast/schedule/claims.h>
#include <holdfast/schedule/trigger.h>
#include <holdfast/scheduler/scheduler.h>

#include "suites/support.h"

namespace holdfast::test {

/// A store on a manual clock (2026-01-01T00:00:00Z), handlers that keep count, and schedulers whose
/// handlers run in the test's own thread, one after the other.
class SchedulerScene {
 public:
  SchedulerScene();

  /// The handler "work": counts its calls by event, then does what `body` says. It may be called
  /// from several threads.
  std::function<ActionResult(const Firing&)> body{};
  std::map<ScheduledEventId, int> calls{};
  int calls_of(const ScheduledEvent& event) const;
  int all_calls() const;

  Handlers handlers();
  SchedulerOptions options{.threads = 1, .tick = std::chrono::milliseconds(0)};
  /// A worker of its own on the scene's store.
  std::unique_ptr<Scheduler> worker();
  DrainReport drain() { return worker()->drain_once(); }

  /// Events; those at `trigger` as text, the others that long after now.
  ScheduledEvent remind(const std::string& trigger, const std::string& text = "look");
  ScheduledEvent act(const std::string& trigger, const std::string& repeat = "");
  ScheduledEvent plan(const std::string& trigger, const std::string& name,
                      const std::string& repeat = "");
  ScheduledEvent add(ScheduledEvent event);

  ScheduledEvent now_is(const ScheduledEvent& event);
  ScheduledEvent patch(const ScheduledEvent& event, const std::string& document);
  std::vector<Attempt> attempts(const ScheduledEvent& event);
  Attempt last(const ScheduledEvent& event);
  /// Each reminder's note, by its text.
  std::vector<Note> reminders();

  void pass(std::chrono::microseconds time) { store.environment.clock.advance(time); }
  Timestamp clock() { return store.environment.clock.now(); }
  /// What happens once, the next time that a drain comes to a point.
  void once_at(const std::string& point, std::function<void()> what);

  TestStore store;

 private:
  std::mutex mutex_;
  std::multimap<std::string, std::function<void()>, std::less<>> armed_;
};

/// "2026-01-01T00:00:00Z" and so on: that long after the scene begins.
std::string after_start(std::chrono::microseconds time);

/// An action that writes the store: creates an entity.
JsonObject plan_payload(const std::string& entity);
ScheduledEvent action_at(const std::string& trigger, const std::string& repeat = "");

inline ActionResult nothing_done(const std::string& why) {
  return ActionResult::failed(Effect::not_committed, why);
}

}  // namespace holdfast::test
