#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <holdfast/journal/registry.h>
#include <holdfast/vectors/similar.h>
#include <holdfast/vectors/vector_index.h>

#include "serving.h"
#include "top_sources.h"

namespace holdfast::vectors {

/// The instant that a search is as of, and what it asks there.
struct SearchAt {
  storage::Transaction& transaction;
  const journal::Registry& registry;
  const Serving& serving;
  const ServingState& state;
  const Matcher& matcher;
};

/// What a search needs to know besides where it looks.
struct SearchFor {
  std::vector<Embedding> queries;  ///< the nearest counts
  std::size_t k = 10;
  std::size_t ef = 100;
  Staleness staleness = Staleness::exclude;
  std::optional<SourceKey> excluded{};
  bool is_exact = false;  ///< by looking at all
};

/// How a source stands in a snapshot.
enum class Standing {
  gone,     ///< deleted; its vectors are still there
  stale,    ///< its text has changed since its vectors were made
  current,
};

/// Asks the database about a source only where the journal says that something may have changed.
/// Thread safety: none; of one search.
class Standings {
 public:
  explicit Standings(const SearchAt& at);
  Standing of(const SourceKey& source);

 private:
  bool is_suspect(const SourceKey& source) const;
  Standing look_up(const SourceKey& source) const;
  Standing verify(const SourceKey& source) const;

  const SearchAt& at_;
  bool is_all_known_ = false;       ///< what changed since the watermark is, and tells everything
  bool is_verified_known_ = false;  ///< what changed since others were verified is
  std::unordered_map<SourceKey, Standing, SourceHash> looked_up_;
};

/// The answer of a search as it comes about.
/// Thread safety: none; of one search.
class Answering {
 public:
  Answering(const SearchAt& at, const SearchFor& what);

  /// Whether it could take a vector at that distance. Asks nothing of the database where nothing
  /// has changed lately.
  bool may_take(float distance, const Member& member);
  enum class Filter { decided, open };
  /// The distance is exact.
  void offer(float distance, const Member& member, Filter filter);

  const TopSources& top() const { return top_; }
  std::uint64_t stale_excluded() const;

 private:
  const SearchAt& at_;
  const SearchFor& what_;
  Standings standings_;
  TopSources top_;
  std::vector<std::pair<SourceKey, float>> left_out_;  ///< stale ones
};

}  // namespace holdfast::vectors
