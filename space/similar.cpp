#include <holdfast/space/similar.h>

#include <holdfast/core/error.h>
#include <holdfast/journal/projection_catalog.h>
#include <holdfast/space/space.h>
#include <holdfast/vectors/vector_index.h>

#include "reading.h"
#include "similar_filter.h"

namespace holdfast {
namespace {

vectors::VectorIndex& index_of(const Access& access, std::string_view model) {
  if (!model.empty()) return access.indexes.of(access.space, std::string(model));
  const Reading reading(access);
  const auto by_default =
      journal::find_default(reading.transaction(), access.space, vectors::kModelType);
  if (!by_default) {
    throw NotFound("model", "default of space " + access.space);
  }
  return access.indexes.of(access.space, by_default->name);
}

struct ToQuery {
  vectors::IndexQuery operator()(const std::string& text) const {
    return {.to = vectors::QueryText(text)};
  }
  vectors::IndexQuery operator()(const SimilarVector& given) const {
    return {.to = vectors::QueryVector{given.vector, given.generation}};
  }
  vectors::IndexQuery operator()(const SimilarRow& row) const {
    return {.to = vectors::QueryRow{row.kind, row.id}};
  }
};

}  // namespace

SimilarAnswer Space::similar(const SimilarRequest& request) const {
  const SimilarMatcher matcher(access_, request.filter);
  vectors::IndexQuery query = std::visit(ToQuery{}, request.query);
  query.k = request.k;
  query.ef = request.ef;
  query.staleness = request.staleness;
  query.is_exact = request.exact;
  return index_of(access_, request.model).search(query, matcher);
}

IndexStatus Space::index_status(std::string_view model) const {
  return index_of(access_, model).status();
}

void Space::load_index(std::string_view model) const { index_of(access_, model).load(); }

IndexVerification Space::verify_index(std::string_view model,
                                      const std::function<bool()>& go_on) const {
  return index_of(access_, model).verify(go_on);
}

IndexCompaction Space::compact_index(std::string_view model) const {
  const auto bytes = [this] {
    return static_cast<std::uint64_t>(access_.database.info().database_bytes);
  };
  const std::uint64_t before = bytes();
  IndexCompaction done = index_of(access_, model).compact();
  done.database_bytes_before = before;
  access_.database.shrink({});
  done.database_bytes = bytes();
  return done;
}

void Space::rebuild_index(std::string_view model, const IndexParameters& parameters) const {
  models().configure(model, parameters);
  index_of(access_, model).load();
}

void Space::unload_index(std::string_view model) const { index_of(access_, model).unload(); }

}  // namespace holdfast
