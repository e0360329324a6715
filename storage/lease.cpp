#include <holdfast/storage/lease.h>

#include <array>

#include <holdfast/core/error.h>
#include <holdfast/storage/guard.h>

namespace holdfast::storage {
namespace {

// What shows that nobody has claimed the lease since: the first two, as a space that was deleted
// and made anew begins again with low numbers.
constexpr std::array kHeld = {
    Conjunct{"owner", "owner = $3"},
    Conjunct{"fencing", "fencing = $4"},
    // A renewal that comes behind the release would keep others from work that is done.
    Conjunct{"kept", "expires_at > 0"},
};

// Of a claim that meets an earlier one.
constexpr std::array kFree = {
    Conjunct{"expired", "leases.expires_at <= $4"},
};

void require_positive(std::chrono::microseconds duration) {
  if (duration.count() > 0) return;
  throw InvalidArgument("lease duration", std::to_string(duration.count()),
                        "be at least a microsecond");
}

}  // namespace

std::optional<Lease> find_lease(Transaction& transaction, std::string_view space,
                                std::string_view name) {
  auto select = transaction.prepare(
      "SELECT owner, fencing, expires_at FROM leases WHERE space = $1 AND name = $2");
  select.bind(space, name);
  if (!select.step()) return std::nullopt;
  return Lease{.space = std::string(space),
               .name = std::string(name),
               .owner = select.get<std::string>(0),
               .fencing = select.get<Sequence>(1),
               .expires_at = select.get<Timestamp>(2)};
}

std::optional<Lease> claim_lease(Transaction& transaction, std::string_view space,
                                 std::string_view name, std::string_view owner, Timestamp now,
                                 std::chrono::microseconds duration) {
  require_positive(duration);
  static const std::string sql =
      "INSERT INTO leases (space, name, owner, fencing, expires_at) VALUES ($1, $2, $3, 1, $5)"
      " ON CONFLICT (space, name) DO UPDATE SET owner = $3, fencing = leases.fencing + 1,"
      " expires_at = $5 WHERE " +
      guard_sql("lease.claim", kFree);
  auto claim = transaction.prepare(sql);
  claim.bind_at(1, space).bind_at(2, name).bind_at(3, owner).bind_at(4, now);
  claim.bind_at(5, now + duration);
  if (claim.run() == 0) return std::nullopt;
  return find_lease(transaction, space, name);
}

bool renew_lease(Transaction& transaction, Lease& lease, Timestamp now,
                 std::chrono::microseconds duration) {
  require_positive(duration);
  static const std::string sql =
      "UPDATE leases SET expires_at = $5 WHERE space = $1 AND name = $2 AND " +
      guard_sql("lease.held", kHeld);
  auto renew = transaction.prepare(sql);
  renew.bind_at(1, lease.space).bind_at(2, lease.name).bind_at(3, lease.owner);
  renew.bind_at(4, lease.fencing).bind_at(5, now + duration);
  if (renew.run() == 0) return false;
  lease.expires_at = now + duration;
  return true;
}

bool holds_lease(Transaction& transaction, const Lease& lease) {
  static const std::string sql =
      "SELECT 1 FROM leases WHERE space = $1 AND name = $2 AND " + guard_sql("lease.held", kHeld);
  auto select = transaction.prepare(sql);
  select.bind_at(1, lease.space).bind_at(2, lease.name).bind_at(3, lease.owner);
  select.bind_at(4, lease.fencing);
  return select.step();
}

void release_lease(Transaction& transaction, const Lease& lease) {
  static const std::string sql =
      "UPDATE leases SET expires_at = 0 WHERE space = $1 AND name = $2 AND " +
      guard_sql("lease.held", kHeld);
  auto release = transaction.prepare(sql);
  release.bind(lease.space, lease.name, lease.owner, lease.fencing);
  release.run();
}

}  // namespace holdfast::storage
