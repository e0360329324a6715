#include "store_workload.h"

#include "support/catch.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;

/// How densely the crash points and the damages to each are tried.
struct Density {
  long stride;  ///< operations from one crash point to the next
  std::uint64_t seeds;
};
constexpr Density kThin{.stride = 5, .seeds = 4};
constexpr Density kEvery{.stride = 1, .seeds = 25};

struct Campaign {
  WorkloadOptions workload = {};
  DiskOptions disk = {};
  FaultKind kind = FaultKind::crash;
  Density density = kThin;
};

/// Cuts the power over a crashed disk with every seed. Empty when nothing was wrong.
std::string cut_power(const CrashDisk& disk, const Told& told, const TempDir& locks,
                      const Campaign& campaign) {
  const bool may_lose = campaign.workload.durability == storage::Durability::normal;
  for (std::uint64_t seed = 0; seed < campaign.density.seeds; ++seed) {
    std::string trouble =
        judge(disk.after_power_loss(seed), told, locks / "lock", may_lose, campaign.disk);
    if (!trouble.empty()) return "seed " + std::to_string(seed) + ": " + trouble;
  }
  return disk.violations().empty() ? "" : disk.violations().front();
}

/// The same after a crash at operation after operation of the workload.
std::string cut_power_everywhere(const Campaign& campaign) {
  const TempDir locks;
  bool is_finished = false;
  for (long at = 1; !is_finished; at += campaign.density.stride) {
    CrashDisk disk(campaign.disk);
    disk.arm({.at = at, .kind = campaign.kind});
    Workload workload(disk, locks / "lock", campaign.workload);
    is_finished = workload.run().is_finished;
    disk.crash();
    const std::string trouble = cut_power(disk, workload.told(), locks, campaign);
    if (!trouble.empty()) return "operation " + std::to_string(at) + ", " + trouble;
  }
  return "";
}

/// Crashes the process that recovers the image at operation after operation of its recovery and
/// first write, and cuts the power each time.
std::string cut_power_in_recovery(const DiskImage& image, const Told& told, const TempDir& locks,
                                  const Campaign& campaign) {
  bool is_finished = false;
  for (long at = 1; !is_finished; at += campaign.density.stride) {
    CrashDisk disk(image, campaign.disk);
    disk.arm({.at = at, .kind = campaign.kind});
    Workload recovery(disk, locks / "lock", {.seed = 2});
    is_finished = recovery.resume(told).is_finished;
    disk.crash();
    const std::string trouble = cut_power(disk, recovery.told(), locks, campaign);
    if (!trouble.empty()) return "operation " + std::to_string(at) + ", " + trouble;
  }
  return "";
}

/// As SQLite's own VFS for Unix promises and as Linux does. Without the promise SQLite pads each
/// commit with a frame that it does not sync in whole, and a failed sync may forget that too.
constexpr DiskOptions kForgets{.powersafe_overwrite = true, .failed_sync_forgets = true};

/// Small enough that the writer copies the log several times during the workload.
constexpr std::uint64_t kFewPages = 12;

/// Ends the process at operation after operation, while the machine stays up.
std::string die_everywhere(storage::Durability durability, long stride) {
  const TempDir locks;
  bool is_finished = false;
  for (long at = 1; !is_finished; at += stride) {
    CrashDisk disk;
    disk.arm({.at = at});
    Workload workload(disk, locks / "lock",
                      {.durability = durability, .checkpoint_pages = kFewPages});
    is_finished = workload.run().is_finished;
    const std::string trouble = judge(disk.after_process_death(), workload.told(), locks / "lock");
    if (!trouble.empty()) return "operation " + std::to_string(at) + ": " + trouble;
  }
  return "";
}

}  // namespace

TEST_CASE("no power cut loses or splits an acknowledged write", "[crash]") {
  CHECK(cut_power_everywhere({}) == "");
}

TEST_CASE("no power cut at any operation loses or splits an acknowledged write", "[crash][soak]") {
  const bool powersafe = GENERATE(false, true);
  const auto pages = GENERATE(kFewPages, std::uint64_t{4000});
  CAPTURE(powersafe, pages);
  CHECK(cut_power_everywhere({.workload = {.checkpoint_pages = pages, .reopens = true},
                              .disk = {.powersafe_overwrite = powersafe},
                              .density = kEvery}) == "");
}

TEST_CASE("no power cut during its creation leaves a database that cannot be opened", "[crash]") {
  CHECK(cut_power_everywhere(
            {.workload = {.only_creates = true}, .density = {.stride = 1, .seeds = 10}}) == "");
}

TEST_CASE("no power cut around a checkpoint loses or splits an acknowledged write", "[crash]") {
  CHECK(cut_power_everywhere({.workload = {.checkpoint_pages = kFewPages}}) == "");
}

TEST_CASE("no power cut while a store is closed and opened again loses an acknowledged write",
          "[crash]") {
  CHECK(cut_power_everywhere({.workload = {.reopens = true}}) == "");
}

TEST_CASE("no power cut in the middle of a write loses an acknowledged write", "[crash]") {
  CHECK(cut_power_everywhere(
            {.workload = {.checkpoint_pages = kFewPages}, .kind = FaultKind::torn_write}) == "");
}

TEST_CASE("no power cut in the middle of any write loses an acknowledged write", "[crash][soak]") {
  CHECK(cut_power_everywhere({.workload = {.checkpoint_pages = kFewPages, .reopens = true},
                              .kind = FaultKind::torn_write,
                              .density = kEvery}) == "");
}

TEST_CASE("at durability normal a power cut splits nothing and damages nothing", "[crash]") {
  CHECK(cut_power_everywhere({.workload = {.durability = storage::Durability::normal,
                                           .checkpoint_pages = kFewPages}}) == "");
}

TEST_CASE("at durability normal no power cut at any operation splits or damages anything",
          "[crash][soak]") {
  const auto pages = GENERATE(kFewPages, std::uint64_t{4000});
  CAPTURE(pages);
  CHECK(cut_power_everywhere({.workload = {.durability = storage::Durability::normal,
                                           .checkpoint_pages = pages,
                                           .reopens = true},
                              .density = kEvery}) == "");
}

TEST_CASE("at durability normal a power cut does lose acknowledged writes", "[crash]") {
  const TempDir locks;
  CrashDisk disk;
  Workload workload(disk, locks / "lock", {.durability = storage::Durability::normal});
  REQUIRE(workload.run().is_finished);
  disk.crash();
  CHECK(judge(disk.after_power_loss(0), workload.told(), locks / "lock") != "");
}

TEST_CASE("a second power cut while a store recovers from the first loses nothing", "[crash]") {
  const TempDir locks;
  const auto kind = GENERATE(FaultKind::crash, FaultKind::torn_write);
  CAPTURE(static_cast<int>(kind));
  CrashDisk disk;
  Workload workload(disk, locks / "lock", {});
  REQUIRE(workload.run().is_finished);
  disk.crash();
  CHECK(cut_power_in_recovery(disk.after_power_loss(3), workload.told(), locks,
                              {.kind = kind, .density = {.stride = 1, .seeds = 4}}) == "");
}

TEST_CASE("the death of the process loses nothing", "[crash]") {
  const auto durability = GENERATE(storage::Durability::full, storage::Durability::normal);
  CAPTURE(to_string(durability));
  CHECK(die_everywhere(durability, 4) == "");
}

TEST_CASE("the death of the process at any operation loses nothing", "[crash][soak]") {
  const auto durability = GENERATE(storage::Durability::full, storage::Durability::normal);
  CAPTURE(to_string(durability));
  CHECK(die_everywhere(durability, 1) == "");
}

TEST_CASE("a power cut in the recovery after a failed sync loses nothing", "[crash]") {
  const TempDir locks;
  bool has_struck = true;
  for (long at = 1; has_struck; at += 2) {
    CrashDisk disk(kForgets);
    disk.arm({.at = at, .kind = FaultKind::sync_error, .suffix = "-wal"});
    Workload workload(disk, locks / "lock", {.checkpoint_pages = kFewPages});
    workload.run();
    has_struck = disk.faults_struck() > 0;
    CAPTURE(at);
    REQUIRE(cut_power_in_recovery(disk.after_process_death(), workload.told(), locks,
                                  {.disk = kForgets, .density = {.stride = 2, .seeds = 3}}) == "");
  }
}
