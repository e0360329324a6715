#include <holdfast/exchange/go.h>

#include <holdfast/core/error.h>

#include "go_source.h"
#include "row_import.h"

namespace holdfast::exchange {
namespace {

/// A symmetric edge's ends are stored in the order of their ids: which is the parent would be lost.
void refuse_symmetric(storage::Transaction& transaction, const Space& space,
                      const std::vector<Relation>& relations) {
  for (const Relation& relation : relations) {
    const auto stored = graph::RelationStore::find(transaction, space.name(), relation.relation);
    if (!stored || !stored->symmetric) continue;
    throw Conflict("space " + space.name() + " has declared relation '" + relation.relation +
                   "' symmetric, and of parents it is not; import into a space of its own");
  }
}

void require_room(const Space& space, const RowImport& import, const GoRows& rows) {
  const auto snapshot = space.access().database.snapshot(storage::ReaderAge::unbounded);
  storage::Transaction& transaction = snapshot->transaction();
  refuse_symmetric(transaction, space, rows.relations);
  if (!import.rules.refuses_kept) return;
  import.refuse_conflicts<Relation>(transaction, rows.relations);
  import.refuse_conflicts<Entity>(transaction, rows.entities);
  import.refuse_conflicts<Edge>(transaction, rows.edges);
}

}  // namespace

GoReport import_go(const Space& space, const std::filesystem::path& file, const GoOptions& options,
                   const ImportControl& control) {
  GoReport report;
  GoRows rows = read_go(file, report);
  for (Relation& relation : rows.relations) {
    relation.id = graph::RelationStore::id_of(space.name(), relation.relation);
  }
  RowImport import(space, control, report);
  import.rules.refuses_kept = options.on_conflict == OnConflict::fail;
  require_room(space, import, rows);
  for (const KeptRow& row : rows.repeats) {
    ++report.kept_total;
    if (report.kept.size() < kKeptRowsMax) report.kept.push_back(row);
  }
  import.progress.total = rows.relations.size() + rows.entities.size() + rows.edges.size();
  (void)(import.write_all<Relation>(rows.relations) && import.write_all<Entity>(rows.entities) &&
         import.write_all<Edge>(rows.edges));
  return report;
}

}  // namespace holdfast::exchange
