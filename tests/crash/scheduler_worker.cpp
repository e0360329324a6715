// Carries out the events of a store's space "main" until it gets SIGTERM:
// scheduler_worker DATABASE EFFECTS LEASE_MS
// Five threads call the handler "append", which appends the event's id, as one line, to EFFECTS.

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <holdfast/scheduler/scheduler.h>

namespace {

using namespace holdfast;

Handlers appending_to(int file) {
  Handlers handlers;
  handlers.actions["append"] = {.call = [file](const Firing& firing) {
    const std::string line = to_string(firing.event.id) + "\n";
    // One write: a kill does not take it apart.
    if (write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
      throw std::runtime_error("cannot append");
    }
    return ActionResult::ok();
  }};
  return handlers;
}

int work(const std::vector<std::string>& arguments) {
  // Of the process, whichever thread it comes to; so before there are threads.
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigprocmask(SIG_BLOCK, &ending, nullptr);

  StoreOptions options;
  options.database.path = arguments.at(1);
  options.database.durability = storage::Durability::normal;
  const auto store = Store::open(options);
  const int file = open(arguments.at(2).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) throw std::runtime_error("cannot open " + arguments[2]);
  Scheduler scheduler(*store, appending_to(file),
                      {.spaces = {"main"},
                       .threads = 5,
                       .lease = std::chrono::milliseconds(std::stol(arguments.at(3))),
                       .tick = std::chrono::milliseconds(0)});
  std::jthread running([&](const std::stop_token& stop) { scheduler.run(stop); });
  int received = 0;
  sigwait(&ending, &received);
  running.request_stop();
  running.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // no test that dies leaves it behind
  try {
    return work({argv, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "scheduler_worker: %s\n", error.what());
    return 1;
  }
}
