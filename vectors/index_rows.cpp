#include "index_rows.h"

#include <holdfast/core/error.h>
#include <holdfast/vectors/model.h>

namespace holdfast::vectors {

ServingState read_serving(storage::Transaction& transaction, std::string_view space,
                          std::string_view model) {
  auto select = transaction.prepare(
      "SELECT s.last_seq, p.options, g.generation, g.watermark, g.created_at,"
      " (SELECT count(*) FROM (SELECT 1 FROM projection_failures AS f WHERE f.space = $1"
      " AND f.name = $2 AND f.generation = g.generation LIMIT 1) AS one)"
      " FROM spaces AS s"
      " LEFT JOIN projections AS p ON p.space = s.space AND p.name = $2 AND p.type = $3"
      " LEFT JOIN projection_generations AS g ON g.space = p.space AND g.name = p.name"
      " AND g.state = 'serving'"
      " WHERE s.space = $1 AND s.deleted_at IS NULL");
  select.bind(space, model, kModelType);
  if (!select.step()) throw NotFound("space", std::string(space));
  const auto row = select.row();
  if (row.is_null(1)) throw NotFound("model", std::string(model));
  ServingState state{.tail = row.get<Sequence>(0), .options = row.get<std::string>(1)};
  if (row.is_null(2)) return state;
  state.generation = row.get<Sequence>(2);
  state.watermark = row.get<Sequence>(3);
  state.created_at_us = row.get<std::int64_t>(4);
  state.has_failures = row.get<std::int64_t>(5) != 0;
  return state;
}

void each_recent(storage::Transaction& transaction, std::string_view space, Sequence from,
                 Sequence to, const RecentVisit& visit) {
  if (to <= from) return;
  auto select = transaction.prepare(
      "SELECT seq, kind, id FROM events WHERE space = $1 AND seq > $2 AND seq <= $3 ORDER BY seq");
  select.bind(space, from, to);
  while (select.step()) {
    const auto row = select.row();
    if (!visit(row.get<Sequence>(0), row.get<std::string_view>(1), row.get<Uuid>(2))) return;
  }
}

}  // namespace holdfast::vectors
