#include <holdfast/exchange/wordnet.h>

#include <holdfast/core/error.h>

#include "row_import.h"
#include "wordnet_source.h"

namespace holdfast::exchange {
namespace {

void declare(const Space& space, const std::vector<Relation>& relations, ImportCount& counts) {
  for (const Relation& relation : relations) {
    const auto result = space.declare_relation(relation);
    if (result.outcome == Outcome::in_use) {
      throw Conflict("space " + space.name() + " has edges of relation '" + relation.relation +
                     "' that are not stored as a " +
                     (relation.symmetric ? "symmetric" : "one-way") +
                     " relation; import into a space of its own");
    }
    ++(result.applied() ? counts.created : counts.existing);
  }
}

void require_untouched(const Space& space, const RowImport& import, const WordNetRows& rows) {
  const auto snapshot = space.access().database.snapshot(storage::ReaderAge::unbounded);
  import.refuse_conflicts<Entity>(snapshot->transaction(), rows.entities);
  import.refuse_conflicts<Note>(snapshot->transaction(), rows.notes);
  import.refuse_conflicts<Edge>(snapshot->transaction(), rows.edges);
}

}  // namespace

WordNetReport import_wordnet(const Space& space, const std::filesystem::path& directory,
                             const WordNetOptions& options, const ImportControl& control) {
  WordNetRows rows = read_wordnet(directory);
  WordNetReport report;
  report.pointers = rows.pointers;
  report.distinct_triples = rows.distinct_triples;
  report.self_loops = rows.self_loops;

  for (Entity& entity : rows.entities) graph::EntityStore::normalise(entity);
  for (Note& note : rows.notes) notes::NoteStore::normalise(note);
  for (Edge& edge : rows.edges) graph::EdgeStore::normalise(edge);

  RowImport import(space, control, report);
  import.rules.refuses_kept = options.on_conflict == OnConflict::fail;
  import.progress.total = rows.entities.size() + rows.notes.size() + rows.edges.size();
  if (import.rules.refuses_kept) require_untouched(space, import, rows);
  declare(space, rows.relations, report.relations);
  (void)(import.write_all<Entity>(rows.entities) && import.write_all<Note>(rows.notes) &&
         import.write_all<Edge>(rows.edges));
  return report;
}

WordNetReport import_wordnet(const Space& space, const std::filesystem::path& directory,
                             const ImportControl& control) {
  return import_wordnet(space, directory, WordNetOptions{}, control);
}

}  // namespace holdfast::exchange
