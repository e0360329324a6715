#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/journal/projection_catalog.h>
#include <holdfast/storage/lease.h>

namespace holdfast::journal {

/// Every source of a generation, deleted ones included, is one of these.
struct SourceCounts {
  std::uint64_t current = 0;  ///< what is derived is of the source as it now is
  std::uint64_t stale = 0;    ///< it is of an earlier state
  std::uint64_t missing = 0;  ///< nothing was derived from it yet
};

/// Reads all sources.
SourceCounts count_sources(storage::Transaction& transaction, const Registry& registry,
                           std::string_view space, const Generation& generation);

/// A source that is stale or missing.
struct WaitingSource {
  std::string kind;
  Uuid id;
  bool is_missing = false;
};
/// Up to `most` of them, kind by kind, by id.
std::vector<WaitingSource> list_waiting(storage::Transaction& transaction,
                                        const Registry& registry, std::string_view space,
                                        const Generation& generation, std::size_t most);

struct GenerationStatus {
  Generation generation;
  SourceCounts sources;         ///< counted; zero for one that is dropping
  std::uint64_t failed = 0;     ///< of these, those listed in projection_failures.h
  std::uint64_t rows = 0;       ///< derived rows that are stored
  std::uint64_t behind = 0;     ///< events that it has yet to take in; 0 while it is being walked
  /// Made by other rules than this program's, or by another declaration than the projection now
  /// has: rebuild it.
  bool is_outdated = false;
};

struct ProjectionStatus {
  DeclaredProjection projection;
  Upkeep upkeep = Upkeep::in_transaction;
  Sequence tail = 0;                           ///< of the space's journal
  std::vector<GenerationStatus> generations;   ///< by number
  std::optional<storage::Lease> lease;         ///< of a rebuild that is under way
};

/// Exact, within one snapshot. Counts every source. Throws NotFound for a projection that is not
/// declared.
ProjectionStatus projection_status(storage::Transaction& transaction, const Registry& registry,
                                   std::string_view space, std::string_view projection,
                                   Timestamp now);

}  // namespace holdfast::journal
