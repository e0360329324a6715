#include "edge_table.h"

#include <algorithm>

#include <holdfast/core/limits.h>

namespace holdfast {

Timestamp within_validity(Timestamp time) {
  return std::clamp(time, from_us(core::kTimeMin), from_us(core::kTimeMax - 1));
}

}  // namespace holdfast

namespace holdfast::graph {

std::int64_t stored_from(const Edge& edge) {
  return edge.valid_from ? to_us(*edge.valid_from) : core::kTimeMin;
}

std::int64_t stored_to(const Edge& edge) {
  return edge.valid_to ? to_us(*edge.valid_to) : core::kTimeMax;
}

std::vector<core::Field> edge_fields(Edge& edge, core::Fields mode) {
  return {
      {"weight", [&](const JsonMember& m) { edge.weight = core::real_field(m); }},
      {"properties",
       [&edge, mode](const JsonMember& m) {
         edge.properties = core::object_field(m, mode, edge.properties);
       }},
      {"valid_to", [&](const JsonMember& m) { edge.valid_to = core::optional_time_field(m); }}};
}

void add_identity_fields(std::vector<core::Field>& fields, Edge& edge) {
  fields.insert(
      fields.end(),
      {{"source", [&](const JsonMember& m) { edge.source = {core::id_field(m)}; }},
       {"relation", [&](const JsonMember& m) { edge.relation = core::string_field(m); }},
       {"target", [&](const JsonMember& m) { edge.target = {core::id_field(m)}; }},
       {"valid_from",
        [&](const JsonMember& m) { edge.valid_from = core::optional_time_field(m); }}});
}

}  // namespace holdfast::graph

namespace holdfast::journal {
namespace {

std::optional<Timestamp> read_time(std::int64_t stored, std::int64_t open) {
  if (stored == open) return std::nullopt;
  return from_us(stored);
}

void write_time(core::JsonWriter& out, std::string_view key,
                const std::optional<Timestamp>& time) {
  if (time) {
    out.integer(key, to_us(*time));
  } else {
    out.null(key);
  }
}

}  // namespace

const TableSpec RowTraits<Edge>::spec{
    .kind = "edge",
    .table = "edges",
    .columns = {"source", "relation", "target", "weight", "properties", "valid_from", "valid_to",
                "deleted_with"},
    .fixed = {"source", "relation", "target", "valid_from"},
    .indexed = {"deleted_with"}};

void RowTraits<Edge>::bind(storage::Statement& to, int first, const Edge& row) {
  to.bind_at(first, row.source)
      .bind_at(first + 1, row.relation)
      .bind_at(first + 2, row.target)
      .bind_at(first + 3, row.weight)
      .bind_at(first + 4, row.properties.text())
      .bind_at(first + 5, graph::stored_from(row))
      .bind_at(first + 6, graph::stored_to(row))
      .bind_at(first + 7, row.deleted_with);
}

Edge RowTraits<Edge>::read(const storage::Row& from, int first) {
  Edge row;
  row.source = from.get<EntityId>(first);
  row.relation = from.get<std::string>(first + 1);
  row.target = from.get<EntityId>(first + 2);
  row.weight = from.get<double>(first + 3);
  row.properties = JsonObject::trusted(from.get<std::string>(first + 4));
  row.valid_from = read_time(from.get<std::int64_t>(first + 5), core::kTimeMin);
  row.valid_to = read_time(from.get<std::int64_t>(first + 6), core::kTimeMax);
  row.deleted_with = from.get<std::optional<EntityId>>(first + 7);
  return row;
}

std::vector<core::Field> RowTraits<Edge>::fields(Edge& row) {
  auto fields = graph::edge_fields(row, core::Fields::set);
  graph::add_identity_fields(fields, row);
  fields.push_back({"deleted_with", [&row](const JsonMember& m) {
                      row.deleted_with = core::optional_id_field<EntityId>(m);
                    }});
  return fields;
}

void RowTraits<Edge>::write_body(core::JsonWriter& out, const Edge& row) {
  out.string("source", to_string(row.source))
      .string("relation", row.relation)
      .string("target", to_string(row.target))
      .real("weight", row.weight)
      .raw("properties", row.properties.text());
  write_time(out, "valid_from", row.valid_from);
  write_time(out, "valid_to", row.valid_to);
  if (row.deleted_with) {
    out.string("deleted_with", to_string(*row.deleted_with));
  } else {
    out.null("deleted_with");
  }
}

}  // namespace holdfast::journal
