#pragma once

#include <cstdint>

#include <holdfast/graph/edge.h>
#include <holdfast/journal/row_table.h>

namespace holdfast::journal {

template <>
struct RowTraits<Edge> {
  static const TableSpec spec;
  static void bind(storage::Statement& to, int first, const Edge& row);
  static Edge read(const storage::Row& from, int first);
  static void write_body(core::JsonWriter& out, const Edge& row);
};

}  // namespace holdfast::journal

namespace holdfast::graph {

using EdgeTable = journal::RowTable<Edge>;

/// Open ends as they are stored.
std::int64_t stored_from(const Edge& edge);
std::int64_t stored_to(const Edge& edge);

}  // namespace holdfast::graph
