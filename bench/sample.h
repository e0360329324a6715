#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <holdfast/space/store.h>

namespace holdfast::bench {

inline constexpr const char* kSpace = "bench";
inline constexpr const char* kActor = "agent";

StoreOptions options_for(const std::filesystem::path& database, storage::Durability durability);

/// An entity as an agent's memory has them: a name, two tags, some 120 bytes of properties, one of
/// which counts the changes, so that every replace writes something new.
Entity make_entity(std::size_t number);
void edit(Entity& entity, std::uint64_t change);

/// Makes a database with the space and `count` entities; the file is whole when this returns, the
/// log empty.
std::vector<Entity> make_database(const std::filesystem::path& database, std::size_t count);

/// Visits 0 to count - 1 in an order that jumps, the same for every caller.
inline std::size_t scattered(std::size_t step, std::size_t count) {
  return (step * 2'654'435'761U) % count;
}

}  // namespace holdfast::bench
