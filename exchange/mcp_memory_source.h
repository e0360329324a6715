#pragma once

#include <filesystem>
#include <vector>

#include <holdfast/exchange/mcp_memory.h>
#include <holdfast/graph/edge.h>
#include <holdfast/graph/entity.h>
#include <holdfast/graph/relation.h>
#include <holdfast/notes/note.h>

namespace holdfast::exchange {

/// A whole memory file as the rows it becomes, in stored form, with fixed ids.
struct McpMemoryRows {
  std::vector<Relation> relations;  ///< every one that the source names, by name
  std::vector<Entity> entities;     ///< in the order of their first records
  std::vector<Note> notes;
  std::vector<Edge> edges;
  std::vector<KeptRow> strays;      ///< relations of unknown entities, kept as notes
};

/// Reads and checks everything, and counts in `report`; throws what import_mcp_memory() throws for
/// the file.
McpMemoryRows read_mcp_memory(const std::filesystem::path& file, McpMemoryReport& report);

}  // namespace holdfast::exchange
