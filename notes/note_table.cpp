#include "note_table.h"

#include <holdfast/core/input.h>
#include <holdfast/core/limits.h>

namespace holdfast::notes {

std::vector<core::Field> note_fields(Note& note, core::Fields mode) {
  return {
      {"kind", [&](const JsonMember& m) { note.kind = core::string_field(m); }},
      {"key", [&](const JsonMember& m) { note.key = core::optional_string_field(m); }},
      {"about", [&](const JsonMember& m) { note.about = core::optional_id_field<EntityId>(m); }},
      {"content", [&](const JsonMember& m) { note.content = core::string_field(m); }},
      {"properties",
       [&note, mode](const JsonMember& m) {
         note.properties = core::object_field(m, mode, note.properties);
       }},
      {"tags", [&](const JsonMember& m) { note.tags = core::string_list_field(m); }},
      {"salience", [&](const JsonMember& m) { note.salience = core::real_field(m); }},
      {"expires_at", [&](const JsonMember& m) { note.expires_at = core::optional_time_field(m); }}};
}

}  // namespace holdfast::notes

namespace holdfast::journal {

const TableSpec RowTraits<Note>::spec{
    .kind = "note",
    .table = "notes",
    .columns = {"kind", "key", "about", "content", "properties", "tags", "salience",
                "expires_at"},
    .fixed = {},
    .indexed = {"kind", "key", "about"}};

void RowTraits<Note>::bind(storage::Statement& to, int first, const Note& row) {
  to.bind_at(first, row.kind)
      .bind_at(first + 1, row.key)
      .bind_at(first + 2, row.about)
      .bind_at(first + 3, row.content)
      .bind_at(first + 4, row.properties.text())
      .bind_at(first + 5, core::tags_to_json(row.tags))
      .bind_at(first + 6, row.salience)
      .bind_at(first + 7, row.expires_at ? to_us(*row.expires_at) : core::kTimeMax);
}

Note RowTraits<Note>::read(const storage::Row& from, int first) {
  Note row;
  row.kind = from.get<std::string>(first);
  row.key = from.get<std::optional<std::string>>(first + 1);
  row.about = from.get<std::optional<EntityId>>(first + 2);
  row.content = from.get<std::string>(first + 3);
  row.properties = JsonObject::trusted(from.get<std::string>(first + 4));
  row.tags = core::tags_from_json(from.get<std::string_view>(first + 5));
  row.salience = from.get<double>(first + 6);
  const auto expires = from.get<std::int64_t>(first + 7);
  if (expires != core::kTimeMax) row.expires_at = from_us(expires);
  return row;
}

std::vector<core::Field> RowTraits<Note>::fields(Note& row) {
  return notes::note_fields(row, core::Fields::set);
}

void RowTraits<Note>::write_body(core::JsonWriter& out, const Note& row) {
  out.string("kind", row.kind);
  if (row.key) {
    out.string("key", *row.key);
  } else {
    out.null("key");
  }
  if (row.about) {
    out.string("about", to_string(*row.about));
  } else {
    out.null("about");
  }
  out.string("content", row.content)
      .raw("properties", row.properties.text())
      .raw("tags", core::tags_to_json(row.tags))
      .real("salience", row.salience);
  if (row.expires_at) {
    out.integer("expires_at", to_us(*row.expires_at));
  } else {
    out.null("expires_at");
  }
}

}  // namespace holdfast::journal
