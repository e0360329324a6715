#include "suites/projection_support.h"

#include <memory>

namespace holdfast::test {

using journal::GenerationState;

Projected::Projected(std::uint64_t seed) : store(seed, {&words}) {
  plant(*store.store, WordsProjection::kTable);
  declare();
}

void Projected::declare() {
  write([&](storage::Transaction& transaction) {
    if (journal::find_declared(transaction, "main", "words")) return;
    journal::declare_projection(transaction, "main",
                                {.name = "words",
                                 .type = "words",
                                 .upkeep = journal::Upkeep::followed,
                                 .declaration = {},
                                 .created_at = store.environment.clock.now()});
  });
}

journal::ProjectionSite Projected::site_of(const Space& space) {
  const Access& access = space.access();
  return {.database = access.database,
          .environment = access.environment,
          .registry = access.registry,
          .space = access.space};
}

void Projected::at(std::string_view seam, const std::function<void()>& act, int nth) {
  const auto left = std::make_shared<int>(nth);
  store.environment.faults.arm([=, name = std::string(seam)](std::string_view point) {
    if (point != name || --*left != 0) return;
    act();
  });
}

void Projected::write(const std::function<void(storage::Transaction&)>& change) const {
  store.store->database().writer().submit(
      [&](storage::Transaction& transaction) {
        (void)journal::lock_space(transaction, "main");
        change(transaction);
        return storage::Verdict::keep;
      },
      "test");
}

journal::Generation Projected::generation(GenerationState state) const {
  const auto snapshot = store.store->database().snapshot();
  const auto found =
      journal::find_generation(snapshot->transaction(), "main", "words", state);
  REQUIRE(found.has_value());
  return *found;
}

bool Projected::has(GenerationState state) const {
  const auto snapshot = store.store->database().snapshot();
  return journal::find_generation(snapshot->transaction(), "main", "words", state).has_value();
}

std::string Projected::word(std::string_view kind, const Uuid& id) const {
  const auto serving = generation(GenerationState::serving);
  const auto snapshot = store.store->database().snapshot();
  return words
      .stored(snapshot->transaction(), {.space = "main",
                                        .projection = "words",
                                        .generation = serving.number,
                                        .kind = kind,
                                        .id = id})
      .value_or("");
}

std::string Projected::faults() const {
  const auto snapshot = store.store->database().snapshot();
  std::string text;
  journal::verify_projections(snapshot->transaction(), site().registry, "main", "",
                              [&](const journal::Finding& finding) {
                                text += finding.check + ": " + finding.detail + "\n";
                              });
  return text;
}

journal::DerivedResult write_one(const Projected& f, const journal::Generation& generation,
                                 const journal::Derivation& derivation) {
  journal::DerivedResult result;
  f.write([&](storage::Transaction& transaction) {
    result = journal::write_derived(transaction, f.site().registry, "main", generation, derivation,
                                    {});
  });
  return result;
}

journal::Derivation derivation_of(const Entity& entity, Sequence as_of) {
  journal::Derivation derivation;
  derivation.kind = "entity";
  derivation.id = entity.id.uuid;
  derivation.as_of = as_of;
  derivation.input = entity.name;
  derivation.derived = "FROM " + entity.name;
  return derivation;
}

}  // namespace holdfast::test
