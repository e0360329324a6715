#pragma once

#include <stdexcept>
#include <vector>

#include <holdfast/vectors/similar.h>

#include "filter_cache.h"
#include "index_judge.h"
#include "live_index.h"

namespace holdfast::vectors {

struct FoundSources {
  SearchedIn searched = SearchedIn::rows;
  std::vector<Hit> hits{};
  std::uint64_t stale_excluded = 0;
};

/// What the index has differs from the rows that it was made of: it is not to be used.
class IndexDiffers : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Searches the index and what has changed since. `changed` is all that changed between the index's
/// cursor and the snapshot; `bits` says what matches of the index, null: everything.
/// Throws IndexDiffers.
FoundSources search_live(const SearchAt& at, const SearchFor& what, const LiveIndex& live,
                         const std::vector<SourceVectors>& changed, const MatchBits& bits);

/// Compares every vector of the database that may be answered.
FoundSources search_rows(const SearchAt& at, const SearchFor& what);

}  // namespace holdfast::vectors
