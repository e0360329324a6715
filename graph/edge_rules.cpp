#include "edge_rules.h"

#include <holdfast/graph/policy.h>
#include <holdfast/graph/relation_store.h>
#include <holdfast/storage/guard.h>

#include "edge_table.h"
#include "entity_table.h"

namespace holdfast::graph {

using storage::holds;

std::optional<Refusal> apply_relation(journal::Appender& appender, Edge& edge) {
  const auto declared =
      RelationStore::find(appender.transaction(), appender.space(), edge.relation);
  const bool must_declare = relation_policy(appender.settings()) == RelationPolicy::declared;
  if (!holds("edge.insert", "declared", declared.has_value() || !must_declare)) {
    return Refusal{.outcome = Outcome::relation_undeclared, .in_the_way = {}, .missing = {}};
  }
  const bool may_loop = declared && declared->loops;
  if (!holds("edge.insert", "loop", may_loop || edge.source != edge.target)) {
    return Refusal{.outcome = Outcome::loop_refused, .in_the_way = {}, .missing = {}};
  }
  if (declared && declared->symmetric && edge.target < edge.source) {
    std::swap(edge.source, edge.target);
  }
  return std::nullopt;
}

std::optional<Refusal> check_endpoints(journal::Appender& appender, std::string_view write,
                                       const Edge& edge) {
  Refusal refusal{.outcome = Outcome::endpoint_missing, .in_the_way = {}, .missing = {}};
  const auto probe = [&](std::string_view end, EntityId id) {
    const auto mark = EntityTable::mark(appender.transaction(), appender.space(), id);
    if (!holds(write, end, mark && mark->is_live())) refusal.missing.push_back(id);
  };
  probe("source", edge.source);
  if (edge.target != edge.source) probe("target", edge.target);
  if (refusal.missing.empty()) return std::nullopt;
  return refusal;
}

std::optional<Refusal> check_overlap(journal::Appender& appender, std::string_view write,
                                     const Edge& edge) {
  static const std::string sql =
      EdgeTable::select() +
      " WHERE space = $1 AND source = $2 AND relation = $3 AND target = $4 AND valid_from < $5"
      " AND valid_to > $6 AND id <> $7 AND deleted_at IS NULL ORDER BY valid_from LIMIT 1";
  auto select = appender.transaction().prepare(sql);
  select.bind(appender.space(), edge.source, edge.relation, edge.target, stored_to(edge),
              stored_from(edge), edge.id);
  if (!select.step()) return std::nullopt;
  Edge found = EdgeTable::read(select.row());
  if (holds(write, "overlap", false)) return std::nullopt;
  const bool same_key = found.valid_from == edge.valid_from;
  return Refusal{.outcome = same_key ? Outcome::key_taken : Outcome::overlaps,
                 .in_the_way = std::move(found),
                 .missing = {}};
}

WriteResult<Edge> refused(Refusal refusal) {
  WriteResult<Edge> result;
  result.outcome = refusal.outcome;
  result.current = std::move(refusal.in_the_way);
  result.missing = std::move(refusal.missing);
  return result;
}

void stamp_neighborhoods(journal::Appender& appender, const Edge& edge) {
  auto stamp = appender.transaction().prepare(
      "INSERT INTO hoods (space, entity, seq) VALUES ($1, $2, $3)"
      " ON CONFLICT (space, entity) DO UPDATE SET seq = excluded.seq");
  stamp.bind(appender.space(), edge.source, edge.seq);
  stamp.run();
  if (edge.target == edge.source) return;
  stamp.bind(appender.space(), edge.target, edge.seq);
  stamp.run();
}

}  // namespace holdfast::graph
