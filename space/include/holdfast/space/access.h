#pragma once

// Thread safety: what it refers to is safe from any thread.

#include <string>

#include <holdfast/core/environment.h>
#include <holdfast/graph/adjacency.h>
#include <holdfast/journal/registry.h>
#include <holdfast/space/meter.h>
#include <holdfast/storage/database.h>

namespace holdfast {

namespace vectors {
class EmbeddingProjection;
class VectorIndexes;
}  // namespace vectors

/// What a handle on a space needs: the database below, the space's name and who is acting.
struct Access {
  storage::Database& database;
  core::Environment& environment;
  const journal::Registry& registry;  ///< the kinds of rows there are
  Meter& meter;
  graph::Adjacencies& adjacencies;
  const vectors::EmbeddingProjection& embedding;
  vectors::VectorIndexes& indexes;
  std::string space;
  std::string actor;
};

}  // namespace holdfast
