#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <holdfast/core/clock.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::storage {

/// The right of one owner at a time to do a piece of work in a space: the one claim that rebuilds
/// and schedulers use. It passes to whoever claims it after it has expired. Its fencing number
/// rises with every claim, so an owner that was stopped for longer is refused by number when it
/// goes on, whatever its clock says: whoever works under a lease asks holds_lease() in each
/// transaction that writes.
struct Lease {
  std::string space;
  std::string name;         ///< of the work
  std::string owner;        ///< unique to one run of one process
  std::uint64_t fencing = 0;
  Timestamp expires_at;     ///< from then on anybody may claim it
};

/// The lease as it stands, held or not; absent when it was never claimed.
std::optional<Lease> find_lease(Transaction& transaction, std::string_view space,
                                std::string_view name);

/// Claims it for `owner` until `now + duration`, under the next fencing number. Absent while
/// somebody else holds it. Throws InvalidArgument for a duration that is not positive.
std::optional<Lease> claim_lease(Transaction& transaction, std::string_view space,
                                 std::string_view name, std::string_view owner, Timestamp now,
                                 std::chrono::microseconds duration);

/// Moves the end to `now + duration`, even when it has passed, as long as nobody has claimed it
/// since. False, with nothing written, when somebody has, or when it was given up.
bool renew_lease(Transaction& transaction, Lease& lease, Timestamp now,
                 std::chrono::microseconds duration);

/// Whether nobody has claimed it since and it was not given up: asked before a write under it, in
/// the same transaction.
bool holds_lease(Transaction& transaction, const Lease& lease);

/// Gives it up at once; nothing happens when somebody else has it.
void release_lease(Transaction& transaction, const Lease& lease);

}  // namespace holdfast::storage
