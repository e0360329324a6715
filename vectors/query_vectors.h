#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <optional>

#include <holdfast/vectors/embedding_projection.h>
#include <holdfast/vectors/vector_index.h>

#include "index_judge.h"

namespace holdfast::vectors {

const EmbeddingProjection& embedding_projection(const journal::Registry& registry);

/// Throws InvalidArgument for numbers out of bounds.
void check_query(const IndexQuery& query);

/// The query's vectors and bounds; `embedded` is that of a text. Throws NotFound for a row that is
/// not there or has no vectors, Conflict for a vector that another generation made, InvalidArgument
/// for one that does not fit the model.
SearchFor what_to_find(const SearchAt& at, const IndexQuery& query,
                       const std::optional<Embedding>& embedded, bool& is_query_stale);

}  // namespace holdfast::vectors
