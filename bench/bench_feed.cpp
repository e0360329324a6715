// How long after a commit a follower has its event: in the same process, and in another one. The
// writer pauses between writes, so that the follower waits each time.

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <thread>

#include "sample.h"
#include "support.h"

extern char** environ;

namespace holdfast::bench {
namespace {

/// Follows the space to sequence `end`; the delays in microseconds, from the time that the writer
/// put into each row to the moment that its event is here.
std::vector<double> follow(const Space& space, Sequence from, Sequence end) {
  core::SystemClock clock;
  std::vector<double> delays;
  while (from < end) {
    for (const Event& event : space.tail(from, 100, std::chrono::seconds(10))) {
      from = event.seq;
      const auto row = graph::EntityStore::from_json(JsonObject::trusted(event.body.value()));
      delays.push_back(static_cast<double>(to_us(clock.now()) - std::stoll(row.name)));
    }
  }
  return delays;
}

void write(const Space& space, std::size_t count) {
  core::SystemClock clock;
  for (std::size_t i = 0; i < count; ++i) {
    clock.sleep_for(std::chrono::milliseconds(2));
    Entity entity;
    entity.kind = "tick";
    entity.name = std::to_string(to_us(clock.now()));
    require(space.entities().insert_if_absent(entity).applied(), "a write was refused");
  }
}

/// From the call of a write to its answer: what a follower's delay contains as well.
double write_us(const Space& space, std::size_t count) {
  std::vector<double> took;
  core::SystemClock clock;
  for (std::size_t i = 0; i < count; ++i) {
    Entity entity;
    entity.kind = "tick";
    entity.name = "write";
    const auto begun = clock.elapsed();
    require(space.entities().insert_if_absent(entity).applied(), "a write was refused");
    took.push_back(static_cast<double>((clock.elapsed() - begun).count()));
  }
  return median(took);
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(q * static_cast<double>(values.size() - 1)));
}

void report(const char* name, const std::vector<double>& delays, double write,
            const Folder& folder) {
  std::printf(
      "{\"bench\":\"feed\",\"name\":\"%s\",\"operation\":\"write to event\",\"events\":%zu,"
      "\"p50_us\":%.0f,\"p99_us\":%.0f,\"max_us\":%.0f,\"write_alone_us\":%.0f,"
      "\"target_p99_us\":20000,\"met\":%s,\"file_system\":\"%s\"}\n",
      name, delays.size(), quantile(delays, 0.5), quantile(delays, 0.99), quantile(delays, 1),
      write, quantile(delays, 0.99) <= 20'000 ? "true" : "false", folder.file_system().c_str());
  std::fflush(stdout);
}

void in_process(const Folder& folder, std::size_t count) {
  const auto store = Store::open(options_for(folder.file("in.db"), storage::Durability::full));
  const Space space = store->create_space(kSpace, kActor);
  const double alone = write_us(space, 50);
  const Sequence from = space.tail().seq;
  std::vector<double> delays;
  std::thread follower([&] { delays = follow(space, from, from + count); });
  write(space, count);
  follower.join();
  report("in one process", delays, alone, folder);
}

void across_processes(const Folder& folder, std::size_t count, char* self) {
  const auto path = folder.file("across.db");
  const auto store = Store::open(options_for(path, storage::Durability::full));
  const Space space = store->create_space(kSpace, kActor);
  const double alone = write_us(space, 50);
  const Sequence from = space.tail().seq;
  std::string database = path.string();
  std::string writes = std::to_string(count);
  char child[] = "--writer";
  char* const arguments[] = {self, child, database.data(), writes.data(), nullptr};
  pid_t pid = 0;
  require(posix_spawn(&pid, self, nullptr, nullptr, arguments, environ) == 0, "no second process");
  report("from another process", follow(space, from, from + count), alone, folder);
  int status = 0;
  require(waitpid(pid, &status, 0) == pid && status == 0, "the writing process failed");
}

int run(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--writer") {
    const auto store = Store::open(options_for(argv[2], storage::Durability::full));
    write(store->space(kSpace, kActor), std::stoul(argv[3]));
    return 0;
  }
  const Arguments arguments(argc, argv, {{"rounds", 1}, {"events", 2000}});
  const Folder folder;
  in_process(folder, arguments["events"]);
  across_processes(folder, arguments["events"], argv[0]);
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  try {
    return holdfast::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_feed: %s\n", error.what());
    return 1;
  }
}
