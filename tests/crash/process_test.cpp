#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <holdfast/core/clock.h>
#include <holdfast/core/random.h>
#include <holdfast/space/store.h>

#include "child_process.h"
#include "counter.h"
#include "support/catch.h"
#include "support/fixture.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;

/// A real file, workers that write to it, and what they acknowledged.
struct Site {
  explicit Site(std::size_t counters) : unacknowledged(counters, 0) {
    for (std::size_t i = 0; i < counters; ++i) {
      acknowledgements.push_back(dir / ("acknowledged-" + std::to_string(i)));
    }
  }
  std::vector<std::unique_ptr<ChildProcess>> start(std::size_t workers, long count) const {
    std::vector<std::string> arguments = {database, std::to_string(count)};
    arguments.insert(arguments.end(), acknowledgements.begin(), acknowledgements.end());
    std::vector<std::unique_ptr<ChildProcess>> started;
    while (started.size() < workers) {
      started.push_back(std::make_unique<ChildProcess>(HOLDFAST_CRASH_WORKER, arguments));
    }
    return started;
  }
  long acknowledged(std::size_t counter) const {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(acknowledgements[counter], missing);
    return missing ? 0 : static_cast<long>(bytes);
  }
  long acknowledged() const {
    long total = 0;
    for (std::size_t i = 0; i < acknowledgements.size(); ++i) total += acknowledged(i);
    return total;
  }
  /// Polls until something new was acknowledged. Bounded, so that a hang fails the test.
  void wait_for_progress(long before) {
    for (int i = 0; i < 60'000 && acknowledged() == before; ++i) clock.sleep_for(1ms);
    REQUIRE(acknowledged() > before);
  }
  /// Empty when the file is sound and every counter holds what was acknowledged, and at most
  /// `in_flight` more than at the last look.
  std::string judge(long in_flight) {
    const auto store = Store::open(std::filesystem::path(database));
    const auto report = store->verify();
    if (!report.is_clean()) return report.findings[0].check + ": " + report.findings[0].detail;
    const auto space = store->space("main", "tester");
    for (std::size_t i = 0; i < acknowledgements.size(); ++i) {
      const long told = acknowledged(i);
      const auto row = space.entities().find(counter_id(i));
      const long found = row ? count_of(*row) : 0;
      const long known = unacknowledged[i];
      unacknowledged[i] = found - told;
      if (unacknowledged[i] < known || unacknowledged[i] > known + in_flight) {
        return "counter " + std::to_string(i) + ": acknowledged " + std::to_string(told) +
               ", found " + std::to_string(found) + ", of those known before " +
               std::to_string(known);
      }
    }
    return "";
  }

  TempDir dir;
  core::SystemClock clock;
  std::string database = dir / "test.db";
  std::vector<std::string> acknowledgements;
  std::vector<long> unacknowledged;  ///< found beyond the acknowledged, for each counter
};

constexpr std::size_t kWorkers = 3;

/// Starts the workers, kills them all after 5 to 45 ms of work, and judges the file.
void kill_rounds(int rounds, std::uint64_t seed) {
  core::Random random(seed);
  std::unique_ptr<Site> site;
  for (int round = 0; round < rounds; ++round) {
    // A new file now and then, so that creation is hit too and verify stays short.
    if (round % 10 == 0) site = std::make_unique<Site>(2);
    const long before = site->acknowledged();
    const auto workers = site->start(kWorkers, 0);
    if (round % 10 != 0) site->wait_for_progress(before);
    site->clock.sleep_for(5ms + std::chrono::microseconds(random.below(40'000)));
    for (const auto& worker : workers) worker->send(SIGKILL);
    for (const auto& worker : workers) {
      const int status = worker->wait();
      REQUIRE(WIFSIGNALED(status));
    }
    CAPTURE(round, seed);
    if (std::filesystem::exists(site->database)) {
      (void)Store::open(std::filesystem::path(site->database))->create_space("main", "tester");
      REQUIRE(site->judge(kWorkers) == "");
    }
  }
}

/// Lets workers run to their end; each must end well.
void run_workers(const Site& site, std::size_t workers, long count) {
  for (const auto& worker : site.start(workers, count)) REQUIRE(worker->wait() == 0);
}

}  // namespace

TEST_CASE("kill -9 of three writing processes loses no acknowledged write (B1)", "[crash]") {
  kill_rounds(20, 1);
}

TEST_CASE("a hundred rounds of kill -9 lose no acknowledged write", "[crash][soak]") {
  kill_rounds(100, 2);
}

TEST_CASE("several processes that write to one file count exactly", "[crash]") {
  Site site(1);
  run_workers(site, 3, 100);
  CHECK(site.acknowledged() == 300);
  CHECK(site.judge(0) == "");
}

TEST_CASE("processes that create one database at the same time all succeed", "[crash]") {
  for (int i = 0; i < 5; ++i) {
    Site site(1);
    run_workers(site, 4, 1);
    CHECK(site.acknowledged() == 4);
    CHECK(site.judge(0) == "");
  }
}
