#pragma once

#include <cstdint>
#include <string>

#include <holdfast/graph/entity.h>

namespace holdfast::test {

/// The number in an entity whose properties are {"count":<n>}.
inline std::int64_t count_of(const Entity& entity) {
  return std::stoll(entity.properties.text().substr(std::string("{\"count\":").size()));
}

inline void set_count(Entity& entity, std::int64_t count) {
  entity.properties = JsonObject::parse("count", "{\"count\":" + std::to_string(count) + "}");
}

}  // namespace holdfast::test
