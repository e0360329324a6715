#include "generation_writer.h"

#include <algorithm>
#include <set>

#include <holdfast/core/error.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/projection_catalog.h>

namespace holdfast::journal {

namespace {

/// The serving generation, when it was derived as the one that is being built is.
std::optional<Generation> find_alike(const ProjectionSite& site, const Projection& projection,
                                     const Generation& building) {
  if (building.state != GenerationState::building) return std::nullopt;
  const auto snapshot = site.database.snapshot();
  auto serving = find_generation(snapshot->transaction(), site.space, building.projection,
                                 GenerationState::serving);
  const bool is_alike = serving &&
                        serving->signature == signature(projection, serving->declaration) &&
                        projection.derives_alike(serving->declaration, building.declaration);
  return is_alike ? serving : std::nullopt;
}

DerivedOf source_in(std::string_view space, const Generation& generation,
                    const Derivation& derivation) {
  return {.space = space,
          .projection = generation.projection,
          .generation = generation.number,
          .kind = derivation.kind,
          .id = derivation.id};
}

}  // namespace

GenerationWriter::GenerationWriter(const ProjectionSite& site, Generation generation, bool anew)
    : site_(site),
      generation_(std::move(generation)),
      projection_(site.registry.projection(generation_.type)),
      kinds_(projection_.sources(generation_.declaration)),
      like_(anew ? std::nullopt : find_alike(site, projection_, generation_)) {}

GenerationWriter::Read GenerationWriter::read(storage::Transaction& transaction,
                                              std::string_view kind, const Uuid& id,
                                              const std::optional<StoredRow>& row,
                                              Sequence as_of) const {
  Read read;
  read.derivation = {.kind = kind, .id = id, .as_of = as_of};
  if (!row || !row->is_live) return read;
  try {
    read.derivation.input = projection_.input(generation_.declaration, kind, *row);
  } catch (const InvalidArgument& error) {
    read.problem = error.what();
  }
  read.is_same = is_derived_from(
      transaction, source_in(site_.space, generation_, read.derivation), read.derivation.input);
  if (read.derivation.input && !read.is_same) {
    take_over(transaction, read);
    read.is_waiting =
        !read.is_taken_over && !projection_.can_derive(generation_.declaration);
  }
  return read;
}

void GenerationWriter::take_over(storage::Transaction& transaction, Read& read) const {
  if (!like_) return;
  const DerivedOf of = source_in(site_.space, *like_, read.derivation);
  if (!is_derived_from(transaction, of, read.derivation.input)) return;
  auto stored = projection_.stored(transaction, of);
  if (!stored) return;
  // What may have been stored under laxer rules is derived anew.
  if (!projection_.could_be(generation_.declaration, *read.derivation.input, *stored)) return;
  read.derivation.derived = *std::move(stored);
  read.is_taken_over = true;
}

std::vector<GenerationWriter::Read> GenerationWriter::read_on(std::size_t limit) {
  site_.environment.faults.at("projection.load");
  // The tail and the sources in one snapshot: what is read of a source holds at that tail.
  const auto snapshot = site_.database.snapshot();
  storage::Transaction& transaction = snapshot->transaction();
  const Sequence as_of = tail(transaction, site_.space).seq;
  std::vector<Read> batch;
  auto kind = kinds_.begin();
  if (generation_.walk_kind) {
    kind = std::find(kinds_.begin(), kinds_.end(), *generation_.walk_kind);
  }
  for (; kind != kinds_.end() && batch.empty(); ++kind) {
    const bool is_same_kind = generation_.walk_kind && *kind == *generation_.walk_kind;
    const Uuid after = is_same_kind ? generation_.walk_id.value() : Uuid{};
    const auto rows = site_.registry.source(*kind).page(transaction, site_.space, after, limit);
    for (const StoredRow& row : rows) batch.push_back(read(transaction, *kind, row.id, row, as_of));
  }
  if (!batch.empty()) {
    generation_.walk_kind = batch.back().derivation.kind;
    generation_.walk_id = batch.back().derivation.id;
    generation_.walked += batch.size();
  }
  return batch;
}

std::vector<GenerationWriter::Read> GenerationWriter::read_changed(
    const std::vector<Event>& events) {
  std::set<std::pair<std::string_view, Uuid>> changed;
  for (const Event& event : events) {
    const auto kind = std::find(kinds_.begin(), kinds_.end(), event.kind);
    if (kind != kinds_.end()) changed.emplace(*kind, event.id);
  }
  return read_these(changed);
}

std::vector<GenerationWriter::Read> GenerationWriter::read_these(
    const std::set<std::pair<std::string_view, Uuid>>& sources) {
  site_.environment.faults.at("projection.load");
  const auto snapshot = site_.database.snapshot();
  storage::Transaction& transaction = snapshot->transaction();
  const Sequence as_of = tail(transaction, site_.space).seq;
  std::vector<Read> batch;
  for (const auto& [kind, id] : sources) {
    const auto row = site_.registry.source(kind).find(transaction, site_.space, id);
    batch.push_back(read(transaction, kind, id, row, as_of));
  }
  return batch;
}

void GenerationWriter::derive(std::vector<Read>& batch) const {
  site_.environment.faults.at("projection.derive");
  const auto is_to_be_derived = [](const Read& read) {
    return read.derivation.input && !read.is_same && !read.is_taken_over && !read.is_waiting;
  };
  std::vector<std::string> inputs;
  for (const Read& read : batch) {
    if (is_to_be_derived(read)) inputs.push_back(*read.derivation.input);
  }
  if (inputs.empty()) return;
  auto derived = projection_.derive(generation_.declaration, inputs);
  if (derived.size() != inputs.size()) {
    throw std::logic_error("projection " + generation_.projection + " derived " +
                           std::to_string(derived.size()) + " values from " +
                           std::to_string(inputs.size()) + " inputs");
  }
  auto next = derived.begin();
  for (Read& read : batch) {
    if (!is_to_be_derived(read)) continue;
    read.derivation.derived = std::move(next->value);
    read.derivation.failure = std::move(next->failure);
    read.stopped = std::move(next->stopped);
    ++next;
  }
}

void GenerationWriter::write_one(storage::Transaction& transaction, const Read& read,
                                 Written& written) const {
  site_.environment.faults.at("projection.compare");
  const Derivation& derivation = read.derivation;
  if (read.is_waiting) {
    ++written.outcomes[std::string(to_string(DerivedOutcome::waiting))];
    return;
  }
  const auto result =
      write_derived(transaction, site_.registry, site_.space, generation_, derivation,
                    site_.environment.clock.now());
  site_.environment.faults.at(result.outcome == DerivedOutcome::purged ? "projection.purge"
                                                                       : "projection.write");
  ++written.outcomes[std::string(to_string(result.outcome))];
  if (result.outcome == DerivedOutcome::wrong_generation) written.is_wrong_generation = true;
  if (result.outcome == DerivedOutcome::skipped_stale) {
    ++written.skipped;
    return;  // whoever was newer has judged it
  }
  const bool is_clash = result.outcome == DerivedOutcome::clash;
  const bool is_failure = result.outcome == DerivedOutcome::failed;
  if (!is_clash && !is_failure && read.problem.empty()) return;
  if (!is_failure) ++written.clashes;
  written.problems.push_back({.kind = std::string(derivation.kind),
                              .id = derivation.id,
                              .clashes_with = result.clashes_with,
                              .detail = is_clash     ? *derivation.input
                                        : is_failure ? derivation.failure
                                                     : read.problem});
}

GenerationWriter::Written GenerationWriter::write(storage::Transaction& transaction,
                                                  const std::vector<Read>& batch) const {
  Written written;
  for (const Read& read : batch) {
    if (read.stopped) continue;
    write_one(transaction, read, written);
    if (written.is_wrong_generation) break;
  }
  return written;
}

std::exception_ptr GenerationWriter::stopped(const std::vector<Read>& batch) {
  for (const Read& read : batch) {
    if (read.stopped) return read.stopped;
  }
  return nullptr;
}

std::uint64_t GenerationWriter::count_sources() const {
  const auto snapshot = site_.database.snapshot();
  std::uint64_t total = 0;
  for (const std::string_view kind : kinds_) {
    const std::string sql = "SELECT count(*) FROM " +
                            std::string(site_.registry.source(kind).table) + " WHERE space = $1";
    auto count = snapshot->transaction().prepare(sql);
    count.bind(site_.space);
    if (count.step()) total += count.get<Sequence>(0);
  }
  return total;
}

}  // namespace holdfast::journal
