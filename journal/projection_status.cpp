#include <holdfast/journal/projection_status.h>

#include <holdfast/core/error.h>
#include <holdfast/journal/projection_failures.h>

namespace holdfast::journal {
namespace {

/// Behind a list of columns: rows r of the source, each with the version v that was taken in.
std::string from_versions(const Source& source) {
  return " FROM " + std::string(source.table) +
         " AS r LEFT JOIN projection_versions AS v ON v.space = r.space AND v.name = $2"
         " AND v.generation = $3 AND v.kind = $4 AND v.id = r.id WHERE r.space = $1";
}

void add_counts(storage::Transaction& transaction, std::string_view space, const Source& source,
                const Generation& generation, SourceCounts& counts) {
  const std::string sql =
      "SELECT count(*), count(CASE WHEN v.as_of_seq >= r.seq THEN 1 END), count(v.as_of_seq)" +
      from_versions(source);
  auto select = transaction.prepare(sql);
  select.bind(space, generation.projection, generation.number, source.kind);
  if (!select.step()) return;
  const auto all = select.get<Sequence>(0);
  const auto current = select.get<Sequence>(1);
  const auto versions = select.get<Sequence>(2);
  counts.current += current;
  counts.stale += versions - current;
  counts.missing += all - versions;
}

std::uint64_t count_rows(storage::Transaction& transaction, std::string_view table,
                         std::string_view space, const Generation& generation) {
  const std::string sql = "SELECT count(*) FROM " + std::string(table) +
                          " WHERE space = $1 AND name = $2 AND generation = $3";
  auto count = transaction.prepare(sql);
  count.bind(space, generation.projection, generation.number);
  return count.step() ? count.get<Sequence>(0) : 0;
}

GenerationStatus status_of(storage::Transaction& transaction, const Registry& registry,
                           std::string_view space, const Generation& generation,
                           const DeclaredProjection& declared, Sequence tail) {
  const Projection& projection = registry.projection(generation.type);
  GenerationStatus status;
  status.generation = generation;
  status.rows = count_rows(transaction, projection.table(), space, generation);
  status.is_outdated = generation.signature != signature(projection, declared.declaration);
  if (generation.state == GenerationState::dropping) return status;
  status.sources = count_sources(transaction, registry, space, generation);
  status.failed = count_failures(transaction, space, generation);
  if (!generation.walk_done) return status;
  // What is kept in the transactions of its sources is never behind.
  if (generation.upkeep == Upkeep::in_transaction) status.generation.watermark = tail;
  status.behind = tail - status.generation.watermark;
  return status;
}

}  // namespace

SourceCounts count_sources(storage::Transaction& transaction, const Registry& registry,
                           std::string_view space, const Generation& generation) {
  SourceCounts counts;
  for (const std::string_view kind :
       registry.projection(generation.type).sources(generation.declaration)) {
    add_counts(transaction, space, registry.source(kind), generation, counts);
  }
  return counts;
}

std::vector<WaitingSource> list_waiting(storage::Transaction& transaction,
                                        const Registry& registry, std::string_view space,
                                        const Generation& generation, std::size_t most) {
  std::vector<WaitingSource> waiting;
  for (const std::string_view kind :
       registry.projection(generation.type).sources(generation.declaration)) {
    if (waiting.size() == most) break;
    auto select = transaction.prepare(
        "SELECT r.id, v.as_of_seq IS NULL" + from_versions(registry.source(kind)) +
        " AND (v.as_of_seq IS NULL OR v.as_of_seq < r.seq) ORDER BY r.id LIMIT $5");
    select.bind(space, generation.projection, generation.number, kind, most - waiting.size());
    while (select.step()) {
      waiting.push_back({.kind = std::string(kind),
                         .id = select.get<Uuid>(0),
                         .is_missing = select.get<bool>(1)});
    }
  }
  return waiting;
}

ProjectionStatus projection_status(storage::Transaction& transaction, const Registry& registry,
                                   std::string_view space, std::string_view projection,
                                   Timestamp now) {
  const auto declared = find_declared(transaction, space, projection);
  if (!declared) throw NotFound("projection", std::string(projection));
  ProjectionStatus status;
  status.projection = *declared;
  status.upkeep = declared->upkeep;
  status.tail = tail(transaction, space).seq;
  for (const Generation& generation : all_generations(transaction, space)) {
    if (generation.projection != projection) continue;
    status.generations.push_back(
        status_of(transaction, registry, space, generation, *declared, status.tail));
  }
  const auto lease =
      storage::find_lease(transaction, space, rebuild_lease_name(projection));
  if (lease && lease->expires_at > now) status.lease = lease;
  return status;
}

}  // namespace holdfast::journal
