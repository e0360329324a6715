#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <holdfast/core/error.h>

#include "support/catch.h"
#include "support/fixture.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

constexpr const char* kRequest = "the plan";

struct Injected : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file with some rows, and a plan over them that touches every kind, takes edges along and moves
/// one. Each scene is the same.
struct Scene {
  explicit Scene(const std::filesystem::path& path) {
    options.database.path = path;
    options.database.durability = storage::Durability::normal;
    options.environment = &environment.environment;
    open();
  }

  void open() {
    space.reset();
    store.reset();
    store = Store::open(options);
    space = std::make_unique<Space>(store->create_space("main", "tester"));
  }
  void close() {
    space.reset();
    store.reset();
  }

  static EntityId entity(int number) {
    return {uuid_v5(Uuid{}, "entity " + std::to_string(number))};
  }
  static Edge edge(int number, int source, int target) {
    Edge edge;
    edge.id = {uuid_v5(Uuid{}, "edge " + std::to_string(number))};
    edge.source = entity(source);
    edge.relation = "knows";
    edge.target = entity(target);
    return edge;
  }

  void fill() {
    for (int i = 0; i < 4; ++i) {
      Entity row;
      row.id = entity(i);
      row.kind = "person";
      row.name = std::to_string(i);
      REQUIRE(space->entities().insert_if_absent(row).applied());
    }
    for (int i = 0; i < 3; ++i) {
      REQUIRE(space->edges().insert_if_absent(edge(i, i, i + 1)).applied());
    }
  }

  Plan plan() const {
    Plan plan = space->plan();
    Entity made;
    made.id = entity(9);
    made.kind = "person";
    made.name = "made";
    plan.create(made);
    Note note;
    note.id = {uuid_v5(Uuid{}, "note")};
    note.kind = "observation";
    note.about = made.id;
    plan.create(note);
    plan.remove(entity(1));
    EdgeMove move;
    move.target = made.id;
    plan.retarget(edge(2, 2, 3).id, move);
    plan.patch(entity(3), JsonObject::parse("patch", R"({"name":"patched"})"));
    return plan;
  }

  /// "before", "after", or what is wrong.
  std::string state(Sequence before) {
    const auto report = store->verify();
    if (!report.is_clean()) return report.findings[0].check + ": " + report.findings[0].detail;
    const Sequence end = space->tail().seq;
    if (end == before) return "before";
    return end == before + 7 ? "after" : "in part";  // one entity takes two edges along
  }

  TestEnvironment environment;
  StoreOptions options;
  std::unique_ptr<Store> store;
  std::unique_ptr<Space> space;
};

/// The fault points that one application of the plan passes, in their order.
std::vector<std::string> points() {
  TempDir dir;
  Scene scene(dir / "test.db");
  scene.fill();
  std::vector<std::string> passed;
  scene.environment.faults.arm([&](std::string_view point) { passed.emplace_back(point); });
  REQUIRE(scene.space->apply(scene.plan(), {.request_id = kRequest}).applied());
  return passed;
}

/// Does `what` at the given point of the plan's way.
void arm(Scene& scene, std::size_t at, std::function<void()> what) {
  auto count = std::make_shared<std::size_t>(0);
  scene.environment.faults.arm([=](std::string_view) {
    if ((*count)++ == at) what();
  });
}

/// Applied once in all, whatever happened before.
void check_retry(Scene& scene, Sequence before, bool is_there) {
  const auto again = scene.space->apply(scene.plan(), {.request_id = kRequest});
  CHECK(again.applied());
  CHECK(again.repeated == is_there);
  CHECK(scene.state(before) == "after");
}

}  // namespace

TEST_CASE("an error at any point leaves all of a plan or nothing, and the retry makes it once",
          "[crash][plan]") {
  const auto passed = points();
  REQUIRE(passed.size() > 7);
  for (std::size_t at = 0; at < passed.size(); ++at) {
    CAPTURE(at, passed[at]);
    // Places to watch or to kill at, not to fail.
    if (passed[at] == "writer.queued" || passed[at] == "lock.before_count") continue;
    TempDir dir;
    Scene scene(dir / "test.db");
    scene.fill();
    const Sequence before = scene.space->tail().seq;
    arm(scene, at, [] { throw Injected("injected"); });
    bool has_failed = false;
    try {
      (void)scene.space->apply(scene.plan(), {.request_id = kRequest});
    } catch (const Injected&) {
      has_failed = true;
    }
    CHECK(has_failed == (passed[at] != "writer.after_commit"));
    scene.environment.faults.arm({});
    const std::string state = scene.state(before);
    CHECK((state == "before" || state == "after"));
    check_retry(scene, before, state == "after");
  }
}

TEST_CASE("kill -9 at any point leaves all of a plan or nothing, and the retry makes it once",
          "[crash][plan]") {
  const auto passed = points();
  std::size_t landed = 0;
  for (std::size_t at = 0; at < passed.size(); ++at) {
    CAPTURE(at, passed[at]);
    TempDir dir;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      Scene scene(dir / "test.db");
      scene.fill();
      arm(scene, at, [] { raise(SIGKILL); });
      (void)scene.space->apply(scene.plan(), {.request_id = kRequest});
      _exit(1);  // it was to be killed
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));

    Scene scene(dir / "test.db");
    const Sequence before = 8;  // the space, four entities, three edges
    const std::string state = scene.state(before);
    CHECK((state == "before" || state == "after"));
    landed += state == "after";
    check_retry(scene, before, state == "after");
  }
  CHECK(landed > 0);
  CHECK(landed < passed.size());
}
