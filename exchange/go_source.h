#pragma once

#include <filesystem>
#include <vector>

#include <holdfast/exchange/go.h>
#include <holdfast/graph/edge.h>
#include <holdfast/graph/entity.h>
#include <holdfast/graph/relation.h>

namespace holdfast::exchange {

/// A whole GO file as the rows it becomes, in stored form, in a fixed order with fixed ids.
struct GoRows {
  std::vector<Relation> relations;  ///< every one that the source names, by name
  std::vector<Entity> entities;     ///< terms, then obsolete ones
  std::vector<Edge> edges;
  std::vector<KeptRow> repeats;     ///< rows of the source that say nothing new
};

/// Reads and checks everything, and counts in `report`; throws what import_go() throws for the
/// file.
GoRows read_go(const std::filesystem::path& file, GoReport& report);

}  // namespace holdfast::exchange
