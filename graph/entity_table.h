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
};

}  // namespace holdfast::journal

namespace holdfast::graph {

using EntityTable = journal::RowTable<Entity>;

}  // namespace holdfast::graph
