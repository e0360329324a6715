#include <holdfast/graph/relation_store.h>

#include <holdfast/core/input.h>
#include <holdfast/journal/row_namespace.h>
#include <holdfast/journal/row_table.h>
#include <holdfast/storage/guard.h>

namespace holdfast::journal {

template <>
struct RowTraits<Relation> {
  inline static const TableSpec spec{.kind = "relation",
                                     .table = "relations",
                                     .columns = {"relation", "symmetric", "loops"},
                                     .fixed = {"relation"},
                                     .indexed = {}};
  static void bind(storage::Statement& to, int first, const Relation& row) {
    to.bind_at(first, row.relation)
        .bind_at(first + 1, row.symmetric)
        .bind_at(first + 2, row.loops);
  }
  static Relation read(const storage::Row& from, int first) {
    Relation row;
    row.relation = from.get<std::string>(first);
    row.symmetric = from.get<bool>(first + 1);
    row.loops = from.get<bool>(first + 2);
    return row;
  }
  static void write_body(core::JsonWriter& out, const Relation& row) {
    out.string("relation", row.relation)
        .boolean("symmetric", row.symmetric)
        .boolean("loops", row.loops);
  }
};

}  // namespace holdfast::journal

namespace holdfast::graph {
namespace {

using RelationTable = journal::RowTable<Relation>;

/// Edges stored one way cannot be read the other way after the fact.
bool has_edges(journal::Appender& appender, const Relation& relation) {
  auto select = appender.transaction().prepare(
      "SELECT 1 FROM edges WHERE space = $1 AND relation = $2 LIMIT 1");
  select.bind(appender.space(), relation.relation);
  return select.step();
}

std::optional<WriteResult<Relation>> refusal(journal::Appender& appender,
                                             const Relation& relation,
                                             const std::optional<Relation>& current) {
  const bool was_symmetric = current && current->symmetric;
  if (storage::holds("relation.declare", "frozen",
                     relation.symmetric == was_symmetric || !has_edges(appender, relation))) {
    return std::nullopt;
  }
  WriteResult<Relation> refused;
  refused.outcome = Outcome::in_use;
  refused.current = current;
  return refused;
}

}  // namespace

WriteResult<Relation> RelationStore::declare(journal::Appender& appender, Relation relation) {
  relation.relation = core::check_name("relation", relation.relation);
  relation.id = {uuid_v5(journal::kRowNamespace,
                         "relation:" + appender.space() + "\n" + relation.relation)};
  relation.deleted_at.reset();
  const auto current =
      RelationTable::find(appender.transaction(), appender.space(), relation.id);
  if (!current) {
    if (auto refused = refusal(appender, relation, current)) return std::move(*refused);
    relation.created_at = appender.now();
    relation.revision = first_revision(relation.created_at);
    return RelationTable::insert_if_absent(appender, std::move(relation));
  }
  if (current->symmetric == relation.symmetric && current->loops == relation.loops) {
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

WriteResult<Relation> RelationStore::replace_if_unchanged(journal::Appender& appender,
                                                          Relation relation,
                                                          const Expected& expected) {
  const auto current =
      RelationTable::find(appender.transaction(), appender.space(), relation.id);
  if (auto refused = refusal(appender, relation, current)) return std::move(*refused);
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

std::vector<Relation> RelationStore::list(storage::Transaction& transaction,
                                          std::string_view space) {
  static const std::string sql = RelationTable::select() +
                                 " WHERE space = $1 AND deleted_at IS NULL ORDER BY relation";
  auto select = transaction.prepare(sql);
  select.bind(space);
  std::vector<Relation> relations;
  while (select.step()) relations.push_back(RelationTable::read(select.row()));
  return relations;
}

journal::Source RelationStore::source() { return RelationTable::source(); }

}  // namespace holdfast::graph
