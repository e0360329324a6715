#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <holdfast/graph/edge.h>
#include <holdfast/graph/relation.h>
#include <holdfast/notes/note.h>

namespace holdfast::exchange {

/// A whole WordNet as the rows it becomes, in a fixed order with fixed ids.
struct WordNetRows {
  std::vector<Relation> relations;
  std::vector<Entity> entities;
  std::vector<Note> notes;  ///< the gloss of the entity at the same index
  std::vector<Edge> edges;  ///< symmetric ones once, ends in the order of their ids
  std::uint64_t pointers = 0;
  std::uint64_t distinct_triples = 0;
  std::uint64_t self_loops = 0;
};

/// Reads and checks everything; throws what WordNetReader and count_wordnet() throw.
/// Memory: about 400 MB for WordNet 3.0.
WordNetRows read_wordnet(const std::filesystem::path& directory);

}  // namespace holdfast::exchange
