#include "event_judge.h"

#include <fstream>
#include <stdexcept>

#include <holdfast/schedule/claims.h>
#include <holdfast/scheduler/scheduler.h>

namespace holdfast::test {

JsonObject plan_creating(const std::string& name) {
  return JsonObject::parse("payload",
                           R"({"plan":{"steps":[{"op":"create","kind":"entity",)"
                           R"("row":{"kind":"made","name":")" +
                               name + R"("}}]}})");
}

EventJudge::EventJudge(Store& store, const std::filesystem::path& effects)
    : store_(store), space_(store.space("main", "judge")) {
  std::ifstream in(effects);
  for (std::string line; std::getline(in, line);) ++lines_[line];
  EntityFilter filter;
  filter.kind = "made";
  PageRequest page{.limit = 1000};
  for (;;) {
    const auto found = space_.entities().list(filter, page);
    for (const Entity& entity : found.items) ++made_[entity.name];
    if (!found.next) break;
    page.cursor = *found.next;
  }
}

int EventJudge::lines_of(ScheduledEventId event) const {
  const auto found = lines_.find(to_string(event));
  return found == lines_.end() ? 0 : found->second;
}

int EventJudge::made(const std::string& name) const {
  const auto found = made_.find(name);
  return found == made_.end() ? 0 : found->second;
}

int EventJudge::reminders_of(ScheduledEventId event) const {
  NoteFilter filter;
  filter.kind = "reminder";
  int count = 0;
  for (const Note& note : space_.notes().list(filter, {.limit = 1000}).items) {
    count += note.properties.text().find(to_string(event)) != std::string::npos;
  }
  return count;
}

Attempt EventJudge::last_attempt(ScheduledEventId event) const {
  const auto snapshot = store_.database().snapshot();
  const auto all = schedule::attempts_of(snapshot->transaction(), "main", event, {.limit = 1});
  if (all.items.empty()) throw std::logic_error("an event without attempts");
  return all.items.front();
}

auto EventJudge::action(ScheduledEventId event) const -> End {
  const EventStatus status = space_.events().get(event).status;
  const int happened = lines_of(event);
  const auto state = last_attempt(event).state;
  End end{.is_fired = status == EventStatus::fired,
          .is_indeterminate =
              status == EventStatus::failed && state == AttemptState::indeterminate};
  if (end.is_fired ? happened == 1 : end.is_indeterminate && happened <= 1) return end;
  end.wrong = std::string(to_string(status)) + ", last attempt " + std::string(to_string(state)) +
              ", happened " + std::to_string(happened) + " times";
  return end;
}

auto EventJudge::plan(ScheduledEventId event, const std::string& name) const -> End {
  const EventStatus status = space_.events().get(event).status;
  const int happened = made(name);
  End end{.is_fired = status == EventStatus::fired};
  if (end.is_fired && happened == 1) return end;
  end.wrong = std::string(to_string(status)) + ", a plan that happened " +
              std::to_string(happened) + " times";
  return end;
}

std::string EventJudge::leftovers() const {
  const auto status = scheduler_status(space_);
  if (!status.open.empty()) return std::to_string(status.open.size()) + " attempts are open";
  if (status.due > 0) return std::to_string(status.due) + " events are due";
  const auto report = store_.verify();
  if (report.is_clean()) return "";
  return report.findings[0].check + ": " + report.findings[0].detail;
}

}  // namespace holdfast::test
