// Transactions of ten reads and two writes, against a C program that runs the same statements by
// hand: ten reads, the same ten again to see whether they still hold, and two guarded replaces with
// their events in one transaction. The store looks at what was read under its lock, and keeps the
// answer.

#include <cstdio>
#include <exception>

#include "floor.h"
#include "replacing.h"
#include "sample.h"
#include "support.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kReads = 10;
constexpr std::size_t kWrites = 2;

struct Case {
  storage::Durability durability;
  std::string name;
};

/// Of the transaction with that number: each reads rows of its own.
const Entity& row_of(const std::vector<Entity>& rows, std::size_t transaction, std::size_t read) {
  return rows[scattered(transaction * kReads + read + 1, rows.size())];
}

void run_ours(const Space& space, const std::vector<Entity>& rows, std::size_t first,
              std::size_t count) {
  for (std::size_t i = first; i < first + count; ++i) {
    const auto result = space.transact([&](Transaction& transaction) {
      for (std::size_t read = 0; read < kReads; ++read) {
        Entity row = transaction.get(row_of(rows, i, read).id);
        if (read >= kWrites) continue;
        edit(row, i + 1);
        transaction.replace(std::move(row));
      }
    });
    require(result.applied(), "a transaction was refused");
  }
}

void run_floor(FloorReplacing& replaces, FloorReader* reader, const std::vector<Entity>& rows,
               std::size_t first, std::size_t count) {
  std::size_t bytes = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    for (std::size_t read = 0; read < 2 * kReads; ++read) {
      const Entity& row = row_of(rows, i, read % kReads);
      require(floor_get(reader, row.id.uuid.bytes.data(), &bytes) == 1, "a row was not found");
    }
  }
  replaces.run(kWrites);
}

void run_case(const Case& how, std::size_t rows_count, std::size_t count, std::size_t rounds) {
  const Folder folder;
  const auto ours_path = folder.file("ours.db");
  const auto floor_path = folder.file("floor.db");
  const auto rows = make_database(ours_path, rows_count);
  std::filesystem::copy_file(ours_path, floor_path);
  Measurement measured{.bench = "transact",
                       .name = how.name,
                       .operation = "transaction",
                       .floor_is = "C program, same statements and events",
                       .target = std::nullopt,
                       .cpu_target = {},
                       .ours = {},
                       .floor = {},
                       .also = {}};
  {
    const auto store = Store::open(options_for(ours_path, how.durability));
    const Space space = store->space(kSpace, kActor);
    FloorReplacing replaces(rows, floor_path, how.durability);
    FloorReader* const reader = floor_reader_open(floor_path.c_str(), kSpace);
    // The first round warms both up and is not counted.
    for (std::size_t round = 0; round <= rounds; ++round) {
      replaces.prepare(count * kWrites);
      const Cost ours = measure(count, Cpu::thread, [&] {
        run_ours(space, rows, round * count, count);
      });
      const Cost floor = measure(count, Cpu::thread, [&] {
        run_floor(replaces, reader, rows, round * count, count);
      });
      if (round == 0) continue;
      measured.ours.push_back(ours);
      measured.floor.push_back(floor);
    }
    floor_reader_close(reader);
    const std::size_t events = 1 + rows_count + (rounds + 1) * count * kWrites;
    require(space.tail().seq == events, "other events were made than should be");
  }
  print(measured, folder);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  using namespace holdfast;
  using storage::Durability;
  const bench::Arguments arguments(
      argc, argv, {{"rounds", 7}, {"transactions", 300}, {"rows", 10'000}});
  try {
    for (const bench::Case& how :
         {bench::Case{Durability::full, "10 reads and 2 writes, full"},
          bench::Case{Durability::normal, "10 reads and 2 writes, normal"}}) {
      bench::run_case(how, arguments["rows"], arguments["transactions"], arguments["rounds"]);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_transact: %s\n", error.what());
    return 1;
  }
}
