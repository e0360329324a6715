#pragma once

#include <string>

#include <holdfast/graph/entity.h>

namespace holdfast::test {

/// The entity that a worker process counts in, and how its properties hold the count.
inline EntityId counter_id(std::size_t number) {
  return {uuid_v5(Uuid{}, "counter " + std::to_string(number))};
}
inline JsonObject counter_value(long count) {
  return JsonObject::parse("properties", "{\"n\":" + std::to_string(count) + "}");
}
inline long count_of(const Entity& counter) {
  return std::stol(counter.properties.text().substr(std::string("{\"n\":").size()));
}

}  // namespace holdfast::test
