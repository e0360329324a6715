// Plans of guarded replaces, against a C program that runs the same guarded statements and makes
// the same events in one transaction a plan. The store also looks at every expectation before it
// writes, and keeps the plan's answer.

#include <cstdio>
#include <exception>

#include "replacing.h"
#include "sample.h"
#include "support.h"

namespace holdfast::bench {
namespace {

struct Case {
  storage::Durability durability;
  std::string name;
  std::size_t steps;  ///< of one plan
  std::size_t plans;  ///< in a round
  std::optional<Target> target;
};

void run_case(const Case& how, std::size_t rows_count, std::size_t rounds) {
  const Folder folder;
  const auto ours_path = folder.file("ours.db");
  const auto floor_path = folder.file("floor.db");
  const auto rows = make_database(ours_path, rows_count);
  std::filesystem::copy_file(ours_path, floor_path);

  Measurement measured{.bench = "plan",
                       .name = how.name,
                       .operation = "step",
                       .floor_is = "C program, same statements and events",
                       .target = how.target,
                       .cpu_target = {},
                       .ours = {},
                       .floor = {},
                       .also = {}};
  const std::size_t replaces = how.steps * how.plans;
  {
    const auto store = Store::open(options_for(ours_path, how.durability));
    const Space space = store->space(kSpace, kActor);
    Replacing ours(rows);
    FloorReplacing floor(rows, floor_path, how.durability);
    // The first round warms both up and is not counted.
    for (std::size_t round = 0; round <= rounds; ++round) {
      ours.prepare(replaces);
      floor.prepare(replaces);
      const Cost our_cost =
          measure(replaces, Cpu::thread, [&] { ours.run_in_plans(space, how.steps); });
      const Cost floor_cost = measure(replaces, Cpu::thread, [&] { floor.run(how.steps); });
      if (round == 0) continue;
      measured.ours.push_back(our_cost);
      measured.floor.push_back(floor_cost);
    }
  }
  require_same_events(ours_path, floor_path, 1 + rows_count + (rounds + 1) * replaces);
  print(measured, folder);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  using namespace holdfast;
  using storage::Durability;
  const bench::Arguments arguments(
      argc, argv, {{"rounds", 7}, {"plans", 20}, {"rows", 10'000}});
  const bench::Target target{bench::Target::Kind::at_most, 1.5};
  const std::size_t plans = arguments["plans"];
  try {
    for (const bench::Case& how :
         {bench::Case{Durability::full, "100 steps, full", 100, plans, target},
          bench::Case{Durability::normal, "100 steps, normal", 100, plans, target},
          bench::Case{Durability::full, "10,000 steps, full", 10'000, 1, std::nullopt}}) {
      bench::run_case(how, arguments["rows"], arguments["rounds"]);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_plan: %s\n", error.what());
    return 1;
  }
}
