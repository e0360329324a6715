#pragma once

#include <barrier>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <holdfast/space/store.h>

#include "support/fixture.h"

namespace holdfast::test {

/// A fresh store as a program opens it: the operating system's clock, ids and randomness.
struct SystemStore {
  explicit SystemStore(storage::Durability durability = storage::Durability::normal) {
    options.database = backend->options();
    options.database.durability = durability;
    store = Store::open(options);
    space = std::make_unique<Space>(store->create_space("main", "tester"));
  }

  Entity add(Entity entity) {
    if (entity.kind.empty()) entity.kind = "thing";
    if (entity.name.empty()) entity.name = "thing";
    return space->entities().insert_if_absent(std::move(entity)).current.value();
  }

  std::unique_ptr<Backend> backend = backend_under_test();
  StoreOptions options;
  std::unique_ptr<Store> store;
  std::unique_ptr<Space> space;
};

/// Runs `work(i)` in that many threads, which all begin at once.
inline void at_once(std::size_t threads, const std::function<void(std::size_t)>& work) {
  std::barrier start(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
  }
  for (std::thread& thread : running) thread.join();
}

}  // namespace holdfast::test
