#include <holdfast/exchange/wordnet.h>

#include <algorithm>

#include <holdfast/core/error.h>

#include "wordnet_source.h"

namespace holdfast::exchange {
namespace {

constexpr std::size_t kRowsAtOnce = 1000;

void count(ImportCount& counts, Outcome outcome) {
  if (outcome == Outcome::applied) {
    ++counts.created;
  } else if (outcome == Outcome::exists) {
    ++counts.existing;
  } else {
    ++counts.skipped;
  }
}

/// One run of the import; knows how far it is.
class Import {
 public:
  Import(const Space& space, const ImportControl& control, std::uint64_t total)
      : space_(space), control_(control) {
    progress_.total = total;
  }

  void declare(const std::vector<Relation>& relations) {
    for (const Relation& relation : relations) {
      if (space_.declare_relation(relation).outcome != Outcome::in_use) continue;
      throw Conflict("space " + space_.name() + " has edges of relation '" + relation.relation +
                     "' that are not stored as a " +
                     (relation.symmetric ? "symmetric" : "one-way") +
                     " relation; import into a space of its own");
    }
  }

  /// False when the import was stopped.
  template <class Row, class Insert>
  bool insert(const std::vector<Row>& rows, ImportCount& counts, Insert insert_one) {
    for (std::size_t first = 0; first < rows.size(); first += kRowsAtOnce) {
      const std::size_t end = std::min(first + kRowsAtOnce, rows.size());
      ImportCount batch;
      space_.write([&](journal::Appender& appender) {
        batch = {};
        for (std::size_t i = first; i < end; ++i) {
          Row row = rows[i];
          row.created_at = appender.at();
          row.revision = first_revision(row.created_at);
          count(batch, insert_one(appender, std::move(row)).outcome);
        }
      });
      counts.created += batch.created;
      counts.existing += batch.existing;
      counts.skipped += batch.skipped;
      progress_.done += end - first;
      if (control_ && !control_(progress_)) return false;
    }
    return true;
  }

 private:
  const Space& space_;
  const ImportControl& control_;
  ImportProgress progress_;
};

}  // namespace

WordNetReport import_wordnet(const Space& space, const std::filesystem::path& directory,
                             const ImportControl& control) {
  WordNetRows rows = read_wordnet(directory);
  WordNetReport report;
  report.pointers = rows.pointers;
  report.distinct_triples = rows.distinct_triples;
  report.self_loops = rows.self_loops;

  for (Entity& entity : rows.entities) graph::EntityStore::normalise(entity);
  for (Note& note : rows.notes) notes::NoteStore::normalise(note);
  for (Edge& edge : rows.edges) graph::EdgeStore::normalise(edge);

  Import import(space, control, rows.entities.size() + rows.notes.size() + rows.edges.size());
  import.declare(rows.relations);
  report.complete =
      import.insert(rows.entities, report.entities,
                    [](journal::Appender& appender, Entity row) {
                      return graph::EntityStore::insert_if_absent(appender, std::move(row));
                    }) &&
      import.insert(rows.notes, report.notes,
                    [&](journal::Appender& appender, Note row) {
                      return space.note_store().insert_if_absent(appender, std::move(row));
                    }) &&
      import.insert(rows.edges, report.edges, [](journal::Appender& appender, Edge row) {
        return graph::EdgeStore::insert_if_absent(appender, std::move(row));
      });
  return report;
}

}  // namespace holdfast::exchange
