// Reading an entity by id, and the neighbours of a hub, against prepared statements in C.

#include <cstdio>
#include <exception>

#include "reading.h"
#include "sample.h"
#include "support.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kEntities = 10'000;
constexpr std::size_t kNeighbors = 100;  ///< of the hub, the first entity

Measurement begin(std::string name, std::string_view operation, double target) {
  return {.bench = "read",
          .name = std::move(name),
          .operation = operation,
          .floor_is = "C program, prepared statement",
          .target = Target{Target::Kind::at_most, target},
          .cpu_target = {},
          .ours = {},
          .floor = {},
          .also = {}};
}

void add_edges(const std::filesystem::path& path, const std::vector<Entity>& entities) {
  const auto store = Store::open(options_for(path, storage::Durability::normal));
  const Space space = store->space(kSpace, kActor);
  for (std::size_t i = 1; i <= kNeighbors; ++i) {
    Edge edge;
    edge.source = entities.front().id;
    edge.relation = "knows";
    edge.target = entities[scattered(i, entities.size())].id;
    require(space.edges().insert_if_absent(edge).applied(), "an edge was refused");
  }
}

void run_get(const Folder& folder, const Space& space, FloorReader* floor,
             const std::vector<Entity>& entities, std::size_t rounds, std::size_t reads) {
  Measurement measured = begin("get by id", "get", 4);
  for (std::size_t round = 0; round <= rounds; ++round) {
    std::size_t bytes = 0;
    const Cost ours = measure(reads, Cpu::thread, [&] {
      for (std::size_t i = 0; i < reads; ++i) {
        const Entity& wanted = entities[scattered(i, entities.size())];
        require(space.entities().get(wanted.id).name == wanted.name, "another entity came");
      }
    });
    const Cost its = measure(reads, Cpu::thread, [&] {
      for (std::size_t i = 0; i < reads; ++i) {
        const Entity& wanted = entities[scattered(i, entities.size())];
        require(floor_get(floor, wanted.id.uuid.bytes.data(), &bytes) == 1, "no entity came");
      }
    });
    if (round == 0) continue;
    measured.ours.push_back(ours);
    measured.floor.push_back(its);
  }
  print(measured, folder);
}

void run_neighbors(const Folder& folder, const Space& space, FloorReader* floor, EntityId hub,
                   std::size_t rounds, std::size_t pages) {
  Measurement measured =
      begin("hub with " + std::to_string(kNeighbors) + " neighbours", "page", 4);
  for (std::size_t round = 0; round <= rounds; ++round) {
    std::size_t bytes = 0;
    const Cost ours = measure(pages, Cpu::thread, [&] {
      for (std::size_t i = 0; i < pages; ++i) {
        require(space.neighbors(hub).items.size() == kNeighbors, "neighbours are missing");
      }
    });
    const Cost its = measure(pages, Cpu::thread, [&] {
      for (std::size_t i = 0; i < pages; ++i) {
        const std::size_t found =
            floor_neighbors(floor, hub.uuid.bytes.data(), kNeighbors + 1, &bytes);
        require(found == kNeighbors, "the floor's neighbours are missing");
      }
    });
    if (round == 0) continue;
    measured.ours.push_back(ours);
    measured.floor.push_back(its);
  }
  print(measured, folder);
}

void run(std::size_t rounds, std::size_t reads) {
  const Folder folder;
  const auto path = folder.file("read.db");
  const auto entities = make_database(path, kEntities);
  add_edges(path, entities);
  const auto store = Store::open(options_for(path, storage::Durability::full));
  const Space space = store->space(kSpace, kActor);
  const Reader floor = open_reader(path);
  run_get(folder, space, floor.get(), entities, rounds, reads);
  run_neighbors(folder, space, floor.get(), entities.front().id, rounds, reads / 50);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  const holdfast::bench::Arguments arguments(argc, argv, {{"rounds", 9}, {"reads", 20'000}});
  try {
    holdfast::bench::run(arguments["rounds"], arguments["reads"]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_read: %s\n", error.what());
    return 1;
  }
}
