#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <holdfast/core/error.h>

#include "support/catch.h"
#include "support/fixture.h"

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using journal::GenerationState;
using journal::RebuildEnd;

namespace {

constexpr int kPeople = 10;
constexpr int kLost = 4;
const KeyDeclaration kKey{.name = "name", .kind = {}, .path = "name"};
/// Short leases: a killed process's ends before the next one asks.
const journal::RebuildOptions kOptions{.batch = 3, .lease = 1ms};

/// A file with people whose names are a key. A process of its own opens it each time.
struct Scene {
  Scene() {
    const auto store = open();
    const Space space = store->create_space("main", "tester");
    for (int i = 0; i < kPeople; ++i) add(space);
    REQUIRE(space.declare_key(kKey, kOptions).outcome == KeyOutcome::declared);
  }

  std::unique_ptr<Store> open(core::Environment* environment = nullptr) const {
    StoreOptions options;
    options.database.path = dir / "test.db";
    options.database.durability = storage::Durability::normal;
    options.database.busy_limit = 50ms;  // one that was stopped may have the lock in its hands
    options.environment = environment;
    return Store::open(options);
  }

  void add(const Space& space) {
    Entity row;
    row.kind = "person";
    row.name = "person " + std::to_string(names++);
    REQUIRE(space.entities().insert_if_absent(row).applied());
  }

  /// Rebuilds in a child process, which sends itself `signal` at the `at`th fault point it passes.
  /// Its exit code is 0 when it got through, 4 when the lease was lost.
  pid_t start_rebuild(int at, int signal) const {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child > 0) return child;
    int code = 1;
    try {
      TestEnvironment environment(static_cast<std::uint64_t>(at) + 1);
      environment.clock.set(core::SystemClock().now());
      auto store = open(&environment.environment);
      const Space space = store->space("main", "child");
      int passed = 0;
      environment.faults.arm([&](std::string_view) {
        if (passed++ == at) raise(signal);
      });
      code = space.projections().rebuild("name", kOptions).end == RebuildEnd::swapped ? 0 : 3;
    } catch (const Conflict&) {
      code = kLost;
    } catch (const std::exception&) {
    }
    _exit(code);
  }

  /// What is wrong with the file; "" when nothing is.
  std::string judge() const {
    const auto store = open();
    const auto report = store->verify();
    if (!report.is_clean()) return report.findings[0].check + ": " + report.findings[0].detail;
    const Space space = store->space("main", "tester");
    const auto status = space.projections().status("name");
    const auto serving =
        std::count_if(status.generations.begin(), status.generations.end(), [](const auto& g) {
          return g.generation.state == GenerationState::serving;
        });
    if (serving != 1) return std::to_string(serving) + " generations serve";
    for (int i = 0; i < names; ++i) {
      const std::string name = "person " + std::to_string(i);
      const auto found = space.find_by_key("name", name);
      if (!found || found->name != name) return name + " is not found";
    }
    return "";
  }

  TempDir dir;
  int names = 0;
};

int wait_for(pid_t child, int options = 0) {
  int status = -1;
  REQUIRE(waitpid(child, &status, options) == child);
  return status;
}

}  // namespace

TEST_CASE("kill -9 at any point of a rebuild leaves one serving generation and no orphan",
          "[crash][projections]") {
  Scene scene;
  int rounds = 0;
  int survived = 0;
  // Each next rebuild goes on where the killed one stopped, so a point is met in many states.
  for (int at = 0; rounds < 100 || survived == 0; at = survived > 0 ? 0 : at + 1, ++rounds) {
    REQUIRE(rounds < 400);
    CAPTURE(rounds, at);
    survived = 0;
    const int status = wait_for(scene.start_rebuild(at, SIGKILL));
    if (WIFEXITED(status)) {
      CHECK(WEXITSTATUS(status) == 0);
      survived = 1;
    }
    REQUIRE(scene.judge() == "");
    const auto store = scene.open();
    if (rounds % 10 == 0) scene.add(store->space("main", "tester"));
  }
  const auto store = scene.open();
  const Space space = store->space("main", "tester");
  CHECK(space.projections().rebuild("name", kOptions).end == RebuildEnd::swapped);
  const auto status = space.projections().status("name");
  CHECK(status.generations.size() == 1);
}

TEST_CASE("a rebuild that was stopped past its lease is refused when it goes on",
          "[crash][projections]") {
  std::set<int> codes;
  for (int at = 0; at < 60; ++at) {
    CAPTURE(at);
    Scene scene;
    const pid_t child = scene.start_rebuild(at, SIGSTOP);
    const int stopped = wait_for(child, WUNTRACED);
    if (WIFEXITED(stopped)) break;
    REQUIRE(WIFSTOPPED(stopped));
    std::uint64_t successor = 0;
    try {
      const auto store = scene.open();
      successor =
          store->space("main", "tester").projections().rebuild("name", kOptions).generation;
    } catch (const Busy&) {
      // It was stopped with the writer's lock in its hands.
    }
    kill(child, SIGCONT);
    const int status = wait_for(child);
    REQUIRE(WIFEXITED(status));
    codes.insert(WEXITSTATUS(status));
    REQUIRE(scene.judge() == "");
    const auto store = scene.open();
    const auto after = store->space("main", "tester").projections().status("name");
    for (const auto& generation : after.generations) {
      if (successor != 0 && generation.generation.state == GenerationState::serving) {
        CHECK(generation.generation.number >= successor);
      }
    }
  }
  CHECK(codes.contains(kLost));
}
