#pragma once

// Thread safety: any thread; each call is on its own.

#include <cstdint>
#include <filesystem>
#include <string_view>

#include <holdfast/exchange/import.h>
#include <holdfast/space/space.h>

namespace holdfast::exchange {

/// The actor of imports, as the caller names it for the handle.
inline constexpr std::string_view kMcpMemoryActor = "import:mcp-memory";

struct McpMemoryOptions {
  OnConflict on_conflict = OnConflict::keep;
};

struct McpMemoryReport : ImportReport {
  std::uint64_t records = 0;            ///< objects in the source
  std::uint64_t merged_entities = 0;    ///< entity records of a name that came before
  std::uint64_t repeated_observations = 0;
  std::uint64_t repeated_relations = 0;
  std::uint64_t unknown_records = 0;    ///< of another type, or relations of unknown entities
  std::uint64_t joined_lines = 0;       ///< lines that held more than one object
};

/// Imports the JSON Lines file of the reference memory server. Entities keep name and entityType as
/// name and kind, observations become notes of kind "observation" about them, relations edges.
///
/// Lenient: blank lines, CRLF, a byte-order mark, a missing last newline, several objects on one
/// line, `observations` that are missing or null. Nothing is lost: members of an entity that are
/// not known go into its properties under "mcp"; records of an unknown type, and relations that
/// name an unknown entity, become notes of kind "mcp:record" with the record's text. Records of one
/// name are one entity with the observations of all; the first says the kind.
///
/// Ids are made from the source (docs/export-format.md), so a second run finds every row, and
/// brings rows that nobody else has written to what the source says now; what is no longer in the
/// source stays. The whole source is read first, so a damaged file changes nothing. Transactions
/// hold up to 1,000 rows; stopped or killed, the same call goes on where it was.
///
/// Throws NotFound and Unavailable for the file; InvalidArgument for what is in it, with a field()
/// of "FILE:LINE:COLUMN: FIELD"; Conflict with OnConflict::fail; and what writes throw. Memory:
/// the whole source.
McpMemoryReport import_mcp_memory(const Space& space, const std::filesystem::path& file,
                                  const McpMemoryOptions& options = {},
                                  const ImportControl& control = {});

}  // namespace holdfast::exchange
