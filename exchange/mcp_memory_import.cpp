#include <holdfast/exchange/mcp_memory.h>

#include "mcp_memory_source.h"
#include "row_import.h"

namespace holdfast::exchange {
namespace {

/// The memory server knows no declarations: one is made only where an edge needs it.
void drop_needless_declarations(const Space& space, std::vector<Relation>& relations) {
  if (space.settings().relations == RelationPolicy::declared) return;
  std::erase_if(relations, [](const Relation& relation) { return !relation.loops; });
}

/// A relation that is declared with more than the import would say stays as it is.
void drop_declared(storage::Transaction& transaction, const Space& space,
                   std::vector<Relation>& relations) {
  std::erase_if(relations, [&](const Relation& relation) {
    const auto stored =
        graph::RelationStore::find(transaction, space.name(), relation.relation);
    return stored && (stored->loops || !relation.loops);
  });
}

}  // namespace

McpMemoryReport import_mcp_memory(const Space& space, const std::filesystem::path& file,
                                  const McpMemoryOptions& options,
                                  const ImportControl& control) {
  McpMemoryReport report;
  McpMemoryRows rows = read_mcp_memory(file, report);
  RowImport import(space, control, report);
  import.rules.refuses_kept = options.on_conflict == OnConflict::fail;
  drop_needless_declarations(space, rows.relations);
  {
    const auto snapshot = space.access().database.snapshot(storage::ReaderAge::unbounded);
    storage::Transaction& transaction = snapshot->transaction();
    drop_declared(transaction, space, rows.relations);
    if (import.rules.refuses_kept) {
      import.refuse_conflicts<Relation>(transaction, rows.relations);
      import.refuse_conflicts<Entity>(transaction, rows.entities);
      import.refuse_conflicts<Note>(transaction, rows.notes);
      import.refuse_conflicts<Edge>(transaction, rows.edges);
    }
  }
  for (const KeptRow& stray : rows.strays) {
    ++report.kept_total;
    if (report.kept.size() < kKeptRowsMax) report.kept.push_back(stray);
  }
  import.progress.total =
      rows.relations.size() + rows.entities.size() + rows.notes.size() + rows.edges.size();
  (void)(import.write_all<Relation>(rows.relations) && import.write_all<Entity>(rows.entities) &&
         import.write_all<Note>(rows.notes) && import.write_all<Edge>(rows.edges));
  return report;
}

}  // namespace holdfast::exchange
