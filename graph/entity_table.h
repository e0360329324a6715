#pragma once

#include <holdfast/core/input.h>
#include <holdfast/graph/entity.h>
#include <holdfast/journal/row_table.h>

namespace holdfast::journal {

template <>
struct RowTraits<Entity> {
  static const TableSpec spec;
  static void bind(storage::Statement& to, int first, const Entity& row);
  static Entity read(const storage::Row& from, int first);
  static void write_body(core::JsonWriter& out, const Entity& row);
  static std::vector<core::Field> fields(Entity& row);
};

}  // namespace holdfast::journal

namespace holdfast::graph {

using EntityTable = journal::RowTable<Entity>;

/// The fields that a caller may change.
std::vector<core::Field> entity_fields(Entity& entity, core::Fields mode);

}  // namespace holdfast::graph
