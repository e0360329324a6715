#pragma once

// Thread safety: values and functions without state; any thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <holdfast/core/id.h>
#include <holdfast/graph/entity.h>
#include <holdfast/notes/note.h>
#include <holdfast/vectors/embedder.h>
#include <holdfast/vectors/similar.h>

namespace holdfast {

/// A vector of the model's; `generation` tells which one made it, and a search of another is
/// refused instead of answered with nonsense.
struct SimilarVector {
  Embedding vector;
  std::optional<std::uint64_t> generation{};
};
/// A row that has vectors; it is not among its own answers. Of several chunks, the nearest counts.
struct SimilarRow {
  std::string kind;
  Uuid id;
};

/// Which rows may be answered. Without any of this, all that have vectors but for expired notes.
struct SimilarFilter {
  /// When either of the two is there, only what matches it, or the other, is answered.
  std::optional<EntityFilter> entities{};
  std::optional<NoteFilter> notes{};
  /// When there are any: only these, up to 10,000.
  std::vector<Uuid> ids{};
};

struct SimilarRequest {
  /// A text, which the model's embedder makes a vector of, or one of the others.
  std::variant<std::string, SimilarVector, SimilarRow> query{};
  std::string model{};              ///< empty: the space's default
  std::size_t k = 10;               ///< 1 to kSimilarMax
  /// Candidates that a search of the graph keeps, up to kSimilarEfMax: more find more of what is
  /// nearest, and take longer. Absent: the index's parameters say, but at least 64; with less a few
  /// vectors may not be found even by themselves.
  std::optional<std::size_t> ef{};
  SimilarFilter filter{};
  Staleness staleness = Staleness::exclude;
  bool exact = false;               ///< compares every vector that may be answered, as it is stored
};

}  // namespace holdfast
