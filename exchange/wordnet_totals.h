#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

namespace holdfast::exchange {

/// What a WordNet holds. A triple is source synset, relation, target synset.
struct WordNetTotals {
  std::size_t synsets = 0;
  std::size_t pointers = 0;
  std::size_t kinds = 0;             ///< distinct pointer symbols; `\` is one, of two relations
  std::size_t distinct_triples = 0;  ///< word numbers left out
  std::size_t folded_triples = 0;    ///< and both directions of a symmetric relation taken as one
  std::map<std::string, std::size_t> pointers_by_relation;
  std::map<std::string, std::size_t> self_loops;  ///< distinct triples, by relation
};

/// Reads all four files. Throws what WordNetReader throws, and InvalidArgument for a pointer whose
/// target synset, or target word, does not exist. Memory: under 25 MB for WordNet 3.0.
WordNetTotals count_wordnet(const std::filesystem::path& directory);

}  // namespace holdfast::exchange
