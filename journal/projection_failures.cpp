#include <holdfast/journal/projection_failures.h>

namespace holdfast::journal {
namespace {

DerivedFailure read(const storage::Statement& from) {
  return {.kind = from.get<std::string>(0),
          .id = from.get<Uuid>(1),
          .as_of = from.get<Sequence>(2),
          .attempts = from.get<Sequence>(3),
          .reason = from.get<std::string>(4),
          .at = from.get<Timestamp>(5)};
}

}  // namespace

void list_failure(storage::Transaction& transaction, const DerivedOf& of, Sequence as_of,
                  std::string_view reason, Timestamp now) {
  auto put = transaction.prepare(
      "INSERT INTO projection_failures (space, name, generation, kind, id, as_of_seq, attempts,"
      " reason, at) VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8)"
      " ON CONFLICT (space, name, generation, kind, id) DO UPDATE SET as_of_seq = $6,"
      " attempts = projection_failures.attempts + 1, reason = $7, at = $8");
  put.bind(of.space, of.projection, of.generation, of.kind, of.id, as_of, reason, now);
  put.run();
}

void forget_failure(storage::Transaction& transaction, const DerivedOf& of) {
  auto remove = transaction.prepare(
      "DELETE FROM projection_failures WHERE space = $1 AND name = $2 AND generation = $3"
      " AND kind = $4 AND id = $5");
  remove.bind(of.space, of.projection, of.generation, of.kind, of.id);
  remove.run();
}

std::vector<DerivedFailure> failures_of(storage::Transaction& transaction, std::string_view space,
                                        const Generation& generation,
                                        const std::optional<FailureCursor>& after,
                                        std::size_t limit) {
  auto select = transaction.prepare(
      "SELECT kind, id, as_of_seq, attempts, reason, at FROM projection_failures"
      " WHERE space = $1 AND name = $2 AND generation = $3 AND (kind > $4 OR kind = $4"
      " AND id > $5) ORDER BY kind, id LIMIT $6");
  const FailureCursor from = after.value_or(FailureCursor{});
  select.bind(space, generation.projection, generation.number, from.kind, from.id,
              static_cast<std::uint64_t>(limit));
  std::vector<DerivedFailure> failures;
  while (select.step()) failures.push_back(read(select));
  return failures;
}

std::optional<DerivedFailure> find_failure(storage::Transaction& transaction,
                                           const DerivedOf& of) {
  auto select = transaction.prepare(
      "SELECT kind, id, as_of_seq, attempts, reason, at FROM projection_failures"
      " WHERE space = $1 AND name = $2 AND generation = $3 AND kind = $4 AND id = $5");
  select.bind(of.space, of.projection, of.generation, of.kind, of.id);
  if (!select.step()) return std::nullopt;
  return read(select);
}

std::uint64_t count_failures(storage::Transaction& transaction, std::string_view space,
                             const Generation& generation) {
  auto count = transaction.prepare(
      "SELECT count(*) FROM projection_failures WHERE space = $1 AND name = $2"
      " AND generation = $3");
  count.bind(space, generation.projection, generation.number);
  return count.step() ? count.get<Sequence>(0) : 0;
}

}  // namespace holdfast::journal
