#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <holdfast/schedule/attempt.h>
#include <holdfast/space/store.h>

namespace holdfast::test {

/// A plan that creates an entity of kind "made".
JsonObject plan_creating(const std::string& name);

/// Holds what has happened against what the store says of it, once nothing is under way any more.
/// What actions do outside the store are lines of a file: each has the id of its event.
class EventJudge {
 public:
  EventJudge(Store& store, const std::filesystem::path& effects);

  struct End {
    bool is_fired = false;
    bool is_indeterminate = false;
    std::string wrong{};  ///< "" when nothing is
  };
  /// An action happens once when it is said to have happened, and else once at most; then it is
  /// indeterminate.
  End action(ScheduledEventId event) const;
  /// A plan happens once.
  End plan(ScheduledEventId event, const std::string& name) const;
  /// What is stuck, or damaged in the file.
  std::string leftovers() const;

  int lines_of(ScheduledEventId event) const;
  int reminders_of(ScheduledEventId event) const;
  int made(const std::string& name) const;
  Attempt last_attempt(ScheduledEventId event) const;

 private:
  Store& store_;
  Space space_;
  std::map<std::string, int> lines_;
  std::map<std::string, int> made_;
};

}  // namespace holdfast::test
