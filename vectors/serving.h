#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/journal/projection_catalog.h>
#include <holdfast/vectors/model.h>

#include "index_rows.h"
#include "live_index.h"
#include "recent_sources.h"
#include "vector_rows.h"

namespace holdfast::vectors {

/// A generation whose vectors are searched, as searches need it.
/// Thread safety: any thread.
struct Serving {
  std::string space;
  journal::Generation generation;
  std::int64_t created_at_us = 0;
  std::shared_ptr<const Model> model;  ///< that its vectors are made by
  std::vector<std::string> kinds;      ///< of its sources, in byte order; Member::kind counts in it
  std::size_t ef_search = 0;           ///< of searches that do not say
  /// What has changed behind the watermark is all that may be stale. Not so where vectors come
  /// with the writes: nobody makes those that are missing.
  bool is_told_by_watermark = true;
  mutable RecentSources recent{};
  mutable VerifiedSources verified{};

  std::size_t dimension() const { return static_cast<std::size_t>(model->dimension); }
  VectorsOf of() const {
    return {.space = space,
            .model = generation.projection,
            .generation = generation.number,
            .dimension = dimension()};
  }
  bool is_of(const ServingState& state) const {
    return state.generation == generation.number && state.created_at_us == created_at_us;
  }
};

/// Its place in the list; absent for a kind that is not there.
std::optional<std::uint8_t> find_kind(const std::vector<std::string>& kinds, std::string_view kind);

/// The vectors of sources that changed behind `after`, up to `limit` sources, in the order of their
/// changes.
std::vector<SourceVectors> read_changes(storage::Transaction& transaction, const Serving& serving,
                                        std::uint64_t after, std::size_t limit);

}  // namespace holdfast::vectors
