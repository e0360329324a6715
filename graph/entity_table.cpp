#include "entity_table.h"

namespace holdfast::graph {

std::vector<core::Field> entity_fields(Entity& entity, core::Fields mode) {
  return {{"kind", [&](const JsonMember& m) { entity.kind = core::string_field(m); }},
          {"name", [&](const JsonMember& m) { entity.name = core::string_field(m); }},
          {"tags", [&](const JsonMember& m) { entity.tags = core::string_list_field(m); }},
          {"properties", [&entity, mode](const JsonMember& m) {
             entity.properties = core::object_field(m, mode, entity.properties);
           }}};
}

}  // namespace holdfast::graph

namespace holdfast::journal {

const TableSpec RowTraits<Entity>::spec{
    .kind = "entity",
    .table = "entities",
    .columns = {"kind", "name", "properties", "tags", "merged_into"},
    .fixed = {},
    .indexed = {"kind", "name"}};

void RowTraits<Entity>::bind(storage::Statement& to, int first, const Entity& row) {
  to.bind_at(first, row.kind)
      .bind_at(first + 1, row.name)
      .bind_at(first + 2, row.properties.text())
      .bind_at(first + 3, core::tags_to_json(row.tags))
      .bind_at(first + 4, row.merged_into);
}

Entity RowTraits<Entity>::read(const storage::Row& from, int first) {
  Entity row;
  row.kind = from.get<std::string>(first);
  row.name = from.get<std::string>(first + 1);
  row.properties = JsonObject::trusted(from.get<std::string>(first + 2));
  row.tags = core::tags_from_json(from.get<std::string_view>(first + 3));
  row.merged_into = from.get<std::optional<EntityId>>(first + 4);
  return row;
}

std::vector<core::Field> RowTraits<Entity>::fields(Entity& row) {
  auto fields = graph::entity_fields(row, core::Fields::set);
  fields.push_back({"merged_into", [&row](const JsonMember& m) {
                      row.merged_into = core::optional_id_field<EntityId>(m);
                    }});
  return fields;
}

void RowTraits<Entity>::write_body(core::JsonWriter& out, const Entity& row) {
  out.string("kind", row.kind)
      .string("name", row.name)
      .raw("properties", row.properties.text())
      .raw("tags", core::tags_to_json(row.tags));
  if (row.merged_into) {
    out.string("merged_into", to_string(*row.merged_into));
  } else {
    out.null("merged_into");
  }
}

}  // namespace holdfast::journal
