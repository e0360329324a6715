#include "query_vectors.h"

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/vectors/given_vectors.h>

namespace holdfast::vectors {
namespace {

/// With this the graph leads to every vector that is not listed as a stray.
constexpr std::size_t kEfFindsAll = kStrayEf;

Embedding vector_given(const Serving& serving, const QueryVector& given) {
  check_vector("vector", given.vector, serving.dimension());
  const std::uint64_t serves = serving.generation.number;
  if (given.generation && *given.generation != serves) {
    throw Conflict("generation " + std::to_string(*given.generation) + " of model " +
                   serving.generation.projection + " made the vector, but generation " +
                   std::to_string(serves) +
                   " serves: make it anew, for vectors of the two cannot be compared");
  }
  return given.vector;
}

std::vector<Embedding> vectors_of(const SearchAt& at, const QueryRow& row) {
  const Serving& serving = at.serving;
  const auto mark = at.registry.probe(at.transaction, serving.space, row.kind, row.id);
  if (!mark || !mark->is_live()) throw NotFound(row.kind, to_string(row.id));
  std::vector<Embedding> vectors;
  each_vector_of(at.transaction, serving.of(), row.kind, row.id,
                 [&](const StoredVector& stored) {
                   vectors.emplace_back(stored.vector.begin(), stored.vector.end());
                   return true;
                 });
  if (vectors.empty()) {
    throw NotFound("vector of model " + serving.generation.projection + " of " + row.kind,
                   to_string(row.id));
  }
  return vectors;
}

}  // namespace

const EmbeddingProjection& embedding_projection(const journal::Registry& registry) {
  return dynamic_cast<const EmbeddingProjection&>(registry.projection(kModelType));
}

void check_query(const IndexQuery& query) {
  if (query.k < 1 || query.k > kSimilarMax) {
    throw InvalidArgument("k", std::to_string(query.k), "be 1 to " + std::to_string(kSimilarMax));
  }
  if (query.ef && (*query.ef < 1 || *query.ef > kSimilarEfMax)) {
    throw InvalidArgument("ef", std::to_string(*query.ef),
                          "be 1 to " + std::to_string(kSimilarEfMax));
  }
}

SearchFor what_to_find(const SearchAt& at, const IndexQuery& query,
                       const std::optional<Embedding>& embedded, bool& is_query_stale) {
  SearchFor what{.queries = {},
                 .k = query.k,
                 .ef = query.ef.value_or(std::max(at.serving.ef_search, kEfFindsAll)),
                 .staleness = query.staleness};
  if (embedded) {
    what.queries.push_back(*embedded);
  } else if (const auto* const given = std::get_if<QueryVector>(&query.to)) {
    what.queries.push_back(vector_given(at.serving, *given));
  } else {
    const auto& row = std::get<QueryRow>(query.to);
    const auto kind = find_kind(at.serving.kinds, row.kind);
    if (!kind) {
      throw InvalidArgument("row", row.kind,
                            "be of a kind that model " + at.serving.generation.projection +
                                " draws from");
    }
    what.queries = vectors_of(at, row);
    what.excluded = SourceKey{*kind, row.id};
    is_query_stale = Standings(at).of(*what.excluded) == Standing::stale;
  }
  return what;
}

}  // namespace holdfast::vectors
