// Several processes of one thread each that write to one database at full durability, against one
// such process: what they reach together, how even their shares are, and how long a write waits.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>

#include "replacing.h"
#include "sample.h"
#include "support.h"

namespace holdfast::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kRowsEach = 600;
constexpr const char* kChildMode = "--child";

/// How long each write of one process took.
using Waits = std::vector<std::uint32_t>;

void write_all(int to, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  for (ssize_t done = 0; bytes > 0; at += done, bytes -= static_cast<std::size_t>(done)) {
    done = write(to, at, bytes);
    require(done > 0, "a pipe was closed");
  }
}

void read_all(int from, void* data, std::size_t bytes) {
  auto* at = static_cast<char*>(data);
  for (ssize_t done = 0; bytes > 0; at += done, bytes -= static_cast<std::size_t>(done)) {
    done = read(from, at, bytes);
    require(done > 0, "a process ended early");
  }
}

// --- a writing process: told to start by the end of its input, it answers on its output ---

/// Every `count`th row, from the one at `index` on.
std::vector<Entity> share_of(const Space& space, std::size_t index, std::size_t count) {
  std::vector<Entity> rows;
  PageRequest page{.limit = 1000, .cursor = ""};
  for (std::size_t seen = 0;;) {
    auto found = space.entities().list({}, page);
    for (Entity& row : found.items) {
      if (seen++ % count == index) rows.push_back(std::move(row));
    }
    if (!found.next) return rows;
    page.cursor = *found.next;
  }
}

void run_child(char** argv) {
  const auto store = Store::open(options_for(argv[0], storage::Durability::full));
  const Space space = store->space(kSpace, kActor);
  Replacing writer(share_of(space, std::stoul(argv[1]), std::stoul(argv[2])));
  const std::chrono::milliseconds duration(std::stoul(argv[3]));
  writer.prepare(50);
  writer.run(space);

  char start = 0;
  write_all(STDOUT_FILENO, "r", 1);
  require(read(STDIN_FILENO, &start, 1) == 0, "something on the input");
  Waits waits;
  const auto end = SteadyClock::now() + duration;
  for (auto before = SteadyClock::now(); before < end;) {
    writer.prepare(1);
    before = SteadyClock::now();
    writer.run(space);
    const std::chrono::duration<double, std::micro> took = SteadyClock::now() - before;
    waits.push_back(static_cast<std::uint32_t>(took.count()));
  }
  const std::uint64_t count = waits.size();
  write_all(STDOUT_FILENO, &count, sizeof count);
  write_all(STDOUT_FILENO, waits.data(), count * sizeof waits[0]);
}

// --- the process that starts them ---

class Child {
 public:
  Child(const std::filesystem::path& database, std::size_t index, std::size_t count,
        std::size_t milliseconds) {
    std::array<int, 2> input{};
    std::array<int, 2> output{};
    require(pipe(input.data()) == 0 && pipe(output.data()) == 0, "no pipe");
    const std::array<std::string, 6> words = {
        "bench_processes",       kChildMode,           database.string(), std::to_string(index),
        std::to_string(count), std::to_string(milliseconds)};
    process_ = fork();
    require(process_ >= 0, "cannot fork");
    if (process_ == 0) {
      dup2(input[0], STDIN_FILENO);
      dup2(output[1], STDOUT_FILENO);
      // Whatever else is open belongs to others, who would wait for its end.
      for (int other = 3; other < 256; ++other) close(other);
      std::array<char*, 7> arguments{};
      std::transform(words.begin(), words.end(), arguments.begin(),
                     [](const std::string& word) { return const_cast<char*>(word.c_str()); });
      execv("/proc/self/exe", arguments.data());
      _exit(127);
    }
    close(input[0]);
    close(output[1]);
    start_ = input[1];
    answer_ = output[0];
  }
  ~Child() {
    start();
    close(answer_);
    if (process_ > 0) waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void await_ready() const {
    char ready = 0;
    read_all(answer_, &ready, 1);
  }
  void start() {
    if (start_ >= 0) close(start_);
    start_ = -1;
  }
  Waits answer() const {
    std::uint64_t count = 0;
    read_all(answer_, &count, sizeof count);
    Waits waits(count);
    read_all(answer_, waits.data(), count * sizeof waits[0]);
    return waits;
  }

 private:
  pid_t process_ = -1;
  int start_ = -1;
  int answer_ = -1;
};

struct Outcome {
  Cost cost;           ///< of one write, of all processes together
  Cost slowest;        ///< of one write of the process that made the fewest, ...
  Cost equal;          ///< ... and had all made as many
  double share = 0;    ///< of that process in all writes
  Waits waits;         ///< sorted
  double wait_us(double quantile) const {
    const auto at = static_cast<std::size_t>(quantile * static_cast<double>(waits.size()));
    return waits[std::min(at, waits.size() - 1)];
  }
};

Outcome run_processes(const std::filesystem::path& database, std::size_t count,
                      std::size_t milliseconds) {
  std::vector<std::unique_ptr<Child>> children;
  for (std::size_t i = 0; i < count; ++i) {
    children.push_back(std::make_unique<Child>(database, i, count, milliseconds));
  }
  for (const auto& child : children) child->await_ready();
  for (const auto& child : children) child->start();
  Outcome outcome;
  std::size_t fewest = SIZE_MAX;
  for (const auto& child : children) {
    const Waits waits = child->answer();
    fewest = std::min(fewest, waits.size());
    outcome.waits.insert(outcome.waits.end(), waits.begin(), waits.end());
  }
  require(fewest > 0, "a process wrote nothing");
  std::sort(outcome.waits.begin(), outcome.waits.end());
  const auto us = static_cast<double>(milliseconds) * 1000;
  const auto total = static_cast<double>(outcome.waits.size());
  outcome.cost.wall_us = us / total;
  outcome.slowest.wall_us = us / static_cast<double>(fewest);
  outcome.equal.wall_us = us / total * static_cast<double>(count);
  outcome.share = static_cast<double>(fewest) / total;
  return outcome;
}

Measurement measurement(const std::string& name, std::string_view floor_is, Target target) {
  return {.bench = "processes",
          .name = name,
          .operation = "replace",
          .is_rate = true,
          .floor_is = floor_is,
          .target = target,
          .cpu_target = {},
          .ours = {},
          .floor = {},
          .also = {}};
}

void run(std::size_t rounds, std::size_t processes, std::size_t milliseconds) {
  const Folder folder;
  const auto database = folder.file("ours.db");
  make_database(database, kRowsEach * processes);
  const std::string name = std::to_string(processes) + " processes";
  auto against_one = measurement(name + " against one", "one process of one thread",
                                 {Target::Kind::at_least, 0.8});
  auto fairness = measurement("the slowest of " + name, "an equal share",
                              {Target::Kind::at_least, 0.15 * static_cast<double>(processes)});
  auto waiting = measurement("p99.9 of a write among " + name, "50 ms", {Target::Kind::at_most, 1});
  waiting.is_rate = false;

  std::vector<double> shares;
  std::array<std::vector<double>, 4> waits;
  constexpr std::array kQuantiles = {std::pair{"p50_us", 0.5}, std::pair{"p99_us", 0.99},
                                     std::pair{"p999_us", 0.999}, std::pair{"max_us", 1.0}};
  for (std::size_t round = 0; round < rounds; ++round) {
    const Outcome alone = run_processes(database, 1, milliseconds);
    const Outcome together = run_processes(database, processes, milliseconds);
    against_one.ours.push_back(together.cost);
    against_one.floor.push_back(alone.cost);
    fairness.ours.push_back(together.slowest);
    fairness.floor.push_back(together.equal);
    waiting.ours.push_back({.wall_us = together.wait_us(0.999)});
    waiting.floor.push_back({.wall_us = 50'000});
    shares.push_back(together.share);
    for (std::size_t i = 0; i < waits.size(); ++i) {
      waits[i].push_back(together.wait_us(kQuantiles[i].second));
    }
  }
  fairness.also = {{"slowest_share", median(shares)}};
  for (std::size_t i = 0; i < waits.size(); ++i) {
    waiting.also.emplace_back(kQuantiles[i].first, median(waits[i]));
  }
  print(against_one, folder);
  print(fairness, folder);
  print(waiting, folder);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  try {
    if (argc == 6 && std::strcmp(argv[1], holdfast::bench::kChildMode) == 0) {
      holdfast::bench::run_child(argv + 2);
      return 0;
    }
    const holdfast::bench::Arguments arguments(
        argc, argv, {{"rounds", 5}, {"processes", 4}, {"milliseconds", 2000}});
    holdfast::bench::run(arguments["rounds"], arguments["processes"], arguments["milliseconds"]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_processes: %s\n", error.what());
    return 1;
  }
}
