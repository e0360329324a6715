#include <holdfast/journal/space_contents.h>

#include <vector>

#include <holdfast/core/error.h>
#include <holdfast/journal/projection.h>

namespace holdfast::journal {
namespace {

constexpr std::string_view kSpaceKind = "space";

/// A table of which a space has rows, and what tells these apart.
struct Table {
  std::string what;
  std::string name;
  std::string key;
};

/// Rows go before what is derived from them and before their history, so that no one can meet a
/// row without either.
std::vector<Table> tables(const Registry& registry) {
  std::vector<Table> all;
  for (const Source& source : registry.sources()) {
    if (source.kind == kSpaceKind) continue;
    all.push_back({std::string(source.kind), std::string(source.table), "id"});
  }
  for (const Source& source : registry.sources()) {
    if (!source.derived) continue;
    all.push_back({"", std::string(source.derived->table), std::string(source.derived->key)});
  }
  for (const Projection* const projection : registry.projections()) {
    all.push_back({"", std::string(projection->table()), "id"});
    for (const auto table : projection->side_tables()) {
      all.push_back({"", std::string(table), "id"});
    }
  }
  all.push_back({"", "projection_failures", "id"});
  all.push_back({"", "projection_versions", "id"});
  for (const std::string_view table : {"projection_generations", "projections", "leases"}) {
    all.push_back({"", std::string(table), "name"});
  }
  all.push_back({"request", "requests", "request_id"});
  all.push_back({"event", "events", "seq"});
  return all;
}

}  // namespace

std::map<std::string, RowCounts> count_rows_of(storage::Transaction& transaction,
                                               const Registry& registry, std::string_view space) {
  std::map<std::string, RowCounts> counts;
  for (const Source& source : registry.sources()) {
    if (source.kind == kSpaceKind) continue;
    const std::string sql =
        "SELECT count(*), count(CASE WHEN deleted_at IS NULL THEN 1 END) FROM " +
        std::string(source.table) + " WHERE space = $1";
    auto select = transaction.prepare(sql);
    select.bind(space);
    if (!select.step()) continue;
    const auto live = select.get<Sequence>(1);
    counts[std::string(source.kind)] = {.live = live, .deleted = select.get<Sequence>(0) - live};
  }
  return counts;
}

SpaceCounts counts_of(storage::Transaction& transaction, std::string_view space) {
  auto select = transaction.prepare(
      "SELECT row_count, body_bytes, projections FROM spaces WHERE space = $1");
  select.bind(space);
  if (!select.step()) throw NotFound("space", std::string(space));
  return {.rows = select.get<Sequence>(0),
          .body_bytes = select.get<Sequence>(1),
          .projections = select.get<Sequence>(2)};
}

AllCounts counts_of_all(storage::Transaction& transaction) {
  auto select = transaction.prepare(
      "SELECT count(*), coalesce(sum(row_count), 0), coalesce(sum(body_bytes), 0),"
      " coalesce(sum(projections), 0) FROM spaces WHERE deleted_at IS NULL");
  AllCounts all;
  if (!select.step()) return all;
  all.spaces = select.get<Sequence>(0);
  all.rows = select.get<Sequence>(1);
  all.body_bytes = select.get<Sequence>(2);
  all.projections = select.get<Sequence>(3);
  return all;
}

std::uint64_t count_requests(storage::Transaction& transaction, std::string_view space) {
  auto select = transaction.prepare("SELECT count(*) FROM requests WHERE space = $1");
  select.bind(space);
  return select.step() ? select.get<Sequence>(0) : 0;
}

std::uint64_t rows_in(storage::Transaction& transaction, std::string_view table) {
  const std::string sql = "SELECT count(*) FROM " + std::string(table);
  auto select = transaction.prepare(sql);
  return select.step() ? select.get<Sequence>(0) : 0;
}

void hide_space(storage::Transaction& transaction, std::string_view space, Timestamp now) {
  auto hide = transaction.prepare(
      "UPDATE spaces SET deleted_at = coalesce(deleted_at, $2) WHERE space = $1");
  hide.bind(space, now);
  if (hide.run() == 0) throw NotFound("space", std::string(space));
  // Whoever asks a serving generation need not ask whether the space is there.
  auto drop = transaction.prepare(
      "UPDATE projection_generations SET state = 'dropping' WHERE space = $1");
  drop.bind(space);
  drop.run();
}

Removed remove_some(storage::Transaction& transaction, const Registry& registry,
                    std::string_view space, std::size_t limit) {
  for (const Table& table : tables(registry)) {
    // A limit on a DELETE itself is not common to all backends.
    const std::string sql = "DELETE FROM " + table.name + " WHERE space = $1 AND " + table.key +
                            " IN (SELECT " + table.key + " FROM " + table.name +
                            " WHERE space = $1 ORDER BY " + table.key + " LIMIT $2)";
    auto remove = transaction.prepare(sql);
    remove.bind(space, static_cast<std::uint64_t>(limit));
    const auto count = remove.run();
    if (count > 0) return {.what = table.what, .count = static_cast<std::uint64_t>(count)};
  }
  return {};
}

void forget_space(storage::Transaction& transaction, std::string_view space) {
  auto remove = transaction.prepare("DELETE FROM spaces WHERE space = $1");
  remove.bind(space);
  remove.run();
}

}  // namespace holdfast::journal
