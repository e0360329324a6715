#include <holdfast/journal/projection.h>

#include <algorithm>
#include <array>

#include <holdfast/core/digest.h>
#include <holdfast/core/error.h>
#include <holdfast/journal/projection_catalog.h>
#include <holdfast/journal/projection_failures.h>
#include <holdfast/storage/guard.h>

namespace holdfast::journal {
namespace {

using storage::holds;
using Digest = std::array<std::uint8_t, 32>;

struct Version {
  Sequence as_of = 0;
  Digest digest{};
};

/// The statements on one source's version, which outlives an empty set of derived rows: it is what
/// a stale writer is refused by.
class Versions {
 public:
  Versions(storage::Transaction& transaction, const DerivedOf& of)
      : transaction_(transaction), of_(of) {}

  std::optional<Version> find() const {
    auto select = transaction_.prepare(
        "SELECT as_of_seq, digest FROM projection_versions WHERE space = $1 AND name = $2"
        " AND generation = $3 AND kind = $4 AND id = $5");
    select.bind(of_.space, of_.projection, of_.generation, of_.kind, of_.id);
    if (!select.step()) return std::nullopt;
    Version version{.as_of = select.get<Sequence>(0)};
    const auto digest = select.get<storage::Blob>(1);
    if (digest.size() != version.digest.size()) throw Corrupt("a version's digest is too short");
    std::copy(digest.begin(), digest.end(), version.digest.begin());
    return version;
  }

  void put(const Version& version) const {
    auto put = transaction_.prepare(
        "INSERT INTO projection_versions (space, name, generation, kind, id, as_of_seq, digest)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7)"
        " ON CONFLICT (space, name, generation, kind, id)"
        " DO UPDATE SET as_of_seq = $6, digest = $7");
    put.bind(of_.space, of_.projection, of_.generation, of_.kind, of_.id, version.as_of,
             storage::Blob(version.digest));
    put.run();
  }

  void remove() const {
    auto remove = transaction_.prepare(
        "DELETE FROM projection_versions WHERE space = $1 AND name = $2 AND generation = $3"
        " AND kind = $4 AND id = $5");
    remove.bind(of_.space, of_.projection, of_.generation, of_.kind, of_.id);
    remove.run();
  }

 private:
  storage::Transaction& transaction_;
  const DerivedOf& of_;
};

/// Of what its derived rows depend on. That there is nothing to derive is an input of its own.
Digest digest_of(const std::optional<std::string>& input) {
  return core::sha256(input ? "+" + *input : std::string("-"));
}

}  // namespace

std::vector<Derived> Projection::derive(const JsonObject&,
                                        std::span<const std::string> inputs) const {
  std::vector<Derived> derived;
  derived.reserve(inputs.size());
  for (const std::string& input : inputs) derived.push_back({.value = input});
  return derived;
}

std::string signature(const Projection& projection, const JsonObject& declaration) {
  return std::string(projection.type()) + " " + std::to_string(projection.protocol()) + " " +
         declaration.text();
}

JsonObject declaration_in(std::string_view signature) {
  const std::size_t at = signature.find('{');
  if (at == std::string_view::npos) {
    throw Corrupt("a generation has the signature " + std::string(signature));
  }
  return JsonObject::trusted(std::string(signature.substr(at)));
}

std::string_view to_string(Upkeep upkeep) {
  return upkeep == Upkeep::in_transaction ? "in_transaction" : "followed";
}

std::string_view to_string(DerivedOutcome outcome) {
  switch (outcome) {
    case DerivedOutcome::applied: return "applied";
    case DerivedOutcome::restamped: return "restamped";
    case DerivedOutcome::skipped_stale: return "skipped_stale";
    case DerivedOutcome::purged: return "purged";
    case DerivedOutcome::wrong_generation: return "wrong_generation";
    case DerivedOutcome::clash: return "clash";
    case DerivedOutcome::failed: return "failed";
    case DerivedOutcome::waiting: return "waiting";
  }
  return "unknown";
}

std::string_view to_string(GenerationState state) {
  switch (state) {
    case GenerationState::building: return "building";
    case GenerationState::serving: return "serving";
    case GenerationState::dropping: return "dropping";
  }
  return "unknown";
}

DerivedResult write_derived(storage::Transaction& transaction, const Registry& registry,
                            std::string_view space, const Generation& generation,
                            const Derivation& derivation, Timestamp now) {
  const DerivedOf of{.space = space,
                     .projection = generation.projection,
                     .generation = generation.number,
                     .kind = derivation.kind,
                     .id = derivation.id};
  if (!holds("derived.write", "generation", is_written(transaction, space, generation))) {
    return {DerivedOutcome::wrong_generation};
  }
  const auto source = registry.probe(transaction, space, of.kind, of.id);
  if (!holds("derived.write", "source", !source || source->seq <= derivation.as_of)) {
    return {DerivedOutcome::skipped_stale};
  }
  const Versions versions(transaction, of);
  const auto stored = versions.find();
  if (!holds("derived.write", "version", !stored || stored->as_of <= derivation.as_of)) {
    return {DerivedOutcome::skipped_stale};
  }
  const bool is_live = holds("derived.write", "live", source && source->is_live());
  if (is_live && !derivation.failure.empty()) {
    list_failure(transaction, of, derivation.as_of, derivation.failure, now);
    return {DerivedOutcome::failed};
  }
  forget_failure(transaction, of);
  const Projection& projection = registry.projection(generation.type);
  if (!source) {
    // Its id is never used again, so nothing is left to be told apart.
    projection.purge(transaction, of);
    versions.remove();
    return {DerivedOutcome::purged};
  }
  const auto& input = is_live ? derivation.input : std::nullopt;
  const Version next{.as_of = derivation.as_of == kForce ? source->seq : derivation.as_of,
                     .digest = digest_of(input)};
  const bool is_same = stored && stored->digest == next.digest &&
                       derivation.as_of != kForce && !derivation.is_given;
  if (!is_same) {
    if (!input) {
      projection.purge(transaction, of);
    } else if (const auto other = projection.write(transaction, of, derivation.derived)) {
      versions.remove();
      return {.outcome = DerivedOutcome::clash, .clashes_with = other};
    }
  }
  versions.put(next);
  if (!is_live) return {DerivedOutcome::purged};
  return {is_same ? DerivedOutcome::restamped : DerivedOutcome::applied};
}

bool is_derived_from(storage::Transaction& transaction, const DerivedOf& of,
                     const std::optional<std::string>& input) {
  const auto stored = Versions(transaction, of).find();
  return stored && stored->digest == digest_of(input);
}

}  // namespace holdfast::journal
