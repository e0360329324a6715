// counter_worker PATH DURABILITY SPACE ACTOR ENTITY TIMES: waits for the end of its input, then
// increments the entity's count that many times, each by an update: read, change, guarded write.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>

#include <holdfast/space/store.h>

#include "sim/counter.h"

using namespace holdfast;

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  try {
    StoreOptions options;
    options.database.path = argv[1];
    options.database.durability = std::string(argv[2]) == "full" ? storage::Durability::full
                                                                 : storage::Durability::normal;
    const auto store = Store::open(options);
    const Space space = store->space(argv[3], argv[4]);
    const auto id = EntityId::parse("entity", argv[5]);
    char end = 0;
    while (read(STDIN_FILENO, &end, 1) > 0) {
    }
    for (int left = std::stoi(argv[6]); left > 0; --left) {
      const auto result = space.entities().update(id, [&](Entity& row) {
        // Time to think, in which the other process can be faster.
        for (int thought = 0; thought < 10; ++thought) (void)space.tail();
        test::set_count(row, test::count_of(row) + 1);
      });
      if (!result.applied()) return 1;
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "counter_worker: %s\n", error.what());
    return 1;
  }
}
