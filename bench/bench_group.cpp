// Group commit: 1, 16 and 64 threads replacing rows of their own at full durability, against one
// thread, and against a C program that commits the same statements in batches of the same size.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <future>

#include "replacing.h"
#include "sample.h"
#include "support.h"

namespace holdfast::bench {
namespace {

constexpr auto kDurability = storage::Durability::full;
constexpr std::size_t kRowsEach = 600;

using Share = std::vector<Entity>;

/// Equal shares of the rows, one for each of the writers.
std::vector<Share> shares_of(const std::vector<Entity>& rows, std::size_t count) {
  std::vector<Share> shares(count);
  for (std::size_t i = 0; i < rows.size(); ++i) shares[i % count].push_back(rows[i]);
  return shares;
}

class Contest {
 public:
  Contest(const Folder& folder, std::size_t threads)
      : ours_path_(folder.file("ours.db")), floor_path_(folder.file("floor.db")) {
    const auto rows = make_database(ours_path_, kRowsEach * (threads + 1));
    std::filesystem::copy_file(ours_path_, floor_path_);
    store_ = Store::open(options_for(ours_path_, kDurability));
    auto shares = shares_of(rows, threads + 1);
    alone_.emplace_back(std::move(shares.back()));
    shares.pop_back();
    for (Share& share : shares) together_.emplace_back(std::move(share));
    floor_ = std::make_unique<FloorReplacing>(rows, floor_path_, kDurability);
    row_count_ = rows.size();
  }

  Cost run_alone(std::size_t replaces) { return run(alone_, replaces); }
  Cost run_together(std::size_t replaces_each) {
    const auto before = store_->database().writer().stats();
    const Cost cost = run(together_, replaces_each);
    const auto after = store_->database().writer().stats();
    mean_batch_ = static_cast<double>(after.changes - before.changes) /
                  static_cast<double>(after.commits - before.commits);
    return cost;
  }
  Cost run_floor(std::size_t replaces, std::size_t batch) {
    floor_->prepare(replaces);
    floor_made_ += replaces;
    return measure(replaces, Cpu::process, [&] { floor_->run(batch); });
  }

  /// Of the last run of all threads.
  double mean_batch() const { return mean_batch_; }

  void finish() {
    store_.reset();
    floor_.reset();
    const auto events = [](const std::filesystem::path& path) {
      sqlite3* db = floor_open(path.c_str(), kFloorReads);
      const long long count = floor_integer(db, "SELECT count(*) FROM events");
      floor_close(db);
      return static_cast<std::size_t>(count);
    };
    require(events(ours_path_) == 1 + row_count_ + made_, "replaces are missing");
    require(events(floor_path_) == 1 + row_count_ + floor_made_, "the floor's are missing");
  }

 private:
  Cost run(std::vector<Replacing>& writers, std::size_t replaces_each) {
    for (Replacing& writer : writers) writer.prepare(replaces_each);
    made_ += replaces_each * writers.size();
    const Space space = store_->space(kSpace, kActor);
    return measure(replaces_each * writers.size(), Cpu::process, [&] {
      std::vector<std::future<void>> running;
      for (Replacing& writer : writers) {
        running.push_back(std::async(std::launch::async, [&] { writer.run(space); }));
      }
      for (auto& thread : running) thread.get();
    });
  }

  const std::filesystem::path ours_path_;
  const std::filesystem::path floor_path_;
  std::unique_ptr<Store> store_;
  std::vector<Replacing> alone_;
  std::vector<Replacing> together_;
  std::unique_ptr<FloorReplacing> floor_;
  std::size_t row_count_ = 0;
  std::size_t made_ = 0;
  std::size_t floor_made_ = 0;
  double mean_batch_ = 1;
};

Measurement measurement(const std::string& name, std::string_view floor_is, double target) {
  return {.bench = "group",
          .name = name,
          .operation = "replace",
          .is_rate = true,
          .floor_is = floor_is,
          .target = Target{Target::Kind::at_least, target},
          .cpu_target = {},
          .ours = {},
          .floor = {},
          .also = {}};
}

struct Case {
  std::size_t threads;
  double gain_target;  ///< over one thread
};

void run(const Case& how, std::size_t rounds, std::size_t replaces_each) {
  const Folder folder;
  Contest contest(folder, how.threads);
  const std::string name =
      how.threads == 1 ? "1 thread" : std::to_string(how.threads) + " threads";
  auto against_one =
      measurement(name + " against one", "one thread, same store", how.gain_target);
  auto against_c = measurement(
      name + " against C", "C program, one thread, same statements, as many in a commit", 0.7);

  std::vector<double> batches;
  std::vector<double> c_gains;
  // The first round warms all up and is not counted.
  for (std::size_t round = 0; round <= rounds; ++round) {
    const Cost alone = contest.run_alone(replaces_each);
    const Cost together = contest.run_together(replaces_each);
    const auto batch = static_cast<std::size_t>(std::lround(contest.mean_batch()));
    const Cost floor = contest.run_floor(how.threads * replaces_each, batch);
    const Cost floor_alone = contest.run_floor(replaces_each, 1);
    if (round == 0) continue;
    batches.push_back(contest.mean_batch());
    c_gains.push_back(floor_alone.wall_us / floor.wall_us);
    against_one.ours.push_back(together);
    against_one.floor.push_back(alone);
    against_c.ours.push_back(together);
    against_c.floor.push_back(floor);
  }
  contest.finish();
  // What batching can gain at all depends on how long this disk takes to sync: the C program's
  // own gain says how much was to be had.
  against_one.also = {{"changes_a_commit", median(batches)}, {"c_program_gain", median(c_gains)}};
  against_c.also = {{"changes_a_commit", median(batches)}};
  if (how.threads > 1) print(against_one, folder);
  print(against_c, folder);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  using holdfast::bench::Case;
  const holdfast::bench::Arguments arguments(argc, argv, {{"rounds", 5}, {"replaces", 200}});
  try {
    for (const Case& how : {Case{.threads = 1, .gain_target = 1},
                            Case{.threads = 16, .gain_target = 4},
                            Case{.threads = 64, .gain_target = 6}}) {
      holdfast::bench::run(how, arguments["rounds"], arguments["replaces"]);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_group: %s\n", error.what());
    return 1;
  }
}
