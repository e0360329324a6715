#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/journal/projection.h>

namespace holdfast::journal {

/// A source that nothing could be derived from. It stays listed, and what was derived from it
/// earlier stays stale, until it changes or is tried again with success.
struct DerivedFailure {
  std::string kind;
  Uuid id;
  Sequence as_of = 0;          ///< of the journal, when what failed was read
  std::uint64_t attempts = 0;  ///< that ended so, one after the other
  std::string reason;          ///< for people
  Timestamp at;                ///< of the last one
};

/// Counts one more attempt, under the reason it now has. write_derived() calls it.
void list_failure(storage::Transaction& transaction, const DerivedOf& of, Sequence as_of,
                  std::string_view reason, Timestamp now);
void forget_failure(storage::Transaction& transaction, const DerivedOf& of);

/// Where a page of the list begins: behind that source.
struct FailureCursor {
  std::string kind;
  Uuid id;
};
/// Up to `limit` of one generation, by kind and id.
std::vector<DerivedFailure> failures_of(storage::Transaction& transaction, std::string_view space,
                                        const Generation& generation,
                                        const std::optional<FailureCursor>& after,
                                        std::size_t limit);
std::optional<DerivedFailure> find_failure(storage::Transaction& transaction, const DerivedOf& of);
std::uint64_t count_failures(storage::Transaction& transaction, std::string_view space,
                             const Generation& generation);

}  // namespace holdfast::journal
