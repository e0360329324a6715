// Declared keys: looking an entity up by one against a join in C on the same database; building one
// over many entities while threads replace rows, and what each costs the other; and what one adds
// to a write.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <future>

#include "reading.h"
#include "replacing.h"
#include "sample.h"
#include "support.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kFindable = 10'000;
constexpr std::size_t kWriters = 8;
constexpr std::size_t kRowsEach = 200;
const KeyDeclaration kByName{.name = "name", .kind = "person", .path = "name"};
const KeyDeclaration kByEmail{.name = "email", .kind = "person", .path = "/email"};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

journal::RebuildReport declare(const Space& space, const KeyDeclaration& key, std::size_t batch) {
  auto result = space.declare_key(key, {.batch = batch});
  require(result.outcome == KeyOutcome::declared, "the key was not declared");
  return std::move(result.build);
}

Measurement begin(std::string name, std::string_view operation, std::string_view floor_is) {
  return {.bench = "keys",
          .name = std::move(name),
          .operation = operation,
          .floor_is = floor_is,
          .target = {},
          .cpu_target = {},
          .ours = {},
          .floor = {},
          .also = {}};
}

std::string email_of(std::size_t number) {
  return "person." + std::to_string(number) + "@example.org";
}

void give_emails(const Space& space, const std::vector<Entity>& entities) {
  for (std::size_t i = 0; i < entities.size(); ++i) {
    const auto patch = JsonObject::parse(
        "patch", R"({"properties":{"email":")" + email_of(i) + "\"}}");
    require(space.entities().patch(entities[i].id, patch).applied(), "a patch was refused");
  }
}

void run_find(std::size_t rounds, std::size_t reads) {
  const Folder folder;
  const auto path = folder.file("find.db");
  const auto entities = make_database(path, kFindable);
  const auto store = Store::open(options_for(path, storage::Durability::normal));
  const Space space = store->space(kSpace, kActor);
  give_emails(space, entities);
  declare(space, kByEmail, 64);
  const Reader floor = open_reader(path);
  floor_reader_knows_key(floor.get(), kSpace, "email");
  std::vector<std::string> texts;
  std::vector<std::string> values;
  std::vector<EntityId> ids;
  for (std::size_t i = 0; i < kFindable; ++i) {
    ids.push_back(entities[i].id);
    texts.push_back(email_of(i));
    values.push_back("\"" + email_of(i) + "\"");
  }

  Measurement measured = begin("find by key", "find", "C program, prepared join in BEGIN, COMMIT");
  measured.target = Target{Target::Kind::at_most, 1.3};
  std::vector<double> bare;
  for (std::size_t round = 0; round <= rounds; ++round) {
    std::size_t bytes = 0;
    const Cost ours = measure(reads, Cpu::thread, [&] {
      for (std::size_t i = 0; i < reads; ++i) {
        const std::size_t at = scattered(i, kFindable);
        require(space.find_by_key("email", texts[at])->id == ids[at], "another came");
      }
    });
    const auto its = [&](int in_transaction) {
      return measure(reads, Cpu::thread, [&] {
        for (std::size_t i = 0; i < reads; ++i) {
          const std::string& value = values[scattered(i, kFindable)];
          require(floor_find_by_key(floor.get(), value.c_str(), in_transaction, &bytes) == 1,
                  "no entity came");
        }
      });
    };
    const Cost framed = its(1);
    const Cost alone = its(0);
    if (round == 0) continue;
    measured.ours.push_back(ours);
    measured.floor.push_back(framed);
    bare.push_back(alone.wall_us);
  }
  measured.also = {{"bare_statement_us", median(bare)}};
  print(measured, folder);
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(q * static_cast<double>(values.size() - 1)));
}

/// Threads that replace rows of their own, and how long each replace took.
class Load {
 public:
  explicit Load(std::vector<Entity> rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows_[i % kWriters].push_back(rows[i]);
  }

  /// Replaces while `work` runs; the microseconds of every replace.
  std::vector<double> during(const Space& space, const std::function<void()>& work) {
    std::atomic<bool> is_over = false;
    std::vector<std::future<std::vector<double>>> running;
    for (auto& rows : rows_) {
      running.push_back(
          std::async(std::launch::async, [&] { return replace(space, rows, is_over); }));
    }
    work();
    is_over = true;
    std::vector<double> all;
    for (auto& thread : running) {
      const auto took = thread.get();
      all.insert(all.end(), took.begin(), took.end());
    }
    return all;
  }

 private:
  static std::vector<double> replace(const Space& space, std::vector<Entity>& rows,
                                     const std::atomic<bool>& is_over) {
    std::vector<double> took;
    for (std::uint64_t change = 1; !is_over; ++change) {
      Entity& row = rows[change % rows.size()];
      edit(row, change);
      const Expected as_read{.revision = row.revision, .deleted_at = row.deleted_at};
      const auto start = Clock::now();
      auto result = space.entities().replace(row, as_read);
      took.push_back(seconds_since(start) * 1e6);
      require(result.applied(), "a replace was refused");
      row = std::move(*result.current);
    }
    return took;
  }

  std::vector<Entity> rows_[kWriters];
};

struct Times {
  std::vector<double> idle_p50, idle_p99, loaded_p50, loaded_p99, p99_ratio;
  std::vector<double> alone_s, with_load_s, time_ratio, idle_rate, loaded_rate;
};

void run_round(const Space& space, Load& load, std::size_t batch, Times* times) {
  const auto timed_declare = [&] {
    const auto start = Clock::now();
    declare(space, kByName, batch);
    return seconds_since(start);
  };
  const double alone = timed_declare();
  space.undeclare_key("name");
  core::SystemClock clock;
  const double idle_for = std::max(1.0, alone);
  const auto idle = load.during(space, [&] {
    clock.sleep_for(std::chrono::microseconds(static_cast<std::int64_t>(idle_for * 1e6)));
  });
  double with_load = 0;
  const auto loaded = load.during(space, [&] { with_load = timed_declare(); });
  space.undeclare_key("name");
  if (times == nullptr) return;
  times->idle_p50.push_back(quantile(idle, 0.5));
  times->idle_p99.push_back(quantile(idle, 0.99));
  times->loaded_p50.push_back(quantile(loaded, 0.5));
  times->loaded_p99.push_back(quantile(loaded, 0.99));
  times->p99_ratio.push_back(quantile(loaded, 0.99) / quantile(idle, 0.99));
  times->alone_s.push_back(alone);
  times->with_load_s.push_back(with_load);
  times->time_ratio.push_back(with_load / alone);
  times->idle_rate.push_back(static_cast<double>(idle.size()) / idle_for);
  times->loaded_rate.push_back(static_cast<double>(loaded.size()) / with_load);
}

void run_backfill(std::size_t rounds, std::size_t entities, std::size_t batch) {
  const Folder folder;
  const auto path = folder.file("backfill.db");
  const auto rows = make_database(path, entities);
  const auto store = Store::open(options_for(path, storage::Durability::full));
  const Space space = store->space(kSpace, kActor);
  std::vector<Entity> replaced;
  for (std::size_t i = 0; i < kWriters * kRowsEach; ++i) {
    replaced.push_back(rows[scattered(i, rows.size())]);
  }
  Load load(std::move(replaced));
  Times times;
  for (std::size_t round = 0; round < rounds; ++round) run_round(space, load, batch, &times);
  const double p99 = median(times.p99_ratio);
  const double time = median(times.time_ratio);
  std::printf(
      "{\"bench\":\"keys\",\"case\":\"declare under load\",\"entities\":%zu,\"batch\":%zu,"
      "\"writers\":%zu,\"idle_p50_us\":%.0f,\"idle_p99_us\":%.0f,\"loaded_p50_us\":%.0f,"
      "\"loaded_p99_us\":%.0f,\"p99_ratio\":%.2f,\"p99_target\":\"<= 2\",\"idle_writes_s\":%.0f,"
      "\"loaded_writes_s\":%.0f,\"alone_s\":%.2f,\"with_load_s\":%.2f,\"time_ratio\":%.2f,"
      "\"time_target\":\"<= 3\",\"runs\":%zu,\"met\":%s,\"file_system\":\"%s\"}\n",
      entities, batch, kWriters, median(times.idle_p50), median(times.idle_p99),
      median(times.loaded_p50), median(times.loaded_p99), p99, median(times.idle_rate),
      median(times.loaded_rate), median(times.alone_s), median(times.with_load_s), time, rounds,
      p99 <= 2 && time <= 3 ? "true" : "false", folder.file_system().c_str());
  std::fflush(stdout);
}

void run_write(std::size_t rounds, std::size_t replaces) {
  const Folder folder;
  const auto keyed_path = folder.file("keyed.db");
  const auto plain_path = folder.file("plain.db");
  const auto rows = make_database(keyed_path, kFindable);
  std::filesystem::copy_file(keyed_path, plain_path);
  const auto keyed = Store::open(options_for(keyed_path, storage::Durability::normal));
  const auto plain = Store::open(options_for(plain_path, storage::Durability::normal));
  declare(keyed->space(kSpace, kActor), kByName, 64);
  Replacing with(rows);
  Replacing without(rows);
  Measurement measured = begin("replace with one key declared", "replace", "none declared");
  const auto run = [&](Store& store, Replacing& replacing) {
    const Space space = store.space(kSpace, kActor);
    replacing.prepare(replaces);
    return measure(replaces, Cpu::thread, [&] { replacing.run(space); });
  };
  for (std::size_t round = 0; round <= rounds; ++round) {
    const Cost ours = run(*keyed, with);
    const Cost its = run(*plain, without);
    if (round == 0) continue;
    measured.ours.push_back(ours);
    measured.floor.push_back(its);
  }
  print(measured, folder);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  const holdfast::bench::Arguments arguments(argc, argv,
                                             {{"rounds", 5},
                                              {"reads", 20'000},
                                              {"replaces", 2'000},
                                              {"backfills", 3},
                                              {"entities", 100'000},
                                              {"batch", 64},
                                              {"part", 4}});
  const std::size_t part = arguments["part"];  // 1 find, 2 write, 3 backfill, 4 all
  try {
    using namespace holdfast::bench;
    if (part == 1 || part > 3) run_find(arguments["rounds"], arguments["reads"]);
    if (part == 2 || part > 3) run_write(arguments["rounds"], arguments["replaces"]);
    if (part == 3 || part > 3) {
      run_backfill(arguments["backfills"], arguments["entities"], arguments["batch"]);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_keys: %s\n", error.what());
    return 1;
  }
}
