#include <holdfast/graph/edge_store.h>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/limits.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/row_list.h>
#include <holdfast/storage/guard.h>

#include "edge_checks.h"
#include "edge_rules.h"
#include "edge_table.h"
#include "entity_table.h"

namespace holdfast::graph {
namespace {

WriteResult<Edge> stamped(journal::Appender& appender, WriteResult<Edge> result) {
  if (result.applied()) stamp_neighborhoods(appender, *result.current);
  return result;
}

WriteResult<Edge> replace(journal::Appender& appender, Edge edge, const Expected& expected,
                          std::string_view op) {
  return stamped(appender,
                 EdgeTable::replace_if_unchanged(appender, std::move(edge), expected, op));
}

bool has_the_same_place(const Edge& a, const Edge& b) {
  return a.source == b.source && a.relation == b.relation && a.target == b.target &&
         a.valid_from == b.valid_from && a.valid_to == b.valid_to;
}

/// The edge's place is taken: it is deleted under its own guard, the one there is left as it is.
WriteResult<Edge> absorb(journal::Appender& appender, Edge edge, Revision revision,
                         const Expected& expected, Edge survivor) {
  edge.revision = revision;
  edge.deleted_at = appender.now();
  auto result = replace(appender, std::move(edge), expected, "absorb");
  if (!result.applied()) return result;
  result.outcome = Outcome::absorbed;
  result.current = std::move(survivor);
  return result;
}

/// The next version of an edge that changes with its entity, in the same write.
Edge next_version(journal::Appender& appender, Edge edge) {
  edge.revision = next_revision(appender.now(), edge.revision);
  return edge;
}

std::vector<EdgeId> ids(journal::Appender& appender, std::string_view sql, EntityId entity) {
  auto select = appender.transaction().prepare(sql);
  select.bind(appender.space(), entity);
  std::vector<EdgeId> found;
  while (select.step()) found.push_back(select.get<EdgeId>(0));
  return found;
}

storage::Query narrowed(storage::Query query, std::string_view space, const EdgeFilter& filter) {
  query.where("space = $", space);
  if (filter.source) query.where("source = $", *filter.source);
  if (filter.target) query.where("target = $", *filter.target);
  if (filter.relation) query.where("relation = $", core::check_name("relation", *filter.relation));
  if (filter.valid_at) {
    const Timestamp at = within_validity(*filter.valid_at);
    query.where("valid_from <= $ AND valid_to > $", at, at);
  }
  journal::apply_filter(query, filter);
  return query;
}

journal::Filtered filtered(std::string_view space, const EdgeFilter& filter) {
  return {[space, &filter](storage::Query query) {
            return narrowed(std::move(query), space, filter);
          },
          journal::RowConditions(filter)};
}

/// An event of another journal; both the ends that the edge leaves and those it gets are stamped.
void replay_edge(journal::Appender& appender, const Event& event) {
  const Sequence seq = appender.next_seq();
  auto before = EdgeTable::find(appender.transaction(), appender.space(), {event.id});
  EdgeTable::replay(appender, event);
  auto after = EdgeTable::find(appender.transaction(), appender.space(), {event.id});
  for (auto* edge : {&before, &after}) {
    if (!edge->has_value()) continue;
    (*edge)->seq = seq;
    stamp_neighborhoods(appender, **edge);
  }
}

/// A wrong id is an error, not an empty list; a purged entity has no edges.
void require_known(storage::Transaction& transaction, std::string_view space,
                   const EdgeFilter& filter) {
  for (const auto& end : {filter.source, filter.target}) {
    if (!end || EntityTable::mark(transaction, space, *end)) continue;
    if (journal::last_event(transaction, space, EntityStore::kKind, end->uuid)) continue;
    throw NotFound("entity", to_string(*end));
  }
}

}  // namespace

void EdgeStore::normalise(Edge& edge) {
  edge.relation = core::check_name("relation", edge.relation);
  core::check_finite("weight", edge.weight);
  edge.weight += 0.0;  // SQL keeps no minus zero, so neither may the event's body
  if (edge.source.uuid.is_nil()) throw InvalidArgument("source", "", "be an entity's id");
  if (edge.target.uuid.is_nil()) throw InvalidArgument("target", "", "be an entity's id");
  const auto check_time = [](const char* field, const std::optional<Timestamp>& time) {
    if (!time || (to_us(*time) > core::kTimeMin && to_us(*time) < core::kTimeMax)) return;
    throw InvalidArgument(field, std::to_string(to_us(*time)), "lie within +/- (2^63 - 2) us");
  };
  check_time("valid_from", edge.valid_from);
  check_time("valid_to", edge.valid_to);
  if (edge.valid_from && edge.valid_to && *edge.valid_to <= *edge.valid_from) {
    throw InvalidArgument("valid_to", to_rfc3339(*edge.valid_to),
                          "be after valid_from, " + to_rfc3339(*edge.valid_from));
  }
}

WriteResult<Edge> EdgeStore::insert_if_absent(journal::Appender& appender, Edge edge) {
  if (!edge.deleted_at) {
    edge.deleted_with.reset();
    if (auto refusal = check_becoming_live(appender, "edge.insert", edge)) {
      return EdgeTable::refuse_insert(appender, edge, refused(std::move(*refusal)));
    }
  }
  return stamped(appender, EdgeTable::insert_if_absent(appender, std::move(edge)));
}

WriteResult<Edge> EdgeStore::replace_if_unchanged(journal::Appender& appender, Edge edge,
                                                  const Expected& expected) {
  if (edge.deleted_at) {
    // It decides what brings the edge back: only deleting and restoring change it.
    const auto current = find(appender.transaction(), appender.space(), edge.id);
    if (current) edge.deleted_with = current->deleted_with;
    // Whether the edge may hold longer is asked of live edges only, so a restore could fail.
    const bool is_as_read = current && current->revision == expected.revision &&
                            current->deleted_at == expected.deleted_at &&
                            current->revision < edge.revision;
    if (is_as_read && current->valid_to != edge.valid_to) {
      throw InvalidArgument("valid_to", edge.valid_to ? to_rfc3339(*edge.valid_to) : "none",
                            "stay while the edge is deleted: restore it first");
    }
  } else {
    edge.deleted_with.reset();
    if (auto refusal = check_overlap(appender, "edge.replace", edge)) {
      return EdgeTable::refuse_replace(appender, edge, expected, refused(std::move(*refusal)));
    }
  }
  return replace(appender, std::move(edge), expected, "replace");
}

WriteResult<Edge> EdgeStore::remove(journal::Appender& appender, Edge edge,
                                    const Expected& expected) {
  return replace(appender, std::move(edge), expected, "delete");
}

WriteResult<Edge> EdgeStore::restore(journal::Appender& appender, Edge edge,
                                     const Expected& expected) {
  if (auto refusal = check_becoming_live(appender, "edge.restore", edge)) {
    return EdgeTable::refuse_replace(appender, edge, expected, refused(std::move(*refusal)));
  }
  edge.deleted_with.reset();
  return replace(appender, std::move(edge), expected, "restore");
}

WriteResult<Edge> EdgeStore::retarget(journal::Appender& appender, Edge edge,
                                      const Expected& expected) {
  const auto current = find(appender.transaction(), appender.space(), edge.id);
  const auto refuse = [&](WriteResult<Edge> broken_rule) {
    return EdgeTable::refuse_replace(appender, edge, expected, std::move(broken_rule));
  };
  WriteResult<Edge> answer;
  answer.current = current;
  if (!current) return answer;
  if (!storage::holds("edge.retarget", "live", !current->deleted_at)) {
    answer.outcome = Outcome::deletion_changed;
    return answer;
  }
  if (auto refusal = check_becoming_live(appender, "edge.retarget", edge)) {
    if (refusal->outcome != Outcome::key_taken) return refuse(refused(std::move(*refusal)));
    return absorb(appender, *current, edge.revision, expected, std::move(*refusal->in_the_way));
  }
  if (has_the_same_place(*current, edge)) {
    answer.outcome = Outcome::unchanged;
    return refuse(std::move(answer));
  }
  auto moved = EdgeTable::move_if_unchanged(appender, std::move(edge), expected, "retarget");
  if (moved.applied()) {
    Edge left = *current;
    left.seq = moved.seq;
    stamp_neighborhoods(appender, left);
  }
  return stamped(appender, std::move(moved));
}

WriteResult<Edge> EdgeStore::purge(journal::Appender& appender, EdgeId id,
                                   const Expected& expected) {
  return EdgeTable::purge(appender, id, expected);
}

std::vector<EdgeId> EdgeStore::purge_with(journal::Appender& appender, EntityId entity) {
  auto doomed =
      ids(appender,
          "SELECT id FROM edges WHERE space = $1 AND source = $2"
          " UNION SELECT id FROM edges WHERE space = $1 AND target = $2 ORDER BY id",
          entity);
  for (const EdgeId id : doomed) {
    const Edge edge = find(appender.transaction(), appender.space(), id).value();
    if (!purge(appender, id, {edge.revision, edge.deleted_at}).applied()) {
      throw Corrupt("edge " + to_string(id) + " changed within its own transaction");
    }
  }
  auto forget =
      appender.transaction().prepare("DELETE FROM hoods WHERE space = $1 AND entity = $2");
  forget.bind(appender.space(), entity);
  forget.run();
  return doomed;
}

std::vector<EdgeId> EdgeStore::remove_with(journal::Appender& appender, EntityId entity) {
  auto doomed = ids(appender,
                    "SELECT id FROM edges WHERE space = $1 AND source = $2 AND deleted_at IS NULL"
                    " UNION SELECT id FROM edges WHERE space = $1 AND target = $2"
                    " AND deleted_at IS NULL ORDER BY id",
                    entity);
  for (const EdgeId id : doomed) {
    const Edge edge = find(appender.transaction(), appender.space(), id).value();
    Edge deleted = next_version(appender, edge);
    deleted.deleted_at = appender.now();
    deleted.deleted_with = entity;
    // Read in this transaction, so nothing can have moved: a refusal here is a bug.
    if (!remove(appender, deleted, {edge.revision, edge.deleted_at}).applied()) {
      throw Corrupt("edge " + to_string(id) + " changed within its own transaction");
    }
  }
  return doomed;
}

EdgeStore::Restored EdgeStore::restore_with(journal::Appender& appender, EntityId entity) {
  Restored restored;
  const auto waiting = ids(
      appender, "SELECT id FROM edges WHERE space = $1 AND deleted_with = $2 ORDER BY id", entity);
  for (const EdgeId id : waiting) {
    const Edge edge = find(appender.transaction(), appender.space(), id).value();
    const Expected as_read{edge.revision, edge.deleted_at};
    Edge next = next_version(appender, edge);
    const EntityId other = edge.source == entity ? edge.target : edge.source;
    const auto mark = EntityTable::mark(appender.transaction(), appender.space(), other);
    if (mark && mark->is_live()) {
      next.deleted_at.reset();
      const bool is_back = restore(appender, next, as_read).applied();
      (is_back ? restored.edges : restored.kept_out).push_back(id);
    } else {
      next.deleted_with = other;
      if (replace(appender, next, as_read, "hand_over").applied()) {
        restored.handed_over.push_back(id);
      }
    }
  }
  return restored;
}

std::optional<Edge> EdgeStore::find(storage::Transaction& transaction, std::string_view space,
                                    EdgeId id) {
  return EdgeTable::find(transaction, space, id);
}

Page<Edge> EdgeStore::list(storage::Transaction& transaction, std::string_view space,
                           const EdgeFilter& filter, const PageRequest& page) {
  require_known(transaction, space, filter);
  return journal::list_page<Edge>(transaction, filtered(space, filter), page, "", nullptr);
}

std::uint64_t EdgeStore::count(storage::Transaction& transaction, std::string_view space,
                               const EdgeFilter& filter) {
  require_known(transaction, space, filter);
  return journal::count_rows(transaction, journal::RowTraits<Edge>::spec,
                             filtered(space, filter));
}

void EdgeStore::apply(const JsonObject& document, core::Fields mode, Edge& edge) {
  // A stored edge's triple and start are its identity; only a new one may name them.
  auto fields = edge_fields(edge, mode);
  if (edge.seq == 0) add_identity_fields(fields, edge);
  core::apply_fields(document, fields);
}

std::string EdgeStore::to_json(const Edge& edge) { return EdgeTable::json(edge); }
std::string EdgeStore::body(const Edge& edge) { return EdgeTable::body(edge); }
Edge EdgeStore::from_json(const JsonObject& document) { return EdgeTable::from_json(document); }
Edge EdgeStore::from_event(storage::Transaction&, std::string_view, const Event& event) {
  return EdgeTable::from_event(event);
}

journal::Source EdgeStore::source() {
  auto source = EdgeTable::source();
  source.check = &check_edges;
  source.replay = &replay_edge;
  source.derived = {.table = "hoods", .key = "entity"};
  return source;
}

}  // namespace holdfast::graph
