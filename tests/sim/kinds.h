#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/simulation.h"

/// What differs between the kinds of row, for code that is written once for all of them.
namespace holdfast::test {

template <class Row>
const auto& collection(const Space& space) {
  if constexpr (std::is_same_v<Row, Entity>) {
    return space.entities();
  } else if constexpr (std::is_same_v<Row, Edge>) {
    return space.edges();
  } else {
    return space.notes();
  }
}

template <class Row>
using RowsOf = std::decay_t<decltype(collection<Row>(std::declval<const Space&>()))>;

template <class Row>
std::vector<Row>& memory(Client& client) {
  if constexpr (std::is_same_v<Row, Entity>) {
    return client.entities;
  } else if constexpr (std::is_same_v<Row, Edge>) {
    return client.edges;
  } else {
    return client.notes;
  }
}

template <class Row>
constexpr const char* kind_name() {
  if constexpr (std::is_same_v<Row, Entity>) {
    return "entity";
  } else if constexpr (std::is_same_v<Row, Edge>) {
    return "edge";
  } else {
    return "note";
  }
}

template <class Row>
std::string row_text(const std::optional<Row>& row) {
  if (!row) return "no row";
  return RowsOf<Row>::to_json(*row);
}

inline void copy_field(const Entity& from, std::uint64_t field, Entity& to) {
  if (field == 0) to.name = from.name;
  if (field == 1) to.kind = from.kind;
  if (field == 2) to.properties = from.properties;
}
inline void copy_field(const Edge& from, std::uint64_t field, Edge& to) {
  if (field == 0) to.weight = from.weight;
  if (field == 1) to.valid_to = from.valid_to;
  if (field == 2) to.properties = from.properties;
}
inline void copy_field(const Note& from, std::uint64_t field, Note& to) {
  if (field == 0) to.content = from.content;
  if (field == 1) to.key = from.key;
  if (field == 2) to.about = from.about;
}

}  // namespace holdfast::test
