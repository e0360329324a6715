#pragma once

#include <holdfast/graph/relation.h>
#include <holdfast/journal/row_table.h>

namespace holdfast::journal {

template <>
struct RowTraits<Relation> {
  static const TableSpec spec;
  static void bind(storage::Statement& to, int first, const Relation& row);
  static Relation read(const storage::Row& from, int first);
  static void write_body(core::JsonWriter& out, const Relation& row);
  static std::vector<core::Field> fields(Relation& row);
};

}  // namespace holdfast::journal

namespace holdfast::graph {

using RelationTable = journal::RowTable<Relation>;

}  // namespace holdfast::graph
