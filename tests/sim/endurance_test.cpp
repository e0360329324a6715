#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <thread>

#include <holdfast/core/error.h>

#include "sim/counter.h"
#include "sim/system_store.h"
#include "support/catch.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

constexpr std::size_t kRows = 10'000;
constexpr std::size_t kThreads = 4;
constexpr std::size_t kUpdates = 1'000'000;
constexpr std::size_t kWindows = 10;

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// What one tenth of the run was like.
struct Window {
  std::uint64_t resident_bytes = 0;
  std::uint64_t log_bytes = 0;
  std::int64_t p50_us = 0;
  std::int64_t p99_us = 0;
};

std::int64_t at_quantile(std::vector<std::int64_t>& sorted, double q) {
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

/// Reads the feed to the end of the run and sees that no event is missing.
class Follower {
 public:
  Follower(const Space& space, Sequence from) : space_(space), at_(from) {}

  void run(Sequence end) {
    while (at_ < end) {
      for (const Event& event : space_.tail(at_, 1000, std::chrono::seconds(5))) {
        if (event.seq != at_ + 1) ++gaps;
        at_ = event.seq;
      }
    }
  }
  int gaps = 0;

 private:
  const Space& space_;
  Sequence at_;
};

}  // namespace

TEST_CASE("a million updates over 10,000 rows with a follower keep memory and log flat",
          "[sim][soak]") {
  SystemStore s;
  std::vector<EntityId> rows;
  Plan plan = s.space->plan();
  for (std::size_t i = 0; i < kRows; ++i) {
    Entity entity;
    entity.kind = "counter";
    entity.name = std::to_string(i);
    set_count(entity, 0);
    rows.push_back(plan.create(entity));
  }
  REQUIRE(s.space->apply(plan).applied());
  const Sequence start = s.space->tail().seq;

  Follower follower(*s.space, start);
  std::thread following([&] { follower.run(start + kUpdates); });
  std::vector<Window> windows;
  const auto log = s.options.database.path.string() + "-wal";
  for (std::size_t window = 0; window < kWindows; ++window) {
    std::mutex mutex;
    std::vector<std::int64_t> latencies;
    at_once(kThreads, [&](std::size_t thread) {
      core::Random random(window * kThreads + thread);
      core::SystemClock clock;
      std::vector<std::int64_t> own;
      for (std::size_t i = 0; i < kUpdates / kWindows / kThreads; ++i) {
        const auto id = rows[random.below(rows.size())];
        const auto begun = clock.elapsed();
        const auto result = s.space->entities().update(
            id, [](Entity& row) { set_count(row, count_of(row) + 1); });
        own.push_back((clock.elapsed() - begun).count());
        if (!result.applied()) std::abort();
      }
      const std::lock_guard lock(mutex);
      latencies.insert(latencies.end(), own.begin(), own.end());
    });
    std::sort(latencies.begin(), latencies.end());
    std::error_code missing;
    windows.push_back({.resident_bytes = resident_bytes(),
                       .log_bytes = std::filesystem::file_size(log, missing),
                       .p50_us = at_quantile(latencies, 0.5),
                       .p99_us = at_quantile(latencies, 0.99)});
    std::printf("updates %zu: resident %llu KiB, log %llu KiB, update p50 %lld us, p99 %lld us\n",
                (window + 1) * kUpdates / kWindows,
                static_cast<unsigned long long>(windows.back().resident_bytes / 1024),
                static_cast<unsigned long long>(windows.back().log_bytes / 1024),
                static_cast<long long>(windows.back().p50_us),
                static_cast<long long>(windows.back().p99_us));
    std::fflush(stdout);
  }
  following.join();
  CHECK(follower.gaps == 0);
  CHECK(s.space->tail().seq == start + kUpdates);
  // The caches are full after the second tenth; the log is copied back every 4,000 pages, and a
  // follower holds it back for no longer than a read.
  CHECK(windows.back().resident_bytes < windows[1].resident_bytes + (16U << 20));
  for (const Window& window : windows) CHECK(window.log_bytes < (128U << 20));
}
