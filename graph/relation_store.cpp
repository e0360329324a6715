#include <holdfast/graph/relation_store.h>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/journal/row_list.h>
#include <holdfast/journal/row_namespace.h>
#include <holdfast/storage/guard.h>

#include "edge_rules.h"
#include "edge_table.h"
#include "relation_table.h"

namespace holdfast::graph {
namespace {

/// Edges stored one way cannot be read the other way after the fact, and a deleted one may return.
bool has_edges(journal::Appender& appender, const Relation& relation) {
  auto select = appender.transaction().prepare(
      "SELECT 1 FROM edges WHERE space = $1 AND relation = $2 LIMIT 1");
  select.bind(appender.space(), relation.relation);
  return select.step();
}

/// Whether every live edge of the relation is one that the declaration allows.
bool allows_live_edges(journal::Appender& appender, const Relation& relation) {
  static const std::string sql =
      EdgeTable::select() + " WHERE space = $1 AND relation = $2 AND deleted_at IS NULL";
  auto select = appender.transaction().prepare(sql);
  select.bind(appender.space(), relation.relation);
  while (select.step()) {
    if (allows(appender, relation, EdgeTable::read(select.row())) != Outcome::applied) return false;
  }
  return true;
}

std::optional<WriteResult<Relation>> refusal(journal::Appender& appender,
                                             const Relation& relation,
                                             const std::optional<Relation>& current) {
  const bool was_symmetric = current && current->symmetric;
  const auto met = [](std::string_view name, bool condition) {
    return storage::holds("relation.declare", name, condition);
  };
  if (met("frozen", relation.symmetric == was_symmetric || !has_edges(appender, relation)) &&
      met("kept", allows_live_edges(appender, relation))) {
    return std::nullopt;
  }
  WriteResult<Relation> refused;
  refused.outcome = Outcome::in_use;
  refused.current = current;
  return refused;
}

bool says_the_same(const Relation& a, const Relation& b) {
  return a.symmetric == b.symmetric && a.loops == b.loops && a.source_kinds == b.source_kinds &&
         a.target_kinds == b.target_kinds;
}

}  // namespace

void RelationStore::normalise(Relation& relation) {
  relation.relation = core::check_name("relation", relation.relation);
  if (relation.source_kinds) {
    relation.source_kinds = core::check_tags("source_kinds", *relation.source_kinds);
  }
  if (relation.target_kinds) {
    relation.target_kinds = core::check_tags("target_kinds", *relation.target_kinds);
  }
  if (relation.symmetric && relation.source_kinds != relation.target_kinds) {
    throw InvalidArgument("target_kinds",
                          relation.target_kinds ? core::tags_to_json(*relation.target_kinds) : "",
                          "be those of the source: a symmetric relation has no sides");
  }
}

WriteResult<Relation> RelationStore::declare(journal::Appender& appender, Relation relation) {
  normalise(relation);
  relation.id = id_of(appender.space(), relation.relation);
  relation.deleted_at.reset();
  const auto current =
      RelationTable::find(appender.transaction(), appender.space(), relation.id);
  if (!current) {
    if (auto refused = refusal(appender, relation, current)) return std::move(*refused);
    relation.created_at = appender.now();
    relation.revision = first_revision(relation.created_at);
    return RelationTable::insert_if_absent(appender, std::move(relation));
  }
  if (says_the_same(*current, relation)) {
    WriteResult<Relation> same;
    same.outcome = Outcome::unchanged;
    same.current = current;
    return same;
  }
  relation.created_at = current->created_at;
  relation.revision = next_revision(appender.now(), current->revision);
  return replace_if_unchanged(appender, std::move(relation),
                              {current->revision, current->deleted_at});
}

WriteResult<Relation> RelationStore::insert_if_absent(journal::Appender& appender,
                                                      Relation relation) {
  relation.id = id_of(appender.space(), relation.relation);
  if (auto refused = refusal(appender, relation, std::nullopt)) {
    return RelationTable::refuse_insert(appender, relation, std::move(*refused));
  }
  return RelationTable::insert_if_absent(appender, std::move(relation));
}

RelationId RelationStore::id_of(std::string_view space, std::string_view relation) {
  return {uuid_v5(journal::kRowNamespace,
                  "relation:" + std::string(space) + "\n" + std::string(relation))};
}

WriteResult<Relation> RelationStore::replace_if_unchanged(journal::Appender& appender,
                                                          Relation relation,
                                                          const Expected& expected) {
  const auto current =
      RelationTable::find(appender.transaction(), appender.space(), relation.id);
  if (auto refused = refusal(appender, relation, current)) {
    return RelationTable::refuse_replace(appender, relation, expected, std::move(*refused));
  }
  return RelationTable::replace_if_unchanged(appender, std::move(relation), expected, "replace");
}

std::optional<Relation> RelationStore::find(storage::Transaction& transaction,
                                            std::string_view space, std::string_view relation) {
  static const std::string sql = RelationTable::select() +
                                 " WHERE space = $1 AND relation = $2 AND deleted_at IS NULL";
  auto select = transaction.prepare(sql);
  select.bind(space, relation);
  if (!select.step()) return std::nullopt;
  return RelationTable::read(select.row());
}

Page<Relation> RelationStore::list(storage::Transaction& transaction, std::string_view space,
                                   const PageRequest& page) {
  const journal::Filtered declared{
      .query =
          [&](storage::Query query) {
            query.where("space = $", space).where("deleted_at IS NULL");
            return query;
          },
      .conditions = journal::RowConditions(RowFilter{})};
  return journal::list_page<Relation>(transaction, declared, page, "relation",
                                      [](const Relation& row) { return row.relation; });
}

journal::Source RelationStore::source() { return RelationTable::source(); }

std::string RelationStore::to_json(const Relation& relation) {
  return RelationTable::json(relation);
}
std::string RelationStore::body(const Relation& relation) { return RelationTable::body(relation); }
Relation RelationStore::from_event(storage::Transaction&, std::string_view, const Event& event) {
  return RelationTable::from_event(event);
}
Relation RelationStore::from_json(const JsonObject& document) {
  return RelationTable::from_json(document);
}

}  // namespace holdfast::graph
