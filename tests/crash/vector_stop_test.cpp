#include <signal.h>
#include <sys/wait.h>

#include <optional>
#include <set>

#include <holdfast/core/error.h>

#include "crash/vector_scene.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

/// Stops a child at the `at`th point of its work, lets `successor` do the same, and lets the child
/// go on. Its exit code; none when it was never stopped.
std::optional<int> stop_and_go_on(VectorScene& scene, int at, const VectorScene::Work& work,
                                  const std::function<void(const Space&)>& successor) {
  const pid_t child = scene.start(
      SIGSTOP, [&](int number, const std::string&) { return number == at; }, work);
  const int stopped = wait_for(child, WUNTRACED);
  if (WIFEXITED(stopped)) {
    CHECK(WEXITSTATUS(stopped) == 0);
    return std::nullopt;
  }
  REQUIRE(WIFSTOPPED(stopped));
  try {
    const auto store = scene.open();
    successor(store->space("main", "successor"));
  } catch (const Busy&) {
    // It was stopped with the writer's lock in its hands.
  }
  kill(child, SIGCONT);
  const int status = wait_for(child);
  REQUIRE(WIFEXITED(status));
  REQUIRE(scene.judge().wrong == "");
  return WEXITSTATUS(status);
}

void create_in(const VectorScene& scene) {
  const auto store = scene.open();
  const Space space = store->space("main", "tester");
  REQUIRE(space.models().create(VectorScene::model("a"), VectorScene::parameters()).outcome ==
          ModelOutcome::created);
}

}  // namespace

TEST_CASE("a rebuild of a model that was stopped past its lease is refused when it goes on",
          "[crash][vectors]") {
  VectorScene scene;
  create_in(scene);
  const auto work = [](const VectorScene::Child& child) {
    child.arm();
    VectorScene::rebuild(child.space);
  };
  std::set<int> codes;
  for (int at = 0; at < 200; at += 3) {
    CAPTURE(at);
    std::uint64_t served = 0;
    const auto code = stop_and_go_on(scene, at, work, [&](const Space& space) {
      VectorScene::edit(space, at);
      VectorScene::rebuild(space);
      (void)space.models().embed("m");
      const auto serving = space.models().status("m").serving.value();
      CHECK(serving.pending() == 0);
      served = serving.generation.number;
    });
    if (!code) break;
    codes.insert(*code);
    const auto store = scene.open();
    const auto after = store->space("main", "tester").models().status("m").serving.value();
    if (*code == VectorScene::kConflict) CHECK(after.generation.number == served);
    CHECK(after.generation.number >= served);
  }
  CHECK(codes.contains(VectorScene::kConflict));
}

TEST_CASE("what embeds and was stopped past its lease is refused when it goes on",
          "[crash][vectors]") {
  VectorScene scene;
  create_in(scene);
  const auto work = [](const VectorScene::Child& child) {
    VectorScene::edit(child.space, 2 * child.number);
    child.arm();
    if (child.space.models().embed("m", VectorScene::embedding()).was_taken_over) {
      throw Conflict("taken over");
    }
  };
  std::set<int> codes;
  for (int at = 0; at < 200; ++at) {
    CAPTURE(at);
    bool is_done = false;
    const auto code = stop_and_go_on(scene, at, work, [&](const Space& space) {
      VectorScene::edit(space, 2 * at + 1001);
      (void)space.models().embed("m");
      is_done = true;
    });
    if (!code) break;
    codes.insert(*code);
    if (!is_done) continue;
    const auto store = scene.open();
    const auto after = store->space("main", "tester").models().status("m").serving.value();
    CHECK(after.pending() == 0);  // what went on late took nothing back
  }
  CHECK(codes.contains(VectorScene::kConflict));
}

}  // namespace holdfast::test
