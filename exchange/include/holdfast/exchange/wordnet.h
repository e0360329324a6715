#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include <holdfast/space/space.h>

namespace holdfast::exchange {

struct ImportProgress {
  std::uint64_t done = 0;   ///< rows looked at
  std::uint64_t total = 0;  ///< rows in the source
};
/// Called after each transaction. Answering false stops the import there; running it again goes on.
using ImportControl = std::function<bool(const ImportProgress&)>;

/// Rows of one kind, by what became of them.
struct ImportCount {
  std::uint64_t created = 0;
  std::uint64_t existing = 0;  ///< there already, live or deleted; left as they are
  std::uint64_t skipped = 0;   ///< not possible here: an end was deleted, the triple is another's
  std::uint64_t total() const { return created + existing + skipped; }
};

struct WordNetReport {
  ImportCount entities;
  ImportCount notes;
  ImportCount edges;
  std::uint64_t pointers = 0;          ///< in the source
  std::uint64_t distinct_triples = 0;  ///< among them
  std::uint64_t self_loops = 0;        ///< among the edges
  bool complete = true;                ///< false when it was stopped
  bool changed_nothing() const {
    return entities.created + notes.created + edges.created == 0;
  }
};

/// Imports WordNet 3.0's database files: synsets become entities, their glosses notes about them,
/// pointers edges, with both directions of a symmetric relation folded into one and word-level
/// pairs kept in `properties.words`. The whole source is read and checked first, so a damaged file
/// changes nothing. Ids are made from the source (UUIDv5): a second run finds every row there.
/// Each transaction holds up to 1,000 rows.
///
/// Throws NotFound and InvalidArgument (naming file and line) for the source, Conflict when the
/// space has edges that contradict a relation's declaration, and what writes throw.
WordNetReport import_wordnet(const Space& space, const std::filesystem::path& directory,
                             const ImportControl& control = {});

}  // namespace holdfast::exchange
