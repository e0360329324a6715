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
  static std::vector<core::Field> fields(Edge& row);
};

}  // namespace holdfast::journal

namespace holdfast::graph {

using EdgeTable = journal::RowTable<Edge>;

/// Open ends as they are stored.
std::int64_t stored_from(const Edge& edge);
std::int64_t stored_to(const Edge& edge);

/// The fields that a caller may change, and those that make an edge the one it is.
std::vector<core::Field> edge_fields(Edge& edge, core::Fields mode);
void add_identity_fields(std::vector<core::Field>& fields, Edge& edge);

}  // namespace holdfast::graph
