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
  each_changed_vector(transaction, serving.of(), after, [&](const ChangedVector& one) {
    if (changed.empty() || changed.back().change != one.of.change) {
      if (changed.size() == limit) return false;
      const auto kind = find_kind(serving.kinds, one.of.kind);
      if (!kind) throw Corrupt("vectors of a kind that the model does not draw from");
      changed.push_back({.source = {*kind, one.of.id}, .change = one.of.change});
    }
    if (one.vector == nullptr) return true;
    SourceVectors& source = changed.back();
    source.members.push_back(
        {source.source.kind, one.of.id, one.vector->chunk, one.vector->number});
    source.vectors.insert(source.vectors.end(), one.vector->vector.begin(),
                          one.vector->vector.end());
    return true;
  });
  return changed;
}

}  // namespace holdfast::vectors
