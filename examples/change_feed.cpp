// A program that keeps something up to date with the store: it takes every change in order, from
// where it left off, and sleeps while there is none.
#include <iostream>
#include <thread>

#include <holdfast/space/store.h>

using namespace holdfast;
using namespace std::chrono_literals;

int main(int, char** arguments) {
  const auto store = Store::open(arguments[1]);
  const Space space = store->create_space("default", "writer");

  std::thread writer([&] {
    Entity entity;
    entity.kind = "person";
    entity.name = "Ada";
    const EntityId id = space.entities().insert_if_absent(entity).current->id;
    (void)space.rename_entity(id, "Ada Lovelace");
    (void)space.entities().remove(id);
  });

  // A real follower stores this number beside what it makes of the events.
  Sequence seen = 0;
  while (seen < 4) {
    // Woken by a commit of any process; empty when ten seconds have brought none.
    for (const Event& event : space.tail(seen, 100, 10s)) {
      std::cout << event.seq << ' ' << event.op << ' ' << event.kind << '\n';
      seen = event.seq;
    }
  }
  writer.join();
}
