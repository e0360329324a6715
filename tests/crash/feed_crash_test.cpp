#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "support/catch.h"
#include "support/fixture.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// What a child process does when it is told to: one write, behind whose commit it is killed before
/// it can wake anybody.
[[noreturn]] void write_and_die(int told, const std::filesystem::path& database) {
  char go = 0;
  if (read(told, &go, 1) != 1) _exit(1);
  TestEnvironment environment;
  environment.faults.arm([](std::string_view point) {
    if (point == "lock.before_count") raise(SIGKILL);
  });
  StoreOptions options;
  options.database.path = database;
  options.environment = &environment.environment;
  const auto store = Store::open(options);
  Entity entity;
  entity.kind = "person";
  entity.name = "Ada";
  (void)store->space("main", "doomed").entities().insert_if_absent(entity);
  _exit(1);  // it was to be killed
}

}  // namespace

TEST_CASE("a follower has the event of a writer that was killed just behind its commit",
          "[crash][feed]") {
  TempDir dir;
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) write_and_die(pipe_ends[0], dir / "test.db");

  const auto store = Store::open(dir / "test.db");
  const Space space = store->create_space("main", "tester");
  const Sequence before = space.tail().seq;
  std::vector<Event> events;
  std::thread follower([&] { events = space.tail(before, 10, std::chrono::minutes(1)); });
  REQUIRE(write(pipe_ends[1], "g", 1) == 1);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  follower.join();
  REQUIRE(events.size() == 1);
  CHECK(events[0].actor == "doomed");
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}
