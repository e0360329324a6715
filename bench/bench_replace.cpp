// A guarded replace alone, one thread, against a C program that runs the same statements.

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
  std::size_t rows;  ///< the changes jump between them
  std::size_t replaces;
  double wall_target;
};

void run_case(const Case& how, std::size_t rounds) {
  const Folder folder;
  const auto ours_path = folder.file("ours.db");
  const auto floor_path = folder.file("floor.db");
  const auto rows = make_database(ours_path, how.rows);
  std::filesystem::copy_file(ours_path, floor_path);

  Measurement measured{.bench = "replace",
                       .name = how.name,
                       .operation = "replace",
                       .floor_is = "C program, same statements and events",
                       .target = Target{Target::Kind::at_most, how.wall_target},
                       .cpu_target = Target{Target::Kind::at_most, 2},
                       .ours = {},
                       .floor = {},
                       .also = {}};
  {
    const auto store = Store::open(options_for(ours_path, how.durability));
    const Space space = store->space(kSpace, kActor);
    Replacing ours(rows);
    FloorReplacing floor(rows, floor_path, how.durability);
    // The first round warms both up and is not counted.
    for (std::size_t round = 0; round <= rounds; ++round) {
      ours.prepare(how.replaces);
      floor.prepare(how.replaces);
      const Cost our_cost =
          measure(how.replaces, Cpu::thread, [&] { ours.run(space); });
      const Cost floor_cost = measure(how.replaces, Cpu::thread, [&] { floor.run(1); });
      if (round == 0) continue;
      measured.ours.push_back(our_cost);
      measured.floor.push_back(floor_cost);
    }
  }
  require_same_events(ours_path, floor_path, 1 + how.rows + (rounds + 1) * how.replaces);
  print(measured, folder);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  using namespace holdfast;
  using storage::Durability;
  const bench::Arguments arguments(
      argc, argv, {{"rounds", 7}, {"full", 200}, {"normal", 4000}, {"rows", 10'000}});
  const std::size_t rows = arguments["rows"];
  const std::size_t full = arguments["full"];
  const std::size_t normal = arguments["normal"];
  try {
    // The fewer rows, the fewer pages each commit touches, and the more our own work shows.
    for (const bench::Case& how : {bench::Case{Durability::full, "full", rows, full, 1.2},
                                   bench::Case{Durability::full, "full, 100 rows", 100, full, 1.2},
                                   bench::Case{Durability::normal, "normal", rows, normal, 1.5},
                                   bench::Case{Durability::normal, "normal, 100 rows", 100, normal,
                                               1.5}}) {
      bench::run_case(how, arguments["rounds"]);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_replace: %s\n", error.what());
    return 1;
  }
}
