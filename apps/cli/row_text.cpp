#include "row_text.h"

#include <algorithm>

#include <holdfast/core/json_text.h>

#include "text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kNameColumnsMax = 40;
constexpr std::size_t kContentColumnsMax = 60;

std::string real(double value) {
  const std::string document = core::JsonWriter().real("x", value).finish();
  std::string text = document.substr(5, document.size() - 6);  // {"x":...}
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) {
    if (!out.empty()) out += ", ";
    out += text;
  }
  return out;
}

/// Of the entities at one end of a relation.
std::string kinds(const std::optional<std::vector<std::string>>& names) {
  if (!names) return "any";
  return names->empty() ? "none" : joined(*names);
}

std::string optional_time(const std::optional<Timestamp>& at) { return at ? to_rfc3339(*at) : ""; }

std::string validity(const Edge& edge) {
  if (!edge.valid_from && !edge.valid_to) return "always";
  return (edge.valid_from ? "from " + to_rfc3339(*edge.valid_from) : std::string("until now")) +
         (edge.valid_to ? " to " + to_rfc3339(*edge.valid_to) : std::string(" on"));
}

/// What every row ends with.
template <class Row>
void add_common(FieldList& fields, const Row& row) {
  fields.add("created", to_rfc3339(row.created_at));
  fields.add("revision", std::to_string(row.revision.us) + " (" +
                             to_rfc3339(from_us(row.revision.us)) + ")");
  fields.add("sequence", std::to_string(row.seq));
  if (row.deleted_at) fields.add("deleted", to_rfc3339(*row.deleted_at));
}

void add_unless_empty(FieldList& fields, std::string name, std::string_view value) {
  if (!value.empty()) fields.add(std::move(name), value);
}

template <class Row>
bool any_deleted(const std::vector<Row>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const Row& row) { return row.deleted_at.has_value(); });
}

/// A table that shows deletion marks when there are any.
template <class Row, class Cells>
std::string rows_table(const std::vector<Row>& rows, std::vector<Table::Column> columns,
                       Cells cells) {
  const bool with_deleted = any_deleted(rows);
  if (with_deleted) columns.push_back({"DELETED"});
  Table table(std::move(columns));
  for (const Row& row : rows) {
    auto line = cells(row);
    if (with_deleted) line.push_back(optional_time(row.deleted_at));
    table.add(std::move(line));
  }
  return table.text();
}

}  // namespace

std::string title(const Entity& entity) { return "\"" + printable(entity.name) + "\""; }

std::string title(const Edge& edge) {
  return to_string(edge.source) + " -" + printable(edge.relation) + "-> " + to_string(edge.target);
}

std::string title(const Note& note) {
  return "\"" + shortened(printable(note.content), kContentColumnsMax) + "\"";
}

std::string describe(const Entity& entity) {
  FieldList fields;
  fields.add("kind", entity.kind).add("name", entity.name);
  add_unless_empty(fields, "tags", joined(entity.tags));
  fields.add("properties", entity.properties.text());
  if (entity.merged_into) fields.add("merged into", to_string(*entity.merged_into));
  add_common(fields, entity);
  return "entity " + to_string(entity.id) + "\n" + fields.text();
}

std::string describe(const Edge& edge) {
  FieldList fields;
  fields.add("source", to_string(edge.source))
      .add("relation", edge.relation)
      .add("target", to_string(edge.target))
      .add("weight", real(edge.weight))
      .add("properties", edge.properties.text())
      .add("valid", validity(edge));
  if (edge.deleted_with) fields.add("deleted with", "entity " + to_string(*edge.deleted_with));
  add_common(fields, edge);
  return "edge " + to_string(edge.id) + "\n" + fields.text();
}

std::string describe(const Note& note) {
  FieldList fields;
  fields.add("kind", note.kind);
  if (note.key) fields.add("key", *note.key);
  if (note.about) {
    fields.add("about", "entity " + to_string(*note.about) +
                            (note.about_is_deleted ? ", which is deleted" : ""));
  }
  add_unless_empty(fields, "tags", joined(note.tags));
  fields.add("salience", real(note.salience)).add("properties", note.properties.text());
  if (note.expires_at) fields.add("expires", to_rfc3339(*note.expires_at));
  add_common(fields, note);
  fields.add("content", note.content);
  return "note " + to_string(note.id) + "\n" + fields.text();
}

std::string table(const std::vector<Entity>& entities) {
  return rows_table(entities, {{"ID"}, {"KIND"}, {"NAME"}, {"TAGS"}, {"CHANGED"}},
                    [](const Entity& row) -> std::vector<std::string> {
                      return {to_string(row.id), shortened(row.kind, kNameColumnsMax),
                              shortened(row.name, kNameColumnsMax),
                              shortened(joined(row.tags), kNameColumnsMax),
                              to_rfc3339(from_us(row.revision.us))};
                    });
}

std::string table(const std::vector<Edge>& edges) {
  return rows_table(
      edges, {{"ID"}, {"SOURCE"}, {"RELATION"}, {"TARGET"}, {"WEIGHT", Align::right}, {"VALID"}},
      [](const Edge& row) -> std::vector<std::string> {
        return {to_string(row.id),     to_string(row.source), shortened(row.relation,
                                                                        kNameColumnsMax),
                to_string(row.target), real(row.weight),      validity(row)};
      });
}

std::string table(const std::vector<Note>& notes) {
  return rows_table(
      notes, {{"ID"}, {"KIND"}, {"KEY"}, {"ABOUT"}, {"CONTENT"}},
      [](const Note& row) -> std::vector<std::string> {
        const std::string about = row.about ? to_string(*row.about) : "";
        return {to_string(row.id), shortened(row.kind, kNameColumnsMax),
                shortened(row.key.value_or(""), kNameColumnsMax),
                about + (row.about_is_deleted ? " (deleted)" : ""),
                shortened(row.content, kContentColumnsMax)};
      });
}

std::string table(const std::vector<Neighbor>& neighbors) {
  Table out({{"DIRECTION"}, {"RELATION"}, {"NAME"}, {"KIND"}, {"ENTITY"}, {"WEIGHT", Align::right},
             {"VALID"}});
  for (const Neighbor& row : neighbors) {
    out.add({std::string(to_string(row.direction)),
             shortened(row.edge.relation, kNameColumnsMax),
             shortened(row.entity.name, kNameColumnsMax),
             shortened(row.entity.kind, kNameColumnsMax), to_string(row.entity.id),
             real(row.edge.weight), validity(row.edge)});
  }
  return out.text();
}

std::string table(const std::vector<Relation>& relations) {
  Table out({{"RELATION"}, {"SYMMETRIC"}, {"LOOPS"}, {"SOURCE KINDS"}, {"TARGET KINDS"}});
  for (const Relation& row : relations) {
    out.add({row.relation, row.symmetric ? "yes" : "no", row.loops ? "yes" : "no",
             kinds(row.source_kinds), kinds(row.target_kinds)});
  }
  return out.text();
}

}  // namespace holdfast::cli
