// The import of WordNet against a C program that inserts the finished rows and events.

#include <chrono>
#include <cstdio>
#include <exception>

#include <holdfast/exchange/wordnet.h>

#include "floor.h"
#include "sample.h"
#include "support.h"

namespace holdfast::bench {
namespace {

constexpr const char* kWordNet = "/usr/share/wordnet";
constexpr auto kDurability = storage::Durability::full;
constexpr std::size_t kRowsAtOnce = 1000;  ///< in a transaction, as in import_wordnet()

struct Import {
  Cost cost;            ///< of one row, closing the database included
  double source_s = 0;  ///< until the first transaction: reading and checking the source
  std::size_t rows = 0;
};

Import import_ours(const std::filesystem::path& path) {
  Import import;
  Cost sum = measure(1, Cpu::process, [&] {
    const auto store = Store::open(options_for(path, kDurability));
    const Space space = store->create_space(kSpace, kActor);
    const auto start = std::chrono::steady_clock::now();
    const auto report = exchange::import_wordnet(
        space, kWordNet, [&](const exchange::ImportProgress&) {
          const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
          if (import.source_s == 0) import.source_s = passed.count();
          return true;
        });
    require(report.complete && report.edges.skipped == 0, "the import is not complete");
    import.rows = report.entities.created + report.notes.created + report.edges.created;
  });
  const auto rows = static_cast<double>(import.rows);
  import.cost = {.wall_us = sum.wall_us / rows, .cpu_us = sum.cpu_us / rows};
  return import;
}

/// Only the time that the floor spends writing; it reads from the database that ours has become.
Cost copy_floor(const std::filesystem::path& from, const std::filesystem::path& to,
                std::size_t rows) {
  // An empty space to copy into, made as ours was.
  (void)Store::open(options_for(to, kDurability))->create_space(kSpace, kActor);
  FloorCopy* copy = floor_copy_open(from.c_str(), to.c_str(), kFloorWritesFull, kSpace);
  Cost sum;
  const auto add = [&](const Cost& cost) {
    sum.wall_us += cost.wall_us;
    sum.cpu_us += cost.cpu_us;
  };
  while (floor_copy_read(copy, kRowsAtOnce) > 0) {
    add(measure(rows, Cpu::process, [&] { floor_copy_write(copy); }));
    floor_copy_forget(copy);
  }
  add(measure(rows, Cpu::process, [&] { floor_copy_close(copy); }));
  return sum;
}

/// Every table by its number of rows and what can be summed.
std::vector<long long> contents(const std::filesystem::path& path) {
  sqlite3* db = floor_open(path.c_str(), kFloorReads);
  std::vector<long long> numbers;
  for (const char* sql :
       {"SELECT count(*) FROM events", "SELECT sum(length(body)) FROM events",
        "SELECT count(*) FROM relations", "SELECT sum(seq) FROM hoods",
        "SELECT count(*) FROM hoods", "SELECT sum(seq) FROM entities", "SELECT sum(seq) FROM notes",
        "SELECT sum(seq) FROM edges", "SELECT last_seq FROM spaces"}) {
    numbers.push_back(floor_integer(db, sql));
  }
  floor_close(db);
  return numbers;
}

void run(std::size_t rounds) {
  const Folder folder;
  Measurement measured{.bench = "import",
                       .name = "wordnet",
                       .operation = "row",
                       .floor_is = "C program inserting the same rows, events and index entries",
                       .target = Target{Target::Kind::at_most, 2.5},
                       .cpu_target = {},
                       .ours = {},
                       .floor = {},
                       .also = {}};
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto ours_path = folder.file("ours.db");
    const auto floor_path = folder.file("floor.db");
    const Import import = import_ours(ours_path);
    measured.ours.push_back(import.cost);
    measured.floor.push_back(copy_floor(ours_path, floor_path, import.rows));
    require(contents(ours_path) == contents(floor_path), "the floor wrote other rows");
    const auto bytes = static_cast<double>(std::filesystem::file_size(ours_path));
    const auto rows = static_cast<double>(import.rows);
    measured.also = {{"rows", rows},
                     {"rows_per_s", 1e6 / import.cost.wall_us},
                     {"source_s", import.source_s},
                     {"database_bytes", bytes},
                     {"bytes_per_row", bytes / rows}};
    std::filesystem::remove(ours_path);
    std::filesystem::remove(floor_path);
  }
  print(measured, folder);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  const holdfast::bench::Arguments arguments(argc, argv, {{"rounds", 1}});
  try {
    holdfast::bench::run(arguments["rounds"]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_import: %s\n", error.what());
    return 1;
  }
}
