#pragma once

// Thread safety: any thread; each call is on its own.

#include <cstdint>
#include <filesystem>
#include <string_view>

#include <holdfast/exchange/import.h>
#include <holdfast/space/space.h>

namespace holdfast::exchange {

/// The actor of imports, as the caller names it for the handle.
inline constexpr std::string_view kWordNetActor = "import:wordnet";

struct WordNetOptions {
  OnConflict on_conflict = OnConflict::keep;
};

struct WordNetReport : ImportReport {
  std::uint64_t pointers = 0;          ///< in the source
  std::uint64_t distinct_triples = 0;  ///< among them
  std::uint64_t self_loops = 0;        ///< among the edges
};

/// Imports WordNet 3.0's database files: synsets become entities, their glosses notes about them,
/// pointers edges, with both directions of a symmetric relation folded into one and word-level
/// pairs kept in `properties.words`. The whole source is read and checked first, so a damaged file
/// changes nothing. Ids are made from the source (UUIDv5): a second run finds every row there, and
/// brings rows that nobody else has written to what the source says.
/// Each transaction holds up to 1,000 rows; stopped or killed, the same call goes on where it was.
///
/// Throws NotFound and InvalidArgument (naming file and line) for the source, Conflict when the
/// space has edges that contradict a relation's declaration and with OnConflict::fail, and what
/// writes throw.
WordNetReport import_wordnet(const Space& space, const std::filesystem::path& directory,
                             const WordNetOptions& options, const ImportControl& control = {});
/// The same with the usual options.
WordNetReport import_wordnet(const Space& space, const std::filesystem::path& directory,
                             const ImportControl& control = {});

}  // namespace holdfast::exchange
