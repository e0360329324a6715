#include "relation_table.h"

#include <holdfast/core/input.h>

namespace holdfast::journal {
namespace {

using Kinds = std::optional<std::vector<std::string>>;

std::optional<std::string> to_stored(const Kinds& kinds) {
  if (!kinds) return std::nullopt;
  return core::tags_to_json(*kinds);
}

Kinds to_kinds(const std::optional<std::string>& stored) {
  if (!stored) return std::nullopt;
  return core::tags_from_json(*stored);
}

Kinds kinds_field(const JsonMember& member) {
  if (member.value == "null") return std::nullopt;
  return core::string_list_field(member);
}

}  // namespace

const TableSpec RowTraits<Relation>::spec{
    .kind = "relation",
    .table = "relations",
    .columns = {"relation", "symmetric", "loops", "source_kinds", "target_kinds"},
    .fixed = {"relation"},
    .indexed = {}};

void RowTraits<Relation>::bind(storage::Statement& to, int first, const Relation& row) {
  to.bind_at(first, row.relation)
      .bind_at(first + 1, row.symmetric)
      .bind_at(first + 2, row.loops)
      .bind_at(first + 3, to_stored(row.source_kinds))
      .bind_at(first + 4, to_stored(row.target_kinds));
}

Relation RowTraits<Relation>::read(const storage::Row& from, int first) {
  Relation row;
  row.relation = from.get<std::string>(first);
  row.symmetric = from.get<bool>(first + 1);
  row.loops = from.get<bool>(first + 2);
  row.source_kinds = to_kinds(from.get<std::optional<std::string>>(first + 3));
  row.target_kinds = to_kinds(from.get<std::optional<std::string>>(first + 4));
  return row;
}

std::vector<core::Field> RowTraits<Relation>::fields(Relation& row) {
  return {{"relation", [&](const JsonMember& m) { row.relation = core::string_field(m); }},
          {"symmetric", [&](const JsonMember& m) { row.symmetric = core::boolean_field(m); }},
          {"loops", [&](const JsonMember& m) { row.loops = core::boolean_field(m); }},
          {"source_kinds", [&](const JsonMember& m) { row.source_kinds = kinds_field(m); }},
          {"target_kinds", [&](const JsonMember& m) { row.target_kinds = kinds_field(m); }}};
}

void RowTraits<Relation>::write_body(core::JsonWriter& out, const Relation& row) {
  out.string("relation", row.relation)
      .boolean("symmetric", row.symmetric)
      .boolean("loops", row.loops);
  // Left out when absent: bodies that were written before there were kinds have no such field.
  if (row.source_kinds) out.raw("source_kinds", core::tags_to_json(*row.source_kinds));
  if (row.target_kinds) out.raw("target_kinds", core::tags_to_json(*row.target_kinds));
}

}  // namespace holdfast::journal
