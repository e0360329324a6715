#include "suites/models_support.h"
#include "vectors/vector_rows.h"

using namespace holdfast;
using namespace holdfast::test;
using journal::GenerationState;
using journal::RebuildEnd;

namespace {

struct Rebuilt : Embedding3 {
  Rebuilt() {
    for (const char* const name : {"Ada", "Bea", "Cid"}) people.push_back(store.add_entity(name));
    create();
    pass_time(store);
  }
  journal::RebuildReport rebuild(const RebuildModelOptions& options = {},
                                 const journal::RebuildControl& control = {}) const {
    return models().rebuild("m", options, control);
  }
  /// Until its first batch of one source is written.
  journal::RebuildReport begin(const RebuildModelOptions& given) const {
    RebuildModelOptions options = given;
    options.rebuild.batch = 1;
    return rebuild(options, [](const auto&) { return false; });
  }
  std::vector<Embedding> building(const Entity& entity) const {
    return stored("entity", entity.id.uuid, "m", GenerationState::building);
  }
  Model wider() const { return model("m", "wide"); }

  std::vector<Entity> people;
};

}  // namespace

TEST_CASE("a model moves to another dimension while the old vectors serve", "[models][I6]") {
  Rebuilt f;
  std::size_t batches = 0;
  const auto report = f.rebuild({.model = f.wider(), .rebuild = {.batch = 1}}, [&](const auto& p) {
    if (p.step != "walk") return true;
    ++batches;
    CHECK(f.stored(f.people[0]) == one(f.fake->vector_of("Ada")));
    CHECK(f.models().status("m").serving->model == f.model());
    CHECK(f.models().status("m").declared.model == f.wider());
    CHECK(f.models().status("m").serving->is_outdated);
    return true;
  });
  CHECK(report.end == RebuildEnd::swapped);
  CHECK(batches == 3);
  CHECK(f.stored(f.people[0]) == one(f.wide->vector_of("Ada")));
  CHECK(f.models().status("m").serving->model == f.wider());
  CHECK(f.rows_in("vectors") == 3);
  CHECK(broken_checks(*f.store.store).empty());
}

TEST_CASE("the declaration and what serves change in one transaction", "[models][I5]") {
  Rebuilt f;
  CHECK(f.begin({.model = f.wider()}).end == RebuildEnd::stopped);
  f.store.reopen();
  CHECK(f.models().status("m").serving->model == f.model());
  CHECK(f.models().status("m").building->model == f.wider());
  CHECK(f.rebuild().end == RebuildEnd::swapped);
  f.store.reopen();
  CHECK(f.models().status("m").serving->model == f.wider());
  CHECK(f.models().find("m")->model == f.wider());
  CHECK_FALSE(f.models().status("m").serving->is_outdated);
}

TEST_CASE("writes reach both generations of a model that is being rebuilt", "[models][I6]") {
  Rebuilt f;
  bool is_written = false;
  const auto report = f.rebuild({.model = f.wider(), .rebuild = {.batch = 1}}, [&](const auto&) {
    if (is_written) return true;
    is_written = true;
    pass_time(f.store);
    (void)written(f.space().rename_entity(f.people[0].id, "Dee"));
    (void)f.store.add_entity("Eve");
    (void)f.models().embed("m");
    CHECK(f.stored(f.people[0]) == one(f.fake->vector_of("Dee")));
    return true;
  });
  CHECK(report.end == RebuildEnd::swapped);
  CHECK(f.stored(f.people[0]) == one(f.wide->vector_of("Dee")));
  CHECK(f.counts().current == 4);
  CHECK(f.models().status("m").serving->behind == 0);
}

TEST_CASE("a rebuild that embeds alike takes over the vectors of equal texts", "[models]") {
  Rebuilt f;
  const auto before = f.fake->given();
  Model other = f.model();
  other.metric = Metric::l2;
  CHECK(f.rebuild({.model = other, .parameters = IndexParameters{.m = 32}}).end ==
        RebuildEnd::swapped);
  CHECK(f.fake->given() == before);
  CHECK(f.stored(f.people[2]) == one(f.fake->vector_of("Cid")));
  CHECK(f.models().status("m").serving->model.metric == Metric::l2);
  CHECK(f.models().find("m")->parameters.m == 32);
  CHECK(f.rebuild({.rebuild = {.anew = true}}).end == RebuildEnd::swapped);
  CHECK(f.fake->given() == before + 3);
}

TEST_CASE("a rebuild takes over no vector of a text that has changed, nor of another embedder",
          "[models][I1]") {
  Rebuilt f;
  (void)written(f.space().rename_entity(f.people[0].id, "Dee"));
  CHECK(f.rebuild().end == RebuildEnd::swapped);
  CHECK(f.stored(f.people[0]) == one(f.fake->vector_of("Dee")));
  CHECK(f.fake->given("Bea") == 1);
  CHECK(f.rebuild({.model = f.model("m", "other")}).end == RebuildEnd::swapped);
  CHECK(f.stored(f.people[1]) == one(f.other->vector_of("Bea")));
}

TEST_CASE("a rebuild that is stopped goes on and embeds no text twice", "[models]") {
  Rebuilt f;
  CHECK(f.begin({.model = f.wider()}).end == RebuildEnd::stopped);
  CHECK(f.wide->given() == 1);
  const auto report = f.rebuild();
  CHECK(report.end == RebuildEnd::swapped);
  CHECK(report.was_resumed);
  for (const char* const name : {"Ada", "Bea", "Cid"}) CHECK(f.wide->given(name) == 1);
}

TEST_CASE("a rebuild that is cancelled leaves the model declared as what serves",
          "[models][I5]") {
  Rebuilt f;
  CHECK(f.begin({.model = f.wider()}).end == RebuildEnd::stopped);
  CHECK(f.models().cancel("m"));
  CHECK_FALSE(f.models().cancel("m"));
  const auto status = f.models().status("m");
  CHECK(status.declared.model == f.model());
  CHECK_FALSE(status.building.has_value());
  CHECK_FALSE(status.serving->is_outdated);
  CHECK(f.stored(f.people[0]) == one(f.fake->vector_of("Ada")));
  CHECK(f.rows_in("vectors") == 3);
}

TEST_CASE("a declaration that changes during a rebuild gives up the new generation only",
          "[models]") {
  Rebuilt f;
  const Model third = f.model("m", "other");
  const auto report = f.rebuild({.model = f.wider(), .rebuild = {.batch = 1}}, [&](const auto&) {
    f.store.store->database().writer().submit(
        [&](storage::Transaction& transaction) {
          (void)journal::lock_space(transaction, "main");
          journal::redeclare_projection(transaction, "main", "m", third.to_json(), {});
          return storage::Verdict::keep;
        },
        "redeclare");
    return true;
  });
  CHECK(report.end == RebuildEnd::cancelled);
  CHECK(f.stored(f.people[0]) == one(f.fake->vector_of("Ada")));
  CHECK(f.models().status("m").serving->model == f.model());
  CHECK(f.models().status("m").declared.model == third);
  CHECK(f.rebuild().end == RebuildEnd::swapped);
  CHECK(f.stored(f.people[0]) == one(f.other->vector_of("Ada")));
}

TEST_CASE("a model is not declared anew while it is rebuilt elsewhere", "[models]") {
  Rebuilt f;
  std::string refused;
  const auto report = f.rebuild({.model = f.wider(), .rebuild = {.batch = 1}}, [&](const auto&) {
    if (refused.empty()) {
      refused = f.thrown_by([&] { (void)f.rebuild({.model = f.model("m", "other")}); });
    }
    return true;
  });
  CHECK(refused == "busy");
  CHECK(report.end == RebuildEnd::swapped);
  CHECK(f.models().find("m")->model == f.wider());
}

TEST_CASE("a rebuild in which a text fails is incomplete, unless failures are allowed",
          "[models]") {
  Rebuilt f;
  f.wide->refuse("Bea");
  auto report = f.rebuild({.model = f.wider()});
  CHECK(report.end == RebuildEnd::incomplete);
  CHECK(report.problems_total == 1);
  CHECK(f.stored(f.people[1]) == one(f.fake->vector_of("Bea")));
  const auto building = f.models().status("m").building.value();
  CHECK(building.failed == 1);
  CHECK(f.models().failures("m", {}, building.generation.number).items.size() == 1);
  report = f.rebuild({.rebuild = {.allow_failures = true}});
  CHECK(report.end == RebuildEnd::swapped);
  CHECK(f.wide->given("Ada") == 1);
  CHECK(f.failed() == 1);
  CHECK(f.counts().missing == 1);
  f.wide->refuse("");
  (void)f.models().retry_failed("m");
  CHECK(f.counts().current == 3);
}

TEST_CASE("an endpoint that goes down during a rebuild stops it, and what was paid for stays",
          "[models]") {
  Rebuilt f;
  int calls = 0;
  f.wide->on_call([&] { f.wide->go_down(++calls > 1); });
  CHECK(f.thrown_by([&] {
    (void)f.rebuild({.model = f.wider(), .rebuild = {.batch = 1}});
  }) == "unavailable");
  CHECK(f.stored(f.people[0]) == one(f.fake->vector_of("Ada")));
  CHECK(f.building(f.people[0]) == one(f.wide->vector_of("Ada")));
  f.wide->on_call({});
  f.wide->go_down(false);
  CHECK(f.rebuild().end == RebuildEnd::swapped);
  CHECK(f.wide->given("Ada") == 1);
}

TEST_CASE("a model whose endpoint is gone for good is moved off it", "[models][I6]") {
  Rebuilt f;
  f.fake->go_down();
  (void)written(f.space().rename_entity(f.people[0].id, "Dee"));
  CHECK(f.rebuild({.model = f.wider()}).end == RebuildEnd::swapped);
  CHECK(f.stored(f.people[0]) == one(f.wide->vector_of("Dee")));
  CHECK(f.counts().current == 3);
}

TEST_CASE("a generation that cannot be kept up does not hold up the one that is to replace it",
          "[models][I6]") {
  Rebuilt f;
  REQUIRE(f.rebuild({.model = f.wider()}).end == RebuildEnd::swapped);
  RebuildModelOptions options{.model = f.model()};
  options.rebuild.prepare = [&](const auto&, const auto&) {
    f.wide->go_down();
    (void)written(f.space().rename_entity(f.people[0].id, "Dee"));
    CHECK(f.thrown_by([&] { (void)f.models().embed("m"); }) == "unavailable");
    CHECK(f.models().status("m").building->sources.current == 3);
    CHECK(f.counts().stale == 1);
  };
  CHECK(f.rebuild(options).end == RebuildEnd::swapped);
  CHECK(f.stored(f.people[0]) == one(f.fake->vector_of("Dee")));
}

TEST_CASE("index parameters are set without a new generation", "[models]") {
  Rebuilt f;
  const auto number = f.serving().number;
  f.models().configure("m", {.ef_search = 64});
  CHECK(f.models().find("m")->parameters.ef_search == 64);
  CHECK(f.serving().number == number);
  CHECK(refusal_of([&] { f.models().configure("m", {.m = 1}); }) == "m: be 2 to 64");
}

TEST_CASE("a generation does not serve when only a failure of its last events is in the way",
          "[guard][guard:projection.swap.failures]") {
  Rebuilt f;
  f.wide->refuse("late");
  const auto attempt = [&] {
    RebuildModelOptions options{.model = f.wider()};
    options.rebuild.prepare = [&](const auto&, const auto&) { f.store.add_entity("too late"); };
    return f.rebuild(options).end;
  };
  CHECK(attempt() == RebuildEnd::incomplete);
  CHECK(f.models().status("m").serving->model == f.model());
  f.wide->refuse("");
  CHECK(attempt() == RebuildEnd::swapped);
}

TEST_CASE("a stop ends a rebuild that waits for an endpoint, and the next one goes on",
          "[models]") {
  Rebuilt f;
  std::stop_source stop;
  f.wide->go_down();
  f.wide->on_call([&] { stop.request_stop(); });
  RebuildModelOptions options{.model = f.wider()};
  options.rebuild.stop = stop.get_token();
  const auto before = f.store.environment.clock.elapsed();
  CHECK(f.rebuild(options).end == RebuildEnd::stopped);
  CHECK(f.store.environment.clock.elapsed() == before);
  f.wide->go_down(false);
  f.wide->on_call({});
  CHECK(f.rebuild().end == RebuildEnd::swapped);
  CHECK(f.stored(f.people[0]) == one(f.wide->vector_of("Ada")));
}

TEST_CASE("a stop ends the creation of a model, which goes on when it is created again",
          "[models]") {
  Rebuilt f;
  std::stop_source stop;
  f.wide->go_down();
  f.wide->on_call([&] { stop.request_stop(); });
  CreateModelOptions options;
  options.rebuild.stop = stop.get_token();
  CHECK(f.models().create(f.model("n", "wide"), {}, options).outcome == ModelOutcome::stopped);
  f.wide->go_down(false);
  CHECK(f.models().create(f.model("n", "wide")).outcome == ModelOutcome::created);
}

TEST_CASE("a rebuild takes over no vectors that a model would not take", "[models]") {
  Rebuilt f;
  const Uuid id = f.people[0].id.uuid;
  f.store.store->database().writer().submit(
      [&](storage::Transaction& transaction) {
        vectors::replace_vectors(transaction, {.space = "main", .model = "m", .generation = 1},
                                 "entity", id, vectors::pack(one({1e19F, 0, 0})));
        return storage::Verdict::keep;
      },
      "damage");
  REQUIRE(f.stored(f.people[0]) == one({1e19F, 0, 0}));
  CHECK(f.rebuild().end == RebuildEnd::swapped);
  CHECK(f.stored(f.people[0]) == one(f.fake->vector_of("Ada")));
  CHECK(f.fake->given("Bea") == 1);
}
