#pragma once

// Thread safety: any thread; each call is on its own.

#include <cstdint>
#include <filesystem>
#include <string_view>

#include <holdfast/exchange/import.h>
#include <holdfast/space/space.h>

namespace holdfast::exchange {

/// The actor of imports, as the caller names it for the handle.
inline constexpr std::string_view kGoActor = "import:go";

struct GoOptions {
  OnConflict on_conflict = OnConflict::keep;
};

/// The counts below are of rows in the source, those that repeat another included.
struct GoReport : ImportReport {
  std::uint64_t terms = 0;
  std::uint64_t obsolete_terms = 0;
  std::uint64_t synonyms = 0;           ///< secondary ids included
  std::uint64_t repeated_synonyms = 0;  ///< a term's synonym that it had before; also in `kept`
  std::uint64_t parents = 0;
  std::uint64_t repeated_parents = 0;   ///< a link that was there before; also in `kept`
};

/// Imports the Gene Ontology from the SQLite file of Bioconductor's GO.db (schema GO_DB): terms and
/// obsolete terms become entities, parents edges from the child to the parent, whose relation is
/// spelt as the file spells it ("isa", "part of", ...). docs/export-format.md has the details.
/// The whole file is read and checked first, so a damaged one changes nothing. Ids are made from
/// the source (UUIDv5): a second run finds every row there, and brings rows that nobody else has
/// written to what the source says; what is no longer in the source stays.
/// Each transaction holds up to 1,000 rows; stopped or killed, the same call goes on where it was.
///
/// Throws what storage::ForeignFile throws for the file; InvalidArgument (naming table, row and
/// column) for what is in it; Conflict when the space has declared one of the relations symmetric,
/// and with OnConflict::fail; and what writes throw. Memory: some 200 MB for GO of 2022.
GoReport import_go(const Space& space, const std::filesystem::path& file,
                   const GoOptions& options = {}, const ImportControl& control = {});

}  // namespace holdfast::exchange
