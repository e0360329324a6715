#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <holdfast/core/id.h>
#include <holdfast/core/revision.h>
#include <holdfast/storage/transaction.h>

/// What a search reads of the catalogue and the journal, in as few statements as can be.
namespace holdfast::vectors {

/// How a model stands at one instant.
struct ServingState {
  Sequence tail = 0;                 ///< of the space's journal
  std::uint64_t generation = 0;      ///< that serves; 0: none
  Sequence watermark = 0;            ///< of it: sources that changed later may be stale
  std::int64_t created_at_us = 0;    ///< of it: tells it from one of that number in a space that
                                     ///< was deleted and made again
  bool has_failures = false;         ///< there are sources that nothing could be derived from
  std::string options{};             ///< of the model
};
/// Throws NotFound when there is no such space or model.
ServingState read_serving(storage::Transaction& transaction, std::string_view space,
                          std::string_view model);

/// Rows that changed in (from, to] of the journal, in order; one that changed twice comes twice. A
/// visit that answers false is the last.
using RecentVisit = std::function<bool(Sequence seq, std::string_view kind, const Uuid& id)>;
void each_recent(storage::Transaction& transaction, std::string_view space, Sequence from,
                 Sequence to, const RecentVisit& visit);

}  // namespace holdfast::vectors
