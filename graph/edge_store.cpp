#include <holdfast/graph/edge_store.h>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/limits.h>
#include <holdfast/journal/row_list.h>

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

storage::Query filtered(std::string select, std::string_view space, const EdgeFilter& filter) {
  storage::Query query(std::move(select));
  query.where("space = $", space);
  if (filter.source) query.where("source = $", *filter.source);
  if (filter.target) query.where("target = $", *filter.target);
  if (filter.relation) query.where("relation = $", core::check_name("relation", *filter.relation));
  if (filter.valid_at) {
    query.where("valid_from <= $ AND valid_to > $", *filter.valid_at, *filter.valid_at);
  }
  journal::apply_filter(query, filter);
  return query;
}

/// A wrong id is an error, not an empty list.
void require_known(storage::Transaction& transaction, std::string_view space,
                   const EdgeFilter& filter) {
  for (const auto& end : {filter.source, filter.target}) {
    if (end && !EntityTable::mark(transaction, space, *end)) {
      throw NotFound("entity", to_string(*end));
    }
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
  edge.deleted_with.reset();
  auto refusal = apply_relation(appender, edge);
  if (!refusal) refusal = check_endpoints(appender, "edge.insert", edge);
  if (!refusal) refusal = check_overlap(appender, "edge.insert", edge);
  if (refusal) return EdgeTable::refuse_insert(appender, edge, refused(std::move(*refusal)));
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
  auto refusal = check_endpoints(appender, "edge.restore", edge);
  if (!refusal) refusal = check_overlap(appender, "edge.restore", edge);
  if (refusal) {
    return EdgeTable::refuse_replace(appender, edge, expected, refused(std::move(*refusal)));
  }
  edge.deleted_with.reset();
  return replace(appender, std::move(edge), expected, "restore");
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
      if (restore(appender, next, as_read).applied()) restored.edges.push_back(id);
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
  return journal::list_page<Edge>(
      transaction,
      [&](std::string select) { return filtered(std::move(select), space, filter); }, page, "",
      nullptr);
}

std::uint64_t EdgeStore::count(storage::Transaction& transaction, std::string_view space,
                               const EdgeFilter& filter) {
  require_known(transaction, space, filter);
  return journal::count_rows(transaction,
                             filtered("SELECT count(*) FROM edges", space, filter));
}

void EdgeStore::apply(const JsonObject& document, core::Fields mode, Edge& edge) {
  std::vector<core::Field> fields = {
      {"weight", [&](const JsonMember& m) { edge.weight = core::real_field(m); }},
      {"properties",
       [&](const JsonMember& m) {
         edge.properties = core::object_field(m, mode, edge.properties);
       }},
      {"valid_to", [&](const JsonMember& m) { edge.valid_to = core::optional_time_field(m); }}};
  // A stored edge's triple and start are its identity; only a new one may name them.
  if (edge.seq == 0) {
    const auto id = [](const JsonMember& m) {
      return EntityId::parse(m.key, core::string_field(m));
    };
    fields.insert(
        fields.end(),
        {{"source", [&, id](const JsonMember& m) { edge.source = id(m); }},
         {"relation", [&](const JsonMember& m) { edge.relation = core::string_field(m); }},
         {"target", [&, id](const JsonMember& m) { edge.target = id(m); }},
         {"valid_from",
          [&](const JsonMember& m) { edge.valid_from = core::optional_time_field(m); }}});
  }
  core::apply_fields(document, fields);
}

std::string EdgeStore::to_json(const Edge& edge) { return EdgeTable::json(edge); }

journal::Source EdgeStore::source() {
  auto source = EdgeTable::source();
  source.check = &check_edges;
  return source;
}

}  // namespace holdfast::graph
