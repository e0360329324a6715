#include "suites/projection_support.h"

using namespace holdfast;
using namespace holdfast::test;
using journal::DerivedOutcome;
using journal::GenerationState;

namespace {

/// A generation that is being built, an entity, and a derivation of it that would be applied.
struct Derivable : Projected {
  Derivable() {
    entity = store.add_entity("word");
    write([&](storage::Transaction& transaction) {
      const auto declared = journal::find_declared(transaction, "main", "words").value();
      building = journal::begin_generation(
          transaction, "main", declared, journal::signature(words, declared.declaration),
          journal::tail(transaction, "main"), store.environment.clock.now());
    });
    derivation = derivation_of(entity, space().tail().seq);
  }
  Entity renamed(const std::string& name) {
    pass_time(store);
    return written(space().rename_entity(entity.id, name));
  }
  DerivedOutcome attempt() const { return write_one(*this, building, derivation).outcome; }
  std::string stored() const {
    const auto snapshot = store.store->database().snapshot();
    return words
        .stored(snapshot->transaction(), {.space = "main",
                                          .projection = "words",
                                          .generation = building.number,
                                          .kind = "entity",
                                          .id = entity.id.uuid})
        .value_or("");
  }
  bool finish() const {
    return test_of([&](auto& transaction) {
      return journal::finish_walk(transaction, "main", building);
    });
  }
  bool swap(std::optional<std::uint64_t> replaced = {}) const {
    return test_of([&](auto& transaction) {
      return journal::swap_generations(transaction, "main", building, replaced);
    });
  }
  bool advance(Sequence to) const {
    return test_of([&](auto& transaction) {
      return journal::advance_watermark(transaction, "main", building, to);
    });
  }
  bool test_of(const std::function<bool(storage::Transaction&)>& change) const {
    bool answer = false;
    write([&](storage::Transaction& transaction) { answer = change(transaction); });
    return answer;
  }

  Entity entity;
  journal::Generation building;
  journal::Derivation derivation;
};

void drop(const Derivable& f) {
  f.write([&](storage::Transaction& transaction) {
    journal::drop_generation(transaction, "main", f.building);
  });
}

}  // namespace

TEST_CASE("a derived row is a failure when only its generation is written to no more",
          "[guard][guard:derived.write.generation]") {
  Derivable f;
  REQUIRE(f.attempt() == DerivedOutcome::applied);
  drop(f);
  CHECK(f.attempt() == DerivedOutcome::wrong_generation);
}

TEST_CASE("a derived row is skipped when only its source has changed since it was read",
          "[guard][guard:derived.write.source]") {
  Derivable f;
  const Entity renamed = f.renamed("newer");
  CHECK(f.attempt() == DerivedOutcome::skipped_stale);
  CHECK(f.stored().empty());
  f.derivation.as_of = renamed.seq;
  CHECK(f.attempt() == DerivedOutcome::applied);
}

TEST_CASE("a derived row is skipped when only the stored version is newer than what was read",
          "[guard][guard:derived.write.version]") {
  Derivable f;
  auto newer = f.derivation;
  newer.as_of += 5;
  newer.derived = "NEWER";
  REQUIRE(write_one(f, f.building, newer).outcome == DerivedOutcome::applied);
  f.derivation.input = "older";
  CHECK(f.attempt() == DerivedOutcome::skipped_stale);
  CHECK(f.stored() == "NEWER");
  f.derivation.as_of = newer.as_of;
  CHECK(f.attempt() == DerivedOutcome::applied);
}

TEST_CASE("nothing is derived from a source when only that is deleted",
          "[guard][guard:derived.write.live]") {
  Derivable f;
  REQUIRE(f.attempt() == DerivedOutcome::applied);
  pass_time(f.store);
  const Entity dead = written(f.space().entities().remove(f.entity.id));
  f.derivation.as_of = dead.seq;
  CHECK(f.attempt() == DerivedOutcome::purged);
  CHECK(f.stored().empty());
}

TEST_CASE("a walk ends with a watermark only when nothing has failed",
          "[guard][guard:projection.watermark.clean]") {
  Derivable f;
  f.write([&](storage::Transaction& transaction) {
    journal::count_clash(transaction, "main", f.building);
  });
  CHECK_FALSE(f.finish());
  f.write([&](storage::Transaction& transaction) {
    const auto tail = journal::tail(transaction, "main");
    journal::restart_walk(transaction, "main", f.building, tail);
  });
  CHECK(f.finish());
}

TEST_CASE("a walk ends with a watermark only in a generation that is being built",
          "[guard][guard:projection.watermark.building]") {
  Derivable control;
  CHECK(control.finish());
  Derivable f;
  drop(f);
  CHECK_FALSE(f.finish());
}

TEST_CASE("a watermark moves only in a generation that is written to",
          "[guard][guard:projection.advance.written]") {
  Derivable f;
  CHECK(f.advance(2));
  drop(f);
  CHECK_FALSE(f.advance(3));
}

TEST_CASE("a watermark never moves back", "[guard][guard:projection.advance.forward]") {
  Derivable f;
  REQUIRE(f.advance(3));
  CHECK_FALSE(f.advance(2));
  CHECK(f.advance(4));
}

TEST_CASE("a generation serves only when it is the one that is being built",
          "[guard][guard:projection.swap.building]") {
  Derivable control;
  REQUIRE(control.finish());
  CHECK(control.swap());
  Derivable f;
  REQUIRE(f.finish());
  drop(f);
  CHECK_FALSE(f.swap());
  CHECK_FALSE(f.has(GenerationState::serving));
}

TEST_CASE("a generation serves only when it was walked to the end",
          "[guard][guard:projection.swap.walked]") {
  Derivable f;
  CHECK_FALSE(f.swap());
  REQUIRE(f.finish());
  CHECK(f.swap());
}

TEST_CASE("a generation serves only when nothing has clashed behind its walk",
          "[guard][guard:projection.swap.clean]") {
  Derivable control;
  REQUIRE(control.finish());
  CHECK(control.swap());
  Derivable f;
  REQUIRE(f.finish());
  f.write([&](storage::Transaction& transaction) {
    journal::count_clash(transaction, "main", f.building);
  });
  CHECK_FALSE(f.swap());
}

TEST_CASE("a generation replaces only the one that served when it was begun",
          "[guard][guard:projection.swap.serving]") {
  Derivable f;
  REQUIRE(f.finish());
  CHECK_FALSE(f.swap(77));
  CHECK(f.swap(std::nullopt));
}
