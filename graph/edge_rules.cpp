#include "edge_rules.h"

#include <algorithm>

#include <holdfast/core/input.h>
#include <holdfast/graph/relation_store.h>
#include <holdfast/storage/guard.h>

#include "edge_table.h"
#include "entity_table.h"

namespace holdfast::graph {

using storage::holds;

namespace {

using Kinds = std::optional<std::vector<std::string>>;

Refusal refusal(Outcome outcome) {
  return {.outcome = outcome, .in_the_way = {}, .missing = {}};
}

bool includes(const Kinds& kinds, std::string_view kind) {
  return !kinds || std::find(kinds->begin(), kinds->end(), kind) != kinds->end();
}

/// Whether the entity at an end is of one of the kinds. One that is not there is another rule's.
bool fits(journal::Appender& appender, const Kinds& kinds, EntityId end) {
  if (!kinds) return true;
  const auto entity = EntityTable::find(appender.transaction(), appender.space(), end);
  return !entity || includes(kinds, entity->kind);
}

std::optional<Refusal> check_relation(journal::Appender& appender, std::string_view write,
                                      const std::optional<Relation>& declared, const Edge& edge) {
  // An edge that was there before the space asked for declarations may return.
  const bool must_declare = appender.settings().relations == RelationPolicy::declared &&
                            write != "edge.restore";
  if (must_declare && !holds(write, "declared", declared.has_value())) {
    return refusal(Outcome::relation_undeclared);
  }
  const bool may_loop = declared && declared->loops;
  if (!holds(write, "loop", may_loop || edge.source != edge.target)) {
    return refusal(Outcome::loop_refused);
  }
  return std::nullopt;
}

std::optional<Refusal> check_endpoints(journal::Appender& appender, std::string_view write,
                                       const Edge& edge) {
  Refusal refused = refusal(Outcome::endpoint_missing);
  const auto probe = [&](std::string_view end, EntityId id) {
    const auto mark = EntityTable::mark(appender.transaction(), appender.space(), id);
    if (!holds(write, end, mark && mark->is_live())) refused.missing.push_back(id);
  };
  probe("source", edge.source);
  if (edge.target != edge.source) probe("target", edge.target);
  if (refused.missing.empty()) return std::nullopt;
  return refused;
}

std::optional<Refusal> check_kinds(journal::Appender& appender, std::string_view write,
                                   const std::optional<Relation>& declared, const Edge& edge) {
  if (!declared) return std::nullopt;
  if (holds(write, "source_kind", fits(appender, declared->source_kinds, edge.source)) &&
      holds(write, "target_kind", fits(appender, declared->target_kinds, edge.target))) {
    return std::nullopt;
  }
  return refusal(Outcome::kind_refused);
}

bool has_edge(journal::Appender& appender, std::string_view sql, EntityId entity,
              const std::string& relation) {
  auto select = appender.transaction().prepare(sql);
  select.bind(appender.space(), entity, relation);
  return select.step();
}

}  // namespace

std::optional<Refusal> check_becoming_live(journal::Appender& appender, std::string_view write,
                                           Edge& edge) {
  const auto declared =
      RelationStore::find(appender.transaction(), appender.space(), edge.relation);
  auto refused = check_relation(appender, write, declared, edge);
  if (refused) return refused;
  if (declared && declared->symmetric && edge.target < edge.source) {
    std::swap(edge.source, edge.target);
  }
  refused = check_endpoints(appender, write, edge);
  if (!refused) refused = check_kinds(appender, write, declared, edge);
  if (!refused) refused = check_overlap(appender, write, edge);
  return refused;
}

Outcome allows(journal::Appender& appender, const Relation& relation, const Edge& edge) {
  if (edge.source == edge.target && !relation.loops) return Outcome::loop_refused;
  const bool kinds_fit = fits(appender, relation.source_kinds, edge.source) &&
                         fits(appender, relation.target_kinds, edge.target);
  return kinds_fit ? Outcome::applied : Outcome::kind_refused;
}

bool edges_allow_kind(journal::Appender& appender, EntityId entity, std::string_view kind) {
  auto declared = appender.transaction().prepare(
      "SELECT relation, source_kinds, target_kinds FROM relations WHERE space = $1"
      " AND deleted_at IS NULL AND (source_kinds IS NOT NULL OR target_kinds IS NOT NULL)");
  declared.bind(appender.space());
  const auto excludes = [&](int column) {
    const auto stored = declared.get<std::optional<std::string>>(column);
    return stored && !includes(core::tags_from_json(*stored), kind);
  };
  while (declared.step()) {
    const auto relation = declared.get<std::string>(0);
    if (excludes(1) && has_edge(appender,
                                "SELECT 1 FROM edges WHERE space = $1 AND source = $2"
                                " AND relation = $3 AND deleted_at IS NULL LIMIT 1",
                                entity, relation)) {
      return false;
    }
    if (excludes(2) && has_edge(appender,
                                "SELECT 1 FROM edges WHERE space = $1 AND target = $2"
                                " AND relation = $3 AND deleted_at IS NULL LIMIT 1",
                                entity, relation)) {
      return false;
    }
  }
  return true;
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
