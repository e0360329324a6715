#include <map>
#include <memory>

#include "sim/serial_client.h"
#include "sim/turnstile.h"
#include "support/catch.h"
#include "support/fixture.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

constexpr std::size_t kClients = 3;

struct Outcomes {
  std::string difference;
  std::size_t ended = 0;
  std::size_t applied = 0;
  std::size_t runs = 0;
  std::size_t gave_up = 0;
  Sequence tail = 0;
};

/// All that one seed makes: clients that interleave at every read, change and commit.
Outcomes simulate(std::uint64_t seed, std::size_t transactions, const Blind& blind) {
  TestStore store(seed);
  (void)store.space->declare_key({.name = "mail", .kind = {}, .path = "/mail"});
  Grounds grounds(*store.space, *store.environment.ids, kClients * transactions);
  Turnstile turnstile(seed);
  std::vector<std::unique_ptr<SerialClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<SerialClient>(
        *store.space, grounds, blind, seed * kClients + i, [&turnstile, &store, i] {
          store.environment.clock.advance(std::chrono::milliseconds(1));
          turnstile.pass(i);
        }));
  }
  thread_local SerialClient* mine = nullptr;
  store.environment.faults.arm([](std::string_view point) {
    if (point == "transact.before_commit") mine->about_to_commit();
  });
  const std::function<void(std::size_t)> task = [&](std::size_t i) {
    mine = clients[i].get();
    for (std::size_t n = 0; n < transactions; ++n) clients[i]->transact();
  };
  turnstile.run(std::vector(kClients, task));
  store.environment.faults.arm({});

  Outcomes all{.difference = "", .tail = store.space->tail().seq};
  std::vector<Ended> ended;
  for (const auto& client : clients) {
    ended.insert(ended.end(), client->ended.begin(), client->ended.end());
    all.applied += client->applied;
    all.runs += client->runs;
    all.gave_up += client->gave_up;
  }
  all.ended = ended.size();
  all.difference = first_difference(*store.space, std::move(ended));
  return all;
}

void require_serial(std::uint64_t seeds, std::size_t transactions) {
  std::size_t applied = 0;
  std::size_t ended = 0;
  std::size_t runs = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Outcomes all = simulate(seed, transactions, {});
    CAPTURE(seed);
    CHECK(all.difference == "");
    CHECK(all.gave_up * 100 <= kClients * transactions);
    applied += all.applied;
    ended += all.ended;
    runs += all.runs;
  }
  INFO(seeds << " seeds: " << ended << " ended, " << applied << " applied, " << runs << " runs");
  CHECK(applied * 2 > ended);
  CHECK(runs > ended);  // some met a conflict
}

}  // namespace

TEST_CASE("Serializability: what transactions of three clients read is the state at their position",
          "[transact][sim]") {
  require_serial(16, 60);
}

TEST_CASE("Serializability: 200 seeds of three clients with 200 transactions each",
          "[transact][sim][soak]") {
  require_serial(200, 200);
}

TEST_CASE("Serializability: one seed makes one history", "[transact][sim]") {
  const Outcomes one = simulate(5, 30, {});
  const Outcomes other = simulate(5, 30, {});
  CHECK(one.tail == other.tail);
  CHECK(one.runs == other.runs);
  CHECK(one.applied == other.applied);
}

TEST_CASE("Serializability: each kind of read that is not tracked is found out",
          "[transact][sim]") {
  const std::map<std::string, Blind> faults = {
      {"lost update", {.to = {What::row_to_write}}},
      {"write skew", {.to = {What::row}}},
      {"deletion missed", {.to = {What::liveness}}},
      {"absence missed", {.to = {What::absence}}},
      {"stale edge", {.to = {What::edge}}},
      {"stale note", {.to = {What::note}}},
      {"note key", {.to = {What::note_key}}},
      {"stale key", {.to = {What::key}}},
      {"phantom in a neighbourhood", {.to = {What::neighbors}}},
      {"phantom in a page", {.to = {What::page}}},
      {"count", {.to = {What::count}}},
      {"own write not seen", {.to = {}, .to_own = true}}};
  for (const auto& [name, blind] : faults) {
    bool is_found = false;
    for (std::uint64_t seed = 1; seed <= 20 && !is_found; ++seed) {
      is_found = !simulate(seed, 40, blind).difference.empty();
    }
    INFO(name);
    CHECK(is_found);
  }
}
