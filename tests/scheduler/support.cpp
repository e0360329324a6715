#include "support.h"

namespace holdfast::test {

std::string after_start(std::chrono::microseconds time) { return to_rfc3339(at_us(time.count())); }

JsonObject plan_payload(const std::string& entity) {
  return JsonObject::parse("payload",
                           R"({"plan":{"steps":[{"op":"create","kind":"entity",)"
                           R"("row":{"kind":"made","name":")" +
                               entity + R"("}}]}})");
}

ScheduledEvent action_at(const std::string& trigger, const std::string& repeat) {
  ScheduledEvent event;
  event.kind = EventKind::action;
  event.payload = JsonObject::parse("payload", R"({"action":"work","input":{"n":1}})");
  event.trigger_text = trigger;
  if (!repeat.empty()) event.repeat = repeat;
  return event;
}

SchedulerScene::SchedulerScene() {
  store.environment.faults.arm([this](std::string_view point) {
    const auto found = armed_.find(point);
    if (found == armed_.end()) return;
    // Taken out first: what it does may come to the same point.
    const auto what = std::move(found->second);
    armed_.erase(found);
    what();
  });
}

void SchedulerScene::once_at(const std::string& point, std::function<void()> what) {
  armed_.emplace(point, std::move(what));
}

int SchedulerScene::calls_of(const ScheduledEvent& event) const {
  const auto found = calls.find(event.id);
  return found == calls.end() ? 0 : found->second;
}

int SchedulerScene::all_calls() const {
  int all = 0;
  for (const auto& [event, count] : calls) all += count;
  return all;
}

Handlers SchedulerScene::handlers() {
  Handlers handlers;
  handlers.actions["work"] = {.call = [this](const Firing& firing) {
    {
      const std::lock_guard lock(mutex_);
      ++calls[firing.event.id];
    }
    return body ? body(firing) : ActionResult::ok();
  }};
  return handlers;
}

std::unique_ptr<Scheduler> SchedulerScene::worker() {
  return std::make_unique<Scheduler>(*store.store, handlers(), options);
}

ScheduledEvent SchedulerScene::add(ScheduledEvent event) {
  return written(store.space->events().insert_if_absent(std::move(event)));
}

ScheduledEvent SchedulerScene::remind(const std::string& trigger, const std::string& text) {
  ScheduledEvent event;
  event.payload = JsonObject::parse("payload", R"({"text":")" + text + R"("})");
  event.trigger_text = trigger;
  return add(std::move(event));
}

ScheduledEvent SchedulerScene::act(const std::string& trigger, const std::string& repeat) {
  return add(action_at(trigger, repeat));
}

ScheduledEvent SchedulerScene::plan(const std::string& trigger, const std::string& name,
                                    const std::string& repeat) {
  ScheduledEvent event = action_at(trigger, repeat);
  event.payload = plan_payload(name);
  return add(std::move(event));
}

ScheduledEvent SchedulerScene::now_is(const ScheduledEvent& event) {
  return store.space->events().get(event.id);
}

ScheduledEvent SchedulerScene::patch(const ScheduledEvent& event, const std::string& document) {
  return written(store.space->events().patch(event.id, JsonObject::parse("patch", document)));
}

std::vector<Attempt> SchedulerScene::attempts(const ScheduledEvent& event) {
  const auto snapshot = store.store->database().snapshot();
  return schedule::attempts_of(snapshot->transaction(), "main", event.id, {}).items;
}

Attempt SchedulerScene::last(const ScheduledEvent& event) {
  const auto all = attempts(event);
  REQUIRE_FALSE(all.empty());
  return all.front();
}

std::vector<Note> SchedulerScene::reminders() {
  NoteFilter filter;
  filter.kind = "reminder";
  return store.space->notes().list(filter).items;
}

}  // namespace holdfast::test
