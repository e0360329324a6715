#include <holdfast/core/error.h>
#include <holdfast/storage/lease.h>

#include "suites/support.h"

using namespace holdfast;
using namespace holdfast::test;
using storage::Lease;

namespace {

constexpr auto kTerm = 10s;

/// Runs lease calls in write transactions, under the test's clock.
struct Leases {
  template <class Call>
  auto in(const Call& call) const {
    decltype(call(std::declval<storage::Transaction&>())) answer{};
    store.store->database().writer().submit(
        [&](storage::Transaction& transaction) {
          answer = call(transaction);
          return storage::Verdict::keep;
        },
        "test");
    return answer;
  }
  std::optional<Lease> claim(const std::string& owner) {
    return in([&](storage::Transaction& transaction) {
      return storage::claim_lease(transaction, "main", "work", owner, now(), kTerm);
    });
  }
  bool renew(Lease& lease) {
    return in([&](storage::Transaction& transaction) {
      return storage::renew_lease(transaction, lease, now(), kTerm);
    });
  }
  bool holds(const Lease& lease) const {
    return in([&](storage::Transaction& transaction) {
      return storage::holds_lease(transaction, lease);
    });
  }
  void release(const Lease& lease) const {
    (void)in([&](storage::Transaction& transaction) {
      storage::release_lease(transaction, lease);
      return true;
    });
  }
  Timestamp now() { return store.environment.clock.now(); }

  TestStore store;
};

}  // namespace

TEST_CASE("a lease is claimed only when it has expired", "[guard][guard:lease.claim.expired]") {
  Leases f;
  REQUIRE(f.claim("a").has_value());
  f.store.environment.clock.advance(kTerm - 1us);
  CHECK_FALSE(f.claim("b").has_value());
  f.store.environment.clock.advance(1us);
  CHECK(f.claim("b").has_value());
}

TEST_CASE("a lease is another's when only its fencing number has risen",
          "[guard][guard:lease.held.fencing]") {
  Leases f;
  Lease first = f.claim("a").value();
  REQUIRE(f.holds(first));
  f.store.environment.clock.advance(kTerm);
  const Lease second = f.claim("a").value();
  CHECK(second.fencing == first.fencing + 1);
  CHECK_FALSE(f.holds(first));
  CHECK_FALSE(f.renew(first));
  CHECK(f.holds(second));
}

TEST_CASE("a lease is another's when only its owner differs", "[guard][guard:lease.held.owner]") {
  Leases f;
  Lease lease = f.claim("a").value();
  REQUIRE(f.renew(lease));
  lease.owner = "b";
  CHECK_FALSE(f.holds(lease));
  CHECK_FALSE(f.renew(lease));
  lease.owner = "a";
  CHECK(f.holds(lease));
}

TEST_CASE("a lease is nobody's when only it was given up", "[guard][guard:lease.held.kept]") {
  Leases f;
  Lease lease = f.claim("a").value();
  REQUIRE(f.renew(lease));
  f.release(lease);
  CHECK_FALSE(f.holds(lease));
  CHECK_FALSE(f.renew(lease));  // which would keep others out
  CHECK(f.claim("b").has_value());
}

TEST_CASE("a lease that ended unclaimed is renewed, one that was given up is free", "[lease]") {
  Leases f;
  Lease lease = f.claim("a").value();
  f.store.environment.clock.advance(kTerm * 2);
  CHECK(f.renew(lease));
  CHECK(lease.expires_at == f.now() + kTerm);
  f.release(lease);
  CHECK(f.claim("b")->fencing == lease.fencing + 1);
}

TEST_CASE("leases of other spaces and of other work do not meet", "[lease]") {
  Leases f;
  REQUIRE(f.claim("a").has_value());
  (void)f.store.store->create_space("other", "tester");
  for (const auto& [space, name] : {std::pair("other", "work"), std::pair("main", "more")}) {
    CHECK(f.in([&, space = space, name = name](storage::Transaction& transaction) {
      return storage::claim_lease(transaction, space, name, "b", f.now(), kTerm);
    }));
  }
}

TEST_CASE("a lease needs a positive duration", "[lease]") {
  Leases f;
  CHECK_THROWS_AS(f.in([&](storage::Transaction& transaction) {
    return storage::claim_lease(transaction, "main", "work", "a", f.now(), 0s);
  }),
                  InvalidArgument);
}
