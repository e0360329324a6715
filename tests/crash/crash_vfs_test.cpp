#include "support/crash_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/crash_workload.h"

namespace {

using namespace holdfast::test;

/// Crashes at every operation of the workload, and cuts the power with every seed.
Tally cut_power_everywhere(const std::string& synchronous, FaultKind kind = FaultKind::crash,
                           const DiskOptions& options = {}) {
  Tally tally;
  bool is_finished = false;
  for (long at = 1; !is_finished; ++at) {
    CrashDisk disk(options);
    disk.arm({.at = at, .kind = kind});
    const Acknowledged told = run(disk, synchronous, [&](const Acknowledged& acknowledged) {
      disk.crash();
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        tally.add(inspect(disk.after_power_loss(seed), options), acknowledged);
      }
    });
    tally.violations += static_cast<long>(disk.violations().size());
    is_finished = told.is_finished;
  }
  return tally;
}

void check_nothing_lost(const Tally& tally) {
  CHECK(tally.unsound == 0);
  CHECK(tally.split == 0);
  CHECK(tally.lost == 0);
  CHECK(tally.invented == 0);
  CHECK(tally.violations == 0);
  CHECK(tally.cycles > 0);
}

}  // namespace

TEST_CASE("under synchronous FULL no power cut loses or splits a commit", "[crash]") {
  const bool powersafe = GENERATE(false, true);
  const FaultKind kind = GENERATE(FaultKind::crash, FaultKind::torn_write);
  CAPTURE(powersafe, static_cast<int>(kind));
  check_nothing_lost(cut_power_everywhere("FULL", kind, {.powersafe_overwrite = powersafe}));
}

TEST_CASE("under synchronous NORMAL power cuts lose commits but split none", "[crash]") {
  const Tally tally = cut_power_everywhere("NORMAL");
  CHECK(tally.lost > 0);
  CHECK(tally.unsound == 0);
  CHECK(tally.split == 0);
  CHECK(tally.violations == 0);
}

TEST_CASE("under synchronous OFF power cuts damage the database", "[crash]") {
  const Tally tally = cut_power_everywhere("OFF");
  CHECK(tally.unsound > 0);
  CHECK(tally.violations > 0);
}

TEST_CASE("the death of the process loses nothing at any operation", "[crash]") {
  const std::string synchronous = GENERATE("FULL", "NORMAL", "OFF");
  CAPTURE(synchronous);
  Tally tally;
  bool is_finished = false;
  for (long at = 1; !is_finished; ++at) {
    CrashDisk disk;
    disk.arm({.at = at});
    const Acknowledged told = run(disk, synchronous, [](const Acknowledged&) {});
    tally.add(inspect(disk.after_process_death()), told);
    is_finished = told.is_finished;
  }
  check_nothing_lost(tally);
}

TEST_CASE("a second power cut during recovery loses nothing", "[crash]") {
  CrashDisk disk;
  DiskImage image;
  const Acknowledged told = run(disk, "FULL", [&](const Acknowledged&) {
    BareConnection third(disk);
    REQUIRE(third.count_up() == SQLITE_OK);
    image = disk.after_power_loss(1);
  });
  bool has_crashed = true;
  for (long at = 1; has_crashed; ++at) {
    CrashDisk recovering(image);
    recovering.arm({.at = at});
    { BareConnection(recovering).execute("PRAGMA wal_checkpoint(TRUNCATE)"); }
    has_crashed = recovering.has_crashed();
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const Found found = inspect(recovering.after_power_loss(seed));
      REQUIRE(found.is_sound);
      REQUIRE(found.count == told.count + 1);
    }
  }
}

TEST_CASE("a commit whose sync failed is unseen while connections live and may be there after",
          "[crash]") {
  CrashDisk disk;
  run(disk, "FULL", [&](const Acknowledged& told) {
    BareConnection writer(disk);
    BareConnection reader(disk);
    REQUIRE(writer.set_up("FULL"));
    REQUIRE(writer.count_up() == SQLITE_OK);
    disk.arm({.kind = FaultKind::sync_error, .suffix = "-wal"});
    CHECK(writer.count_up() == SQLITE_IOERR_FSYNC);
    CHECK(reader.number("SELECT value FROM counter") == told.count + 1);
    CHECK(writer.number("SELECT value FROM counter") == told.count + 1);
    CHECK(inspect(disk.after_process_death()).count == told.count + 2);
  });
}

TEST_CASE("after a failed sync a disk that forgets loses a later acknowledged commit", "[crash]") {
  const bool forgets = GENERATE(false, true);
  const DiskOptions options{.failed_sync_forgets = forgets};
  CrashDisk disk(options);
  run(disk, "FULL", [&](const Acknowledged& told) {
    BareConnection writer(disk);
    REQUIRE(writer.set_up("FULL"));
    disk.arm({.at = 2, .kind = FaultKind::sync_error, .suffix = "-wal"});
    REQUIRE(writer.count_up() == SQLITE_IOERR_FSYNC);
    CrashDisk next(disk.after_process_death(), options);
    BareConnection reopened(next);
    REQUIRE(reopened.set_up("FULL"));
    REQUIRE(reopened.count_up() == SQLITE_OK);
    const Found found = inspect(next.after_power_loss(0));
    CHECK(found.is_sound);
    CHECK(found.count == told.count + (forgets ? 0 : 2));
  });
}

TEST_CASE("errors at any operation leave a sound database without a lost commit", "[crash]") {
  const FaultKind kind = GENERATE(FaultKind::disk_full, FaultKind::write_error,
                                  FaultKind::sync_error, FaultKind::read_error);
  const bool lasting = GENERATE(false, true);
  CAPTURE(static_cast<int>(kind), lasting);
  Tally tally;
  bool has_struck = true;
  for (long at = 1; has_struck; ++at) {
    CrashDisk disk;
    disk.arm({.at = at, .kind = kind, .lasting = lasting});
    run(disk, "FULL", [&](const Acknowledged& told) {
      has_struck = disk.faults_struck() > 0;
      tally.add(inspect(disk.after_process_death()), told);
      tally.add(inspect(disk.after_power_loss(static_cast<std::uint64_t>(at))), told);
    });
  }
  check_nothing_lost(tally);
}

TEST_CASE("a short read never gives a wrong answer that passes for a right one", "[crash]") {
  CrashDisk disk;
  const Acknowledged told = run(disk, "FULL", [](const Acknowledged&) {});
  for (long at = 1;; ++at) {
    CrashDisk reading(disk.after_process_death());
    reading.arm({.at = at, .kind = FaultKind::short_read});
    const Found found = inspect(reading);
    if (reading.faults_struck() == 0) break;
    if (found.is_sound && !found.is_split && found.count >= 0) REQUIRE(found.count == told.count);
  }
}

TEST_CASE("a full disk refuses what grows and serves again when there is room", "[crash]") {
  CrashDisk disk;
  run(disk, "FULL", [&](const Acknowledged& told) {
    BareConnection writer(disk);
    REQUIRE(writer.set_up("FULL"));
    disk.set_capacity(disk.after_process_death().total_bytes() + 6000);
    CHECK(writer.count_up() == SQLITE_FULL);
    CHECK(writer.number("SELECT value FROM counter") == told.count);
    disk.set_capacity(INT64_MAX);
    CHECK(writer.count_up() == SQLITE_OK);
    CHECK(writer.number("SELECT value FROM counter") == told.count + 1);
  });
}

TEST_CASE("two threads that write through one disk lose no update", "[crash]") {
  constexpr int kEach = 200;
  CrashDisk disk;
  BareConnection setup(disk);
  REQUIRE(setup.set_up("FULL"));
  REQUIRE(setup.execute(kSchema) == SQLITE_OK);
  int failures[2] = {0, 0};
  const auto work = [&](int& failed) {
    BareConnection connection(disk);
    if (!connection.set_up("FULL")) failed = kEach;
    for (int i = 0; i < kEach; ++i) failed += connection.count_up() == SQLITE_OK ? 0 : 1;
  };
  std::thread first(work, std::ref(failures[0]));
  std::thread second(work, std::ref(failures[1]));
  first.join();
  second.join();
  CHECK(failures[0] + failures[1] == 0);
  CHECK(setup.execute("PRAGMA wal_checkpoint(TRUNCATE)") == SQLITE_OK);
  CHECK(inspect(disk).count == 2L * kEach);
  CHECK(disk.violations().empty());
}

TEST_CASE("the same seed gives the same run, the same damage and the same bytes", "[crash]") {
  const auto bytes_after = [](std::uint64_t seed) {
    seed_sqlite_randomness(seed);
    CrashDisk disk({.seed = seed});
    disk.arm({.at = 40, .kind = FaultKind::torn_write});
    run(disk, "FULL", [](const Acknowledged&) {});
    const DiskImage image = disk.after_power_loss(seed);
    std::vector<std::optional<std::string>> all;
    for (const std::string& name : image.names()) all.push_back(image.bytes(name));
    return all;
  };
  CHECK(bytes_after(7) == bytes_after(7));
  CHECK(bytes_after(7) != bytes_after(8));
}

/// The workload of one connection in rollback mode, cut at every operation.
Tally cut_power_in_rollback_mode(const std::string& synchronous) {
  Tally tally;
  bool is_finished = false;
  for (long at = 1; !is_finished; ++at) {
    CrashDisk disk;
    disk.arm({.at = at});
    BareConnection writer(disk);
    writer.execute("PRAGMA synchronous = " + synchronous);
    Acknowledged told;
    if (writer.execute(kSchema) == SQLITE_OK) {
      for (told.count = 0; told.count < 3 && writer.count_up() == SQLITE_OK;) ++told.count;
    }
    is_finished = told.count == 3;
    disk.crash();
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      tally.add(inspect(disk.after_power_loss(seed)), told);
    }
    tally.violations += static_cast<long>(disk.violations().size());
  }
  return tally;
}

TEST_CASE("in rollback mode under synchronous EXTRA no power cut loses a commit", "[crash]") {
  check_nothing_lost(cut_power_in_rollback_mode("EXTRA"));
}

TEST_CASE("in rollback mode under synchronous FULL a deleted journal can come back", "[crash]") {
  // FULL does not sync the directory after the delete, so the journal undoes the commit.
  const Tally tally = cut_power_in_rollback_mode("FULL");
  CHECK(tally.lost > 0);
  CHECK(tally.unsound == 0);
  CHECK(tally.split == 0);
}

TEST_CASE("a pending writer bars new readers and gets the file when the old ones leave",
          "[crash]") {
  FileLock lock;
  int reader = 0;
  int writer = 0;
  int late = 0;
  REQUIRE(lock.lock(&reader, reader, SQLITE_LOCK_SHARED) == SQLITE_OK);
  REQUIRE(lock.lock(&writer, writer, SQLITE_LOCK_SHARED) == SQLITE_OK);
  REQUIRE(lock.lock(&writer, writer, SQLITE_LOCK_RESERVED) == SQLITE_OK);
  CHECK(lock.lock(&late, late, SQLITE_LOCK_SHARED) == SQLITE_OK);
  CHECK(lock.lock(&late, late, SQLITE_LOCK_RESERVED) == SQLITE_BUSY);
  lock.unlock(&late, late, SQLITE_LOCK_NONE);
  CHECK(lock.lock(&writer, writer, SQLITE_LOCK_EXCLUSIVE) == SQLITE_BUSY);
  CHECK(writer == SQLITE_LOCK_PENDING);
  CHECK(lock.lock(&late, late, SQLITE_LOCK_SHARED) == SQLITE_BUSY);
  lock.unlock(&reader, reader, SQLITE_LOCK_NONE);
  CHECK(lock.lock(&writer, writer, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK);
  lock.unlock(&writer, writer, SQLITE_LOCK_SHARED);
  CHECK_FALSE(lock.is_reserved());
  CHECK(lock.lock(&late, late, SQLITE_LOCK_SHARED) == SQLITE_OK);
}

TEST_CASE("a slot of shared memory has many readers or one owner, and a refusal takes none",
          "[crash]") {
  constexpr int kShare = SQLITE_SHM_LOCK | SQLITE_SHM_SHARED;
  constexpr int kOwn = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE;
  SharedMemory memory;
  SlotMasks first;
  SlotMasks second;
  REQUIRE(memory.lock(first, 4, 1, kShare) == SQLITE_OK);
  CHECK(memory.lock(second, 4, 1, kShare) == SQLITE_OK);
  CHECK(memory.lock(first, 3, 3, kOwn) == SQLITE_BUSY);
  CHECK(memory.lock(second, 3, 1, kOwn) == SQLITE_OK);
  CHECK(memory.lock(first, 3, 1, kShare) == SQLITE_BUSY);
  memory.release_all(second);
  CHECK(memory.lock(second, 4, 1, kOwn) == SQLITE_BUSY);
  CHECK(memory.lock(first, 4, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED) == SQLITE_OK);
  CHECK(memory.lock(second, 0, SQLITE_SHM_NLOCK, kOwn) == SQLITE_OK);
}

TEST_CASE("after a crash nothing reaches the files any more", "[crash]") {
  CrashDisk disk;
  run(disk, "FULL", [&](const Acknowledged&) {
    BareConnection writer(disk);
    REQUIRE(writer.set_up("FULL"));
    REQUIRE(writer.count_up() == SQLITE_OK);
    REQUIRE(writer.execute("BEGIN IMMEDIATE; UPDATE counter SET value = 99") == SQLITE_OK);
    disk.crash();
    const DiskImage before = disk.after_process_death();
    CHECK(writer.execute("COMMIT") == SQLITE_IOERR_WRITE);
    CHECK(BareConnection(disk).execute("SELECT * FROM counter") != SQLITE_OK);
    for (const std::string& name : before.names()) {
      CHECK(disk.after_process_death().bytes(name) == before.bytes(name));
    }
  });
}

TEST_CASE("a fault strikes once unless it is lasting", "[crash]") {
  const bool lasting = GENERATE(false, true);
  CrashDisk disk;
  run(disk, "FULL", [&](const Acknowledged&) {
    BareConnection writer(disk);
    REQUIRE(writer.set_up("FULL"));
    disk.arm({.kind = FaultKind::disk_full, .lasting = lasting});
    CHECK(writer.count_up() == SQLITE_FULL);
    CHECK(writer.count_up() == (lasting ? SQLITE_FULL : SQLITE_OK));
    disk.disarm();
    CHECK(writer.count_up() == SQLITE_OK);
  });
}

TEST_CASE("a torn write leaves whole sectors, fewer than were written", "[crash]") {
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    CrashDisk disk({.seed = seed});
    disk.arm({.kind = FaultKind::torn_write, .suffix = "main.db"});
    run(disk, "FULL", [](const Acknowledged&) {});
    const std::size_t bytes = disk.after_process_death().bytes("/data/main.db").value_or("").size();
    CHECK(bytes % kSectorBytes == 0);
    CHECK(bytes < 4096);
    most = std::max(most, bytes);
  }
  CHECK(most > 0);
}

TEST_CASE("damage stays in the sectors of a write, and within the write if the disk promises it",
          "[crash]") {
  const bool powersafe = GENERATE(false, true);
  DiskImage image;
  image.put("file", std::string(1024, 'a'));
  DiskImage::write(*image.find("file"), 0, std::string(100, 'b'));
  bool harms_neighbours = false;
  bool harms_write = false;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::string found = *image.after_power_loss(seed, powersafe).bytes("file");
    CHECK(found.substr(512) == std::string(512, 'a'));
    harms_neighbours |= found.substr(100, 412) != std::string(412, 'a');
    harms_write |= found.find_first_not_of("ab") < 100;
  }
  CHECK(harms_write);
  CHECK(harms_neighbours != powersafe);
}
