#include "store_workload.h"

#include "support/catch.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;

/// As SQLite's own VFS for Unix promises and as Linux does.
constexpr DiskOptions kForgets{.powersafe_overwrite = true, .failed_sync_forgets = true};

/// Small enough that the writer copies the log several times during the workload.
constexpr std::uint64_t kFewPages = 12;

struct Campaign {
  FaultKind kind;
  bool lasting;
  DiskOptions disk;
  bool stops_at_error;
  long stride;
};

/// Fails operation after operation of the workload, and judges what the next process finds after
/// this one's death and after a power cut. Empty when nothing was wrong.
std::string fail_everywhere(const Campaign& campaign) {
  const TempDir locks;
  bool has_struck = true;
  for (long at = 1; has_struck; at += campaign.stride) {
    CrashDisk disk(campaign.disk);
    disk.arm({.at = at, .kind = campaign.kind, .lasting = campaign.lasting});
    Workload workload(disk, locks / "lock",
                      {.checkpoint_pages = kFewPages, .stops_at_error = campaign.stops_at_error});
    workload.run();
    has_struck = disk.faults_struck() > 0;
    const std::string where = "operation " + std::to_string(at) + ": ";
    const auto look = [&](const char* after, const DiskImage& image) {
      const std::string trouble =
          judge(image, workload.told(), locks / "lock", false, campaign.disk);
      return trouble.empty() ? "" : where + after + trouble;
    };
    std::string trouble = look("death: ", disk.after_process_death());
    if (!trouble.empty()) return trouble;
    trouble = look("power cut: ", disk.after_power_loss(static_cast<std::uint64_t>(at)));
    if (!trouble.empty()) return trouble;
    if (!disk.violations().empty()) return where + disk.violations().front();
  }
  return "";
}

/// The same for every kind of error, once and lasting.
void check_every_error(const DiskOptions& disk, long stride) {
  const auto kind = GENERATE(FaultKind::disk_full, FaultKind::write_error, FaultKind::sync_error);
  const bool lasting = GENERATE(false, true);
  const bool stops = GENERATE(false, true);
  CAPTURE(static_cast<int>(kind), lasting, stops);
  CHECK(fail_everywhere({kind, lasting, disk, stops, stride}) == "");
}

/// The number of the operation after the failed sync, with which the store would wipe what the
/// commit left.
long operation_after_failed_sync(const TempDir& locks, long sync) {
  CrashDisk disk(kForgets);
  disk.arm({.at = sync, .kind = FaultKind::sync_error, .suffix = "-wal"});
  Workload workload(disk, locks / "lock", {});
  workload.run();
  return disk.operations();
}

/// A commit whose sync fails, and the process dying at the next operation.
Told die_after_failed_sync(CrashDisk& disk, const TempDir& locks, long sync) {
  disk.arm({.at = operation_after_failed_sync(locks, sync)});
  disk.arm({.at = sync, .kind = FaultKind::sync_error, .suffix = "-wal"});
  Workload workload(disk, locks / "lock", {});
  return workload.run();
}

}  // namespace

TEST_CASE("an error loses no acknowledged write and splits none, even on a disk that forgets",
          "[crash]") {
  check_every_error(kForgets, 13);
}

TEST_CASE("no error at any operation loses or splits an acknowledged write", "[crash][soak]") {
  const bool forgets = GENERATE(false, true);
  CAPTURE(forgets);
  check_every_error(forgets ? kForgets : DiskOptions{}, 1);
}

TEST_CASE("a store whose disk failed for a while goes on without loss once it works", "[crash]") {
  const auto kind = GENERATE(FaultKind::disk_full, FaultKind::write_error, FaultKind::sync_error);
  CAPTURE(static_cast<int>(kind));
  const TempDir locks;
  bool has_struck = true;
  for (long at = 1; has_struck; at += 5) {
    CrashDisk disk(kForgets);
    disk.arm({.at = at, .kind = kind, .lasting = true});
    Told told;
    {
      Workload workload(disk, locks / "lock",
                        {.checkpoint_pages = kFewPages, .stops_at_error = false});
      workload.run();
      disk.disarm();
      told = workload.write_more();
    }
    has_struck = disk.faults_struck() > 0;
    CAPTURE(at);
    REQUIRE(told.is_finished);
    REQUIRE(judge(disk, told, locks / "lock") == "");
  }
}

TEST_CASE("a commit whose sync failed takes no later one with it when the process then dies",
          "[crash]") {
  const TempDir locks;
  for (long sync = 3; sync <= 20; ++sync) {
    CrashDisk disk(kForgets);
    const Told told = die_after_failed_sync(disk, locks, sync);
    CrashDisk next(disk.after_process_death(), kForgets);
    Workload recovery(next, locks / "lock", {.seed = 2});
    REQUIRE(recovery.resume(told).is_finished);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      CAPTURE(sync, seed);
      REQUIRE(judge(next.after_power_loss(seed), recovery.told(), locks / "lock") == "");
    }
  }
}
