#include <array>

#include "run_scene.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

constexpr int kEvents = 300;
constexpr int kRounds = 3;
constexpr const char* kDue = "2020-01-01T00:00:00Z";
constexpr const char* kFar = "2200-01-01T00:00:00Z";

/// Three runs that share one handle in real time, while others edit the events.
struct Contest {
  Contest() {
    for (int i = 0; i < kEvents; ++i) {
      events.push_back(written(space.events().insert_if_absent(action_at(kDue))));
    }
  }

  std::unique_ptr<Scheduler> worker() {
    Handlers handlers;
    handlers.actions["work"].call = [this](const Firing& firing) {
      const std::lock_guard lock(mutex);
      ++calls[firing.attempt.invocation];
      return ActionResult::ok();
    };
    return std::make_unique<Scheduler>(
        *store, std::move(handlers), SchedulerOptions{.threads = 3, .batch = 16, .tick = 0ms});
  }

  WriteResult<ScheduledEvent> patch(const ScheduledEvent& event, const std::string& document) {
    return space.events().patch(event.id, JsonObject::parse("patch", document));
  }
  std::string due(const ScheduledEvent& event, int round) {
    // Another instant each time, so an occurrence of its own.
    return to_rfc3339(event.trigger_at + std::chrono::seconds(round));
  }

  /// Edits each second event, from `first` on, several times; the last edit of each depends on its
  /// number alone. What it answered is kept.
  void edit(std::size_t first) {
    for (std::size_t i = first; i < events.size(); i += 2) {
      const ScheduledEvent& event = events[i];
      for (int round = 1; round <= kRounds; ++round) {
        (void)patch(event, R"({"status":"pending","trigger_at":")" + due(event, round) + "\"}");
        if (round == 2) (void)patch(event, R"({"status":"cancelled"})");
      }
      switch (i / 2 % 3) {
        case 0:
          last[i] = patch(event, R"({"status":"pending","trigger_at":")" + std::string(kFar) +
                                     "\"}");
          break;
        case 1: last[i] = patch(event, R"({"status":"cancelled"})"); break;
        default: last[i] = patch(event, R"({"properties":{"n":1}})");
      }
    }
  }

  /// Whether the last edit of an event is what stands.
  void check_last_edit(std::size_t i) {
    const ScheduledEvent now = space.events().get(events[i].id);
    CAPTURE(i, to_string(now.status), to_string(last[i].outcome));
    switch (i / 2 % 3) {
      case 0:
        REQUIRE(last[i].applied());
        CHECK((now.status == EventStatus::pending && now.trigger_text == kFar));
        break;
      case 1:  // an event that has happened cannot be cancelled
        CHECK(now.status == (last[i].applied() ? EventStatus::cancelled : EventStatus::fired));
        break;
      default:
        CHECK((now.status == EventStatus::fired && now.properties.text() == R"({"n":1})"));
    }
  }

  /// No occurrence has happened twice, nothing is open, and each receipt is of one call.
  void check_attempts(const ScheduledEvent& event) {
    const auto snapshot = store->database().snapshot();
    const auto all = schedule::attempts_of(snapshot->transaction(), "main", event.id, {}).items;
    std::map<Uuid, int> succeeded;
    for (const Attempt& attempt : all) {
      CHECK(attempt.finished_at.has_value());
      if (attempt.state != AttemptState::succeeded) continue;
      CHECK(++succeeded[attempt.occurrence] == 1);
      CHECK(calls[attempt.invocation] == 1);
    }
  }

  SchedulerScene scene;
  std::unique_ptr<Store> store = open_in_real_time(scene.store);
  Space space = store->space("main", "editor");
  std::vector<ScheduledEvent> events;
  std::array<WriteResult<ScheduledEvent>, kEvents> last{};
  std::mutex mutex;
  std::map<Uuid, int> calls;  ///< by invocation
};

}  // namespace

TEST_CASE("with three runs and two editors no occurrence happens twice and the last edit stands",
          "[scheduler][threads]") {
  Contest f;
  std::vector<std::unique_ptr<Running>> running;
  for (int i = 0; i < 3; ++i) running.push_back(std::make_unique<Running>(f.worker()));
  {
    std::jthread even([&] { f.edit(0); });
    std::jthread odd([&] { f.edit(1); });
  }
  DrainReport all;
  for (const auto& one : running) all += one->stop();
  all += f.worker()->drain_once();
  CHECK(all.indeterminate == 0);
  for (std::size_t i = 0; i < f.events.size(); ++i) {
    f.check_last_edit(i);
    f.check_attempts(f.events[i]);
  }
  CHECK(scheduler_status(f.space).open.empty());
  CHECK(broken_checks(*f.store).empty());
}
