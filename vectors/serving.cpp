#include "serving.h"

#include <algorithm>

#include <holdfast/core/error.h>

namespace holdfast::vectors {

std::optional<std::uint8_t> find_kind(const std::vector<std::string>& kinds,
                                      std::string_view kind) {
  const auto found = std::find(kinds.begin(), kinds.end(), kind);
  if (found == kinds.end()) return std::nullopt;
  return static_cast<std::uint8_t>(found - kinds.begin());
}

std::vector<SourceVectors> read_changes(storage::Transaction& transaction, const Serving& serving,
                                        std::uint64_t after, std::size_t limit) {
  std::vector<SourceVectors> changed;
  if (limit == 0) return changed;
  each_change(transaction, serving.of(), after, [&](const VectorChange& change) {
    const auto kind = find_kind(serving.kinds, change.kind);
    if (!kind) throw Corrupt("vectors of a kind that the model does not draw from");
    changed.push_back({.source = {*kind, change.id}, .change = change.change});
    return changed.size() < limit;
  });
  for (SourceVectors& one : changed) {
    each_vector_of(transaction, serving.of(), serving.kinds[one.source.kind], one.source.id,
                   [&](const StoredVector& stored) {
                     one.members.push_back(
                         {one.source.kind, stored.id, stored.chunk, stored.number});
                     one.vectors.insert(one.vectors.end(), stored.vector.begin(),
                                        stored.vector.end());
                     return true;
                   });
  }
  return changed;
}

}  // namespace holdfast::vectors
