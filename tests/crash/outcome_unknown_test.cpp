#include <holdfast/core/error.h>
#include <holdfast/storage/writer.h>

#include "store_workload.h"
#include "support/catch.h"
#include "support/writer_batch.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;

/// A store with the space "main" and one entity on a disk that can fail.
class DiskStore {
 public:
  explicit DiskStore(const DiskOptions& options = {}) : disk(options), options_(options) {
    Workload::silence_warnings();
    store = Store::open(store_on(disk, locks / "lock", environment));
    space = std::make_unique<Space>(store->create_space("main", "tester"));
    first = add("first").current->id;
  }
  WriteResult<Entity> add(const std::string& name, std::size_t filler_bytes = 0) {
    Entity entity;
    entity.kind = "person";
    entity.name = name;
    entity.tags = {std::string(filler_bytes % 1000 + 1, 't')};
    entity.properties =
        JsonObject::parse("properties", "{\"filler\":\"" + std::string(filler_bytes, 'x') + "\"}");
    return space->entities().insert_if_absent(entity);
  }
  WriteResult<Entity> rename_first(const std::string& name) {
    return space->entities().update(first, [&](Entity& row) { row.name = name; });
  }
  /// The request id that came with OutcomeUnknown; empty when the rename ended otherwise.
  std::string rename_in_doubt(const std::string& name) {
    try {
      (void)rename_first(name);
    } catch (const OutcomeUnknown& error) {
      return error.request_id();
    }
    return "";
  }
  void fail_sync(bool lasting = false) {
    disk.arm({.kind = FaultKind::sync_error, .lasting = lasting, .suffix = "-wal"});
  }
  /// Space for `bytes` more.
  void fill_disk(std::int64_t bytes) {
    disk.set_capacity(disk.after_process_death().total_bytes() + bytes);
  }
  bool is_there(const std::string& name) const {
    EntityFilter filter;
    filter.name = name;
    return space->entities().count(filter) > 0;
  }
  storage::WriterStats stats() const { return store->database().writer().stats(); }

  TempDir locks;
  TestEnvironment environment;
  CrashDisk disk;
  EntityId first;

 private:
  DiskOptions options_;

 public:
  // After the disk, which they must not outlive.
  std::unique_ptr<Store> store;
  std::unique_ptr<Space> space;
};

/// What the next process finds in an image.
struct Restarted {
  Restarted(const DiskImage& image, DiskStore& before, const DiskOptions& options = {})
      : disk(image, options),
        store(Store::open(store_on(disk, before.locks / "lock", environment))),
        space(store->space("main", "tester")),
        row(space.entities().get(before.first)) {
    for (const Event& event : space.entities().history(before.first).items) {
      requests.insert(event.request_id);
    }
  }
  TestEnvironment environment{7};
  CrashDisk disk;
  std::unique_ptr<Store> store;
  Space space;
  Entity row;
  std::set<std::string> requests;
};

/// How a write on a failing disk ended: the code of what it threw, or "applied".
template <class Write>
std::string ending(Write write) {
  try {
    return std::string(to_string(write().outcome));
  } catch (const Error& error) {
    return error.code();
  }
}

}  // namespace

TEST_CASE("a commit whose sync fails is answered with OutcomeUnknown and its request id",
          "[crash]") {
  DiskStore f;
  f.fail_sync();
  CHECK(f.rename_in_doubt("second") != "");
  CHECK(f.stats().unknown == 1);
}

TEST_CASE("while the sync still fails the store refuses writes with Unavailable", "[crash]") {
  DiskStore f;
  f.fail_sync(true);
  REQUIRE(f.rename_in_doubt("second") != "");
  CHECK(ending([&] { return f.rename_first("third"); }) == "unavailable");
  CHECK(ending([&] { return f.add("another"); }) == "unavailable");
}

TEST_CASE("while the store refuses writes it still reads the last known state", "[crash]") {
  DiskStore f;
  f.fail_sync(true);
  REQUIRE(f.rename_in_doubt("second") != "");
  CHECK(f.space->entities().get(f.first).name == "first");
}

TEST_CASE("once a barrier commit works the store accepts writes again", "[crash]") {
  DiskStore f;
  f.fail_sync(true);
  REQUIRE(f.rename_in_doubt("second") != "");
  REQUIRE(ending([&] { return f.rename_first("third"); }) == "unavailable");
  f.disk.disarm();
  CHECK(ending([&] { return f.rename_first("third"); }) == "applied");
  CHECK(f.space->entities().history(f.first).items.size() == 2);
}

TEST_CASE("after a barrier commit an unknown write is absent for good", "[crash]") {
  const bool forgets = GENERATE(false, true);
  const DiskOptions options{.powersafe_overwrite = true, .failed_sync_forgets = forgets};
  DiskStore f(options);
  f.fail_sync();
  const std::string request = f.rename_in_doubt("second");
  REQUIRE(request != "");
  REQUIRE(ending([&] { return f.add("barrier and more"); }) == "applied");
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    CAPTURE(forgets, seed);
    const Restarted next(f.disk.after_power_loss(seed), f, options);
    REQUIRE(next.row.name == "first");
    REQUIRE(next.requests.count(request) == 0);
  }
}

TEST_CASE("after a restart an unknown write is there whole or absent whole, as its history says",
          "[crash]") {
  const bool forgets = GENERATE(false, true);
  const DiskOptions options{.powersafe_overwrite = true, .failed_sync_forgets = forgets};
  DiskStore f(options);
  f.fail_sync();
  const std::string request = f.rename_in_doubt("second");
  REQUIRE(request != "");
  for (std::uint64_t seed = 0; seed <= 25; ++seed) {
    CAPTURE(forgets, seed);
    const Restarted next(seed == 0 ? f.disk.after_process_death() : f.disk.after_power_loss(seed),
                         f, options);
    REQUIRE(next.requests.count(request) == (next.row.name == "second" ? 1U : 0U));
    REQUIRE(next.store->verify().is_clean());
  }
}

TEST_CASE("some power cuts keep an unknown write and some do not", "[crash]") {
  DiskStore f;
  f.fail_sync();
  REQUIRE(f.rename_in_doubt("second") != "");
  std::set<std::string> found;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    found.insert(Restarted(f.disk.after_power_loss(seed), f).row.name);
  }
  CHECK(found == std::set<std::string>{"first", "second"});
}

TEST_CASE("a failed write at COMMIT is settled at once: Unavailable, nothing written, no doubt",
          "[crash]") {
  DiskStore f;
  f.disk.arm({.at = 3, .kind = FaultKind::write_error, .suffix = "-wal"});
  CHECK(ending([&] { return f.rename_first("second"); }) == "unavailable");
  CHECK(f.stats().unknown == 0);
  CHECK(f.space->entities().get(f.first).name == "first");
  CHECK(ending([&] { return f.rename_first("third"); }) == "applied");
}

TEST_CASE("a disk that is full at COMMIT is settled at once: Full, nothing written, no doubt",
          "[crash]") {
  DiskStore f;
  const std::int64_t room = GENERATE(0, 100, 5'000, 13'000);
  CAPTURE(room);
  f.fill_disk(room);
  CHECK(ending([&] { return f.add("large", 40'000); }) == "full");
  CHECK(f.stats().unknown == 0);
  CHECK_FALSE(f.is_there("large"));
}

TEST_CASE("on a disk that stays full every write ends in Full, and reading goes on", "[crash]") {
  DiskStore f;
  f.fill_disk(9'000);
  for (int i = 0; i < 10; ++i) {
    CAPTURE(i);
    CHECK(ending([&] { return f.add("large", 40'000); }) == "full");
  }
  CHECK(f.is_there("first"));
  f.disk.set_capacity(INT64_MAX);
  CHECK(ending([&] { return f.add("large", 40'000); }) == "applied");
}

TEST_CASE("a store on a full disk can be opened and read after a crash", "[crash]") {
  DiskStore f;
  REQUIRE(ending([&] { return f.add("large", 40'000); }) == "applied");
  CrashDisk next(f.disk.after_process_death());
  next.set_capacity(next.after_process_death().total_bytes());
  TestEnvironment environment(7);
  const auto store = Store::open(store_on(next, f.locks / "lock", environment));
  const auto space = store->space("main", "tester");
  CHECK(space.entities().get(f.first).name == "first");
  CHECK(store->verify().is_clean());
}

TEST_CASE("a batch member that fills the disk takes no other with it", "[crash]") {
  DiskStore f;
  f.fill_disk(300'000);
  std::vector<std::string> endings(5);
  std::vector<std::function<void()>> calls;
  for (std::size_t i = 0; i < endings.size(); ++i) {
    calls.emplace_back([&, i] {
      const std::size_t bytes = i == 2 ? 600'000 : 100;
      endings[i] = ending([&] { return f.add("member " + std::to_string(i), bytes); });
    });
  }
  REQUIRE(WriterBatch(f.environment.faults).run(calls));
  CHECK(endings == std::vector<std::string>{"applied", "applied", "full", "applied", "applied"});
  CHECK(f.store->verify().is_clean());
}

TEST_CASE("when the sync of a batch fails, every member's outcome is unknown", "[crash]") {
  DiskStore f;
  std::vector<std::string> endings(4);
  std::vector<std::function<void()>> calls;
  for (std::size_t i = 0; i < endings.size(); ++i) {
    calls.emplace_back(
        [&, i] { endings[i] = ending([&] { return f.add("member " + std::to_string(i)); }); });
  }
  WriterBatch batch(f.environment.faults);
  batch.before_commit = [&](int commit) {
    if (commit == 2) f.fail_sync();
  };
  REQUIRE(batch.run(calls));
  CHECK(endings == std::vector<std::string>{"applied", "outcome_unknown", "outcome_unknown",
                                            "outcome_unknown"});
}

TEST_CASE("a member that was refused in a batch of unknown outcome wrote nothing", "[crash]") {
  DiskStore f;
  const Entity taken = f.space->entities().get(f.first);
  std::vector<std::string> endings(3);
  const std::vector<std::function<void()>> calls = {
      [&] { endings[0] = ending([&] { return f.add("leader"); }); },
      [&] { endings[1] = ending([&] { return f.add("follower"); }); },
      [&] { endings[2] = ending([&] { return f.space->entities().insert_if_absent(taken); }); }};
  WriterBatch batch(f.environment.faults);
  batch.before_commit = [&](int commit) {
    if (commit == 2) f.fail_sync();
  };
  REQUIRE(batch.run(calls));
  CHECK(endings == std::vector<std::string>{"applied", "outcome_unknown", "unavailable"});
}

TEST_CASE("a write error in a batch leaves every member with a definite answer", "[crash]") {
  DiskStore f;
  std::vector<std::string> endings(4);
  std::vector<std::function<void()>> calls;
  for (std::size_t i = 0; i < endings.size(); ++i) {
    calls.emplace_back(
        [&, i] { endings[i] = ending([&] { return f.add("member " + std::to_string(i)); }); });
  }
  WriterBatch batch(f.environment.faults);
  batch.before_commit = [&](int commit) {
    if (commit == 2) f.disk.arm({.kind = FaultKind::write_error, .suffix = "-wal"});
  };
  REQUIRE(batch.run(calls));
  CHECK(endings == std::vector<std::string>(4, "applied"));
  CHECK(f.stats().unknown == 0);
}
