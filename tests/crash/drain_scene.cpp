#include "drain_scene.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

#include "support/catch.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// One write, which a kill does not take apart.
void append(const fs::path& path, const std::string& line) {
  const std::string text = line + "\n";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const auto written = ::write(file, text.data(), text.size());
  ::close(file);
  if (written != static_cast<ssize_t>(text.size())) throw std::runtime_error("cannot append");
}

std::vector<std::string> lines(const fs::path& path) {
  std::vector<std::string> found;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) found.push_back(line);
  return found;
}

Handlers appending(const fs::path& effects, const core::Faults& faults) {
  const auto leave_line = [effects, &faults](const Firing& firing) {
    faults.at("handler.begins");
    const std::string id = to_string(firing.event.id);
    append(effects, id);
    faults.at("handler.ends");
    const auto all = lines(effects);
    return std::count(all.begin(), all.end(), id);
  };
  Handlers handlers;
  handlers.actions["work"].call = [=](const Firing& firing) {
    leave_line(firing);
    return ActionResult::ok();
  };
  handlers.actions["balk"].call = [=](const Firing& firing) {
    return leave_line(firing) == 1 ? ActionResult::failed(Effect::not_committed, "not yet")
                                   : ActionResult::ok();
  };
  return handlers;
}

DrainReport drain_once(Store& store, Handlers handlers) {
  Scheduler scheduler(store, std::move(handlers),
                      {.threads = 1,
                       .lease = DrainScene::kLease,
                       .retry_max = DrainScene::kRetryMax,
                       .tick = 0ms});
  return scheduler.drain_once();
}

std::unique_ptr<Store> open_at(const fs::path& path, TestEnvironment& environment, Timestamp at) {
  environment.clock.set(at);
  StoreOptions options;
  options.database.path = path;
  options.database.durability = storage::Durability::normal;
  options.environment = &environment.environment;
  return Store::open(options);
}

}  // namespace

DrainScene::DrainScene() {
  TestEnvironment environment;
  (void)open_at(dir_ / "test.db", environment, environment.clock.now())
      ->create_space("main", "tester");
}

DrainScene::Opened::Opened(DrainScene& scene, Timestamp at)
    : environment(++scene.opened_ + 1),  // so that no two make the same ids
      store(open_at(scene.dir_ / "test.db", environment, at)),
      space(std::make_unique<Space>(store->space("main", "tester"))),
      effects_(scene.dir_ / "effects") {}

ScheduledEvent DrainScene::Opened::add(ScheduledEvent event) const {
  const auto result = space->events().insert_if_absent(std::move(event));
  REQUIRE(result.applied());
  return *result.current;
}

DrainReport DrainScene::Opened::drain(Timestamp at) {
  environment.clock.set(at);
  return drain_once(*store, appending(effects_, environment.faults));
}

pid_t DrainScene::start(Timestamp at, int signal, const Choice& choice) {
  const std::uint64_t seed = ++opened_ + 1;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child > 0) return child;
  int code = 1;
  try {
    TestEnvironment environment(seed);
    const auto store = open_at(dir_ / "test.db", environment, at);
    int number = 0;
    environment.faults.arm([&](std::string_view point) {
      if (!choice(number++, point)) return;
      append(dir_ / "hit", std::string(point));
      kill(getpid(), signal);
    });
    const auto report = drain_once(*store, appending(dir_ / "effects", environment.faults));
    code = report.fenced > 0 ? kFenced : 0;
  } catch (const std::exception& error) {
    append(dir_ / "errors", error.what());
  }
  _exit(code);
}

std::set<std::string> DrainScene::hit() const {
  const auto all = lines(dir_ / "hit");
  return {all.begin(), all.end()};
}

DrainScene::Choice DrainScene::at_number(int chosen) {
  return [chosen](int number, std::string_view) { return number == chosen; };
}

DrainScene::Choice DrainScene::at_point(std::string chosen) {
  return [chosen = std::move(chosen)](int, std::string_view point) { return point == chosen; };
}

ScheduledEvent action_due(Timestamp at, const std::string& handler) {
  ScheduledEvent event;
  event.kind = EventKind::action;
  event.payload = JsonObject::parse("payload", R"({"action":")" + handler + R"("})");
  event.trigger_text = to_rfc3339(at);
  return event;
}

}  // namespace holdfast::test
