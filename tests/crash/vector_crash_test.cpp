#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <iterator>

#include <holdfast/core/error.h>
#include <holdfast/core/random.h>

#include "crash/vector_scene.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

/// What there was to be done once and was done again.
std::set<std::string> both(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::set<std::string> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::inserter(common, common.end()));
  return common;
}

/// Children that do the same work and are killed at one point after the other, each finding what
/// the last one left.
class Killing {
 public:
  explicit Killing(VectorScene::Work work, bool in_background = false)
      : work_(std::move(work)), in_background_(in_background) {}

  /// Called in this process behind each child that got through.
  std::function<void(const VectorScene&)> on_survival{};

  /// By the number of the point, from the first on, until one gets through; then by name, until
  /// every point that was passed has been one to die at; and so on for `rounds`.
  void run(int rounds) {
    bool is_covered = false;
    int at = 0;
    for (int round = 0; round < rounds || !is_covered; ++round) {
      CAPTURE(round, at);
      REQUIRE(round < rounds + 300);
      if (!is_walked_) {
        is_walked_ = survives([&](int number, const std::string&) { return number == at; });
        at = is_walked_ ? 0 : at + 1;
        continue;
      }
      const auto hit = scene.hit();
      if (survives([&](int, const std::string& point) { return !hit.contains(point); })) {
        is_covered = scene.hit() == scene.passed();
        is_walked_ = false;
      }
    }
    CHECK(scene.hit() == scene.passed());
  }

  /// At any point, by chance.
  void run_by_chance(int rounds, std::uint64_t seed) {
    core::Random random(seed);
    for (int round = 0; round < rounds; ++round) {
      const int at = static_cast<int>(random.below(round % 2 == 0 ? 20 : 200));
      CAPTURE(round, at, seed);
      (void)survives([&](int number, const std::string&) { return number == at; });
    }
  }

  /// What there was of the model is gone.
  void begin_anew() {
    has_served_ = false;
    stored_.clear();
  }

  VectorScene scene;

 private:
  bool survives(const VectorScene::Choice& choice) {
    scene.forget_embedded();
    const int status = wait_for(scene.start(SIGKILL, choice, work_, in_background_));
    const bool is_through = WIFEXITED(status);
    const auto judged = scene.judge();
    REQUIRE(judged.wrong == "");
    if (is_through) REQUIRE(WEXITSTATUS(status) == 0);
    REQUIRE((judged.is_served || !has_served_));
    has_served_ = judged.is_served;
    REQUIRE(both(scene.embedded(), stored_).empty());
    stored_ = judged.stored;
    if (is_through && on_survival) on_survival(scene);
    return is_through;
  }

  VectorScene::Work work_;
  bool in_background_;
  bool is_walked_ = false;
  bool has_served_ = false;  ///< from then on one generation always does
  std::set<std::string> stored_;
};

void create(const VectorScene::Child& child) {
  child.arm();
  const auto result =
      child.space.models().create(VectorScene::model("a"), VectorScene::parameters(),
                                  {.rebuild = VectorScene::rebuilding()});
  if (result.outcome != ModelOutcome::created && result.outcome != ModelOutcome::unchanged) {
    throw std::runtime_error("creating ended as " + std::string(to_string(result.outcome)));
  }
}

void create_in(const VectorScene& scene) {
  const auto store = scene.open();
  create({store->space("main", "tester"), [] {}});
}

}  // namespace

TEST_CASE("kill -9 while a model is built first leaves no orphan and embeds nothing twice",
          "[crash][vectors]") {
  Killing killing(create);
  killing.on_survival = [&](const VectorScene& scene) {
    const auto store = scene.open();
    const Models models = store->space("main", "tester").models();
    CHECK(models.status("m").serving.value().pending() == 0);
    REQUIRE(models.drop("m"));
    killing.begin_anew();
  };
  killing.run(30);
}

TEST_CASE("kill -9 while a model is rebuilt leaves one serving generation and embeds nothing twice",
          "[crash][vectors]") {
  int edits = 0;
  Killing killing([&](const VectorScene::Child& child) {
    child.arm();
    VectorScene::rebuild(child.space);
  });
  create_in(killing.scene);
  killing.on_survival = [&](const VectorScene& scene) {
    const auto store = scene.open();
    const Space space = store->space("main", "tester");
    const auto status = space.models().status("m");
    CHECK_FALSE(status.building);
    CHECK(status.serving.value().pending() == 0);
    CHECK(status.declared.model.embedder == status.serving.value().model.embedder);
    VectorScene::edit(space, ++edits);
    (void)space.models().embed("m");
  };
  killing.run(60);
}

TEST_CASE("kill -9 of what embeds, beside edits and given vectors, leaves nothing stale as current",
          "[crash][vectors]") {
  Killing killing([](const VectorScene::Child& child) {
    VectorScene::edit(child.space, 2 * child.number);
    child.arm();
    VectorScene::edit(child.space, 2 * child.number + 1);
    (void)child.space.models().embed("m", VectorScene::embedding());
  });
  create_in(killing.scene);
  killing.run(60);
}

TEST_CASE("kill -9 while an index is built and its file is written leaves the old file or none",
          "[crash][vectors]") {
  Killing killing([](const VectorScene::Child& child) {
    child.arm();
    child.space.load_index();
    (void)child.space.similar({.query = SimilarRow{
        .kind = "entity", .id = child.space.entities().list({}).items[0].id.uuid}});
  });
  create_in(killing.scene);
  std::filesystem::remove_all(killing.scene.folder());
  killing.on_survival = [](const VectorScene& scene) {
    CHECK(scene.files().size() == 1);
    std::filesystem::remove_all(scene.folder());
  };
  killing.run(40);
}

TEST_CASE("kill -9 while the tail is folded in leaves an index of exactly the rows",
          "[crash][vectors]") {
  Killing killing([](const VectorScene::Child& child) {
    child.space.load_index();
    for (int i = 0; i < 3; ++i) VectorScene::edit(child.space, 3 * child.number + i);
    (void)child.space.models().embed("m");
    child.arm();
    const auto id = child.space.entities().list({}).items[0].id.uuid;
    (void)child.space.similar({.query = SimilarRow{.kind = "entity", .id = id}});
    (void)child.space.compact_index();
  });
  create_in(killing.scene);
  killing.on_survival = [](const VectorScene& scene) { CHECK(scene.files().size() == 1); };
  killing.run(40);
}

TEST_CASE("kill -9 at any time of embedding, rebuilding, building and folding at once",
          "[crash][vectors][soak]") {
  Killing killing(
      [](const VectorScene::Child& child) {
        child.space.load_index();
        child.arm();
        for (int i = 0; i < 3; ++i) VectorScene::edit(child.space, 3 * child.number + i);
        (void)child.space.models().embed("m", VectorScene::embedding());
        const auto id = child.space.entities().list({}).items[0].id.uuid;
        (void)child.space.similar({.query = SimilarRow{.kind = "entity", .id = id}});
        if (child.number % 3 == 0) VectorScene::rebuild(child.space);
        (void)child.space.compact_index();
      },
      true);
  create_in(killing.scene);
  killing.run_by_chance(1000, 1);
}

}  // namespace holdfast::test
