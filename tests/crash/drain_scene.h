#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <holdfast/scheduler/scheduler.h>

#include "event_judge.h"
#include "support/fixture.h"

namespace holdfast::test {

/// A file with scheduled events, and processes of their own that drain it, each at an instant that
/// it is told, and are killed or stopped on the way. Nothing is open in this process while one of
/// them begins.
class DrainScene {
 public:
  static constexpr std::chrono::seconds kLease{30};
  static constexpr std::chrono::minutes kRetryMax{10};

  DrainScene();

  /// Opens the file at an instant. What works in it must not outlive the answer.
  class Opened {
   public:
    Opened(DrainScene& scene, Timestamp at);
    ScheduledEvent add(ScheduledEvent event) const;
    /// What a worker finds to do; its handlers are those of the child processes.
    DrainReport drain(Timestamp at);
    EventJudge judge() const { return EventJudge(*store, effects_); }
    ScheduledEvent event(ScheduledEventId id) const { return space->events().get(id); }

    TestEnvironment environment;
    std::unique_ptr<Store> store;
    std::unique_ptr<Space> space;

   private:
    std::filesystem::path effects_;
  };

  /// Which point a child sends itself the signal at: told its number from 0, and its name.
  using Choice = std::function<bool(int number, std::string_view point)>;
  /// Forks, and drains once. The exit code of a child that got through is kFenced when its claim
  /// was lost, 0 when not, and 1 for an error.
  pid_t start(Timestamp at, int signal, const Choice& choice);
  static constexpr int kFenced = 4;

  /// An hour behind the one before.
  Timestamp next_hour() { return hour_ += std::chrono::hours(1); }
  /// Points at which a child was sent its signal.
  std::set<std::string> hit() const;
  static Choice at_number(int number);
  static Choice at_point(std::string point);

 private:
  friend class Opened;
  TempDir dir_;
  std::uint64_t opened_ = 0;
  Timestamp hour_{std::chrono::seconds(1'800'000'000)};
};

/// An action, due at an instant: it appends a line with its event's id to the scene's file. `work`
/// then succeeds, and so does `balk`, but for the first time, when it says that nothing was done.
/// Before and behind the line there are fault points, "handler.begins" and "handler.ends".
ScheduledEvent action_due(Timestamp at, const std::string& handler = "work");

}  // namespace holdfast::test
