#pragma once

#include <span>
#include <string_view>

#include <holdfast/journal/appender.h>
#include <holdfast/journal/write_result.h>
#include <holdfast/space/write_options.h>

namespace holdfast {

/// Stores vectors that the writer of a row brings along, in the transaction that the row was
/// written in: of the generation named, or of the one that serves and, when it embeds alike, the
/// one that is being built. Throws InvalidArgument, so that the row is not written either.
void give_vectors(journal::Appender& appender, std::string_view kind,
                  const journal::StoredRow& row, std::span<const GivenVectors> given);

/// The same for the row as a write has left it; nothing for a write that was refused.
template <class RowStore>
void give_vectors(journal::Appender& appender, std::span<const GivenVectors> given,
                  WriteResult<typename RowStore::Row>& result) {
  // A retargeted edge that another has absorbed is gone, and its vectors with it.
  const bool is_there = result.applied() || result.outcome == Outcome::unchanged;
  if (given.empty() || !is_there) return;
  const auto& current = result.current;
  if (!current || current->deleted_at) {
    throw InvalidArgument("vectors", std::to_string(given.size()),
                          "not be given with a write that leaves no live row");
  }
  give_vectors(appender, RowStore::kKind,
               {.id = current->id.uuid, .seq = current->seq, .body = RowStore::body(*current)},
               given);
  result.gave_vectors = true;
}

/// For writes of what no model embeds.
inline void refuse_vectors(const WriteOptions& options, const char* rule) {
  if (options.vectors.empty()) return;
  throw InvalidArgument("vectors", std::to_string(options.vectors.size()), rule);
}

}  // namespace holdfast
