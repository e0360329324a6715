#include "jsonl_file.h"

#include <algorithm>
#include <array>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/graph/relation_store.h>
#include <holdfast/notes/note_store.h>
#include <holdfast/schedule/event_store.h>

namespace holdfast::exchange {
namespace {

constexpr std::string_view kNilId = "00000000-0000-0000-0000-000000000000";

/// Two levels around what a row may hold itself.
constexpr JsonLimits kLineLimits{.bytes = kLineBytesMax, .depth = core::kJsonDepthMax + 2};

/// In this order in a file: a row comes after those that it refers to.
constexpr std::array<std::string_view, 5> kSections = {"relation", "entity", "note", "edge",
                                                       "scheduled_event"};

JsonObject object_of(const JsonMember& member) {
  if (!member.value.starts_with('{')) {
    throw InvalidArgument(member.key, std::string(member.value), "be an object");
  }
  return JsonObject::trusted(std::string(member.value));
}

void refuse_member(const JsonObject& document, std::string_view name, const char* rule) {
  for (const JsonMember& member : document.members()) {
    if (member.key == name) throw InvalidArgument(member.key, std::string(member.value), rule);
  }
}

template <class Store, class Row>
Row in_stored_form(Row row) {
  Store::normalise(row);
  row.seq = 0;
  return row;
}

/// A relation's body in the file lacks the id.
JsonObject with_id(const JsonObject& body, std::string_view id) {
  if (body.text() == "{}") throw InvalidArgument("relation", "", "be given");
  return JsonObject::trusted("{\"id\":\"" + std::string(id) + "\"," + body.text().substr(1));
}

Relation relation_of(const JsonObject& body, const std::string& space) {
  refuse_member(body, "id", "not be given: it is made from the names of space and relation");
  auto row = in_stored_form<graph::RelationStore>(
      graph::RelationStore::from_json(with_id(body, kNilId)));
  row.id = graph::RelationStore::id_of(space, row.relation);
  return row;
}

Edge edge_of(const JsonObject& body) {
  auto row = in_stored_form<graph::EdgeStore>(graph::EdgeStore::from_json(body));
  if (!row.deleted_at && row.deleted_with) {
    throw InvalidArgument("deleted_with", to_string(*row.deleted_with),
                          "be null while the edge is live");
  }
  return row;
}

/// Checks that the text is a row of that kind. Answers with its id.
Uuid id_in_body(std::string_view kind, const JsonObject& body) {
  if (kind == "entity") {
    return in_stored_form<graph::EntityStore>(graph::EntityStore::from_json(body)).id.uuid;
  }
  if (kind == "note") {
    return in_stored_form<notes::NoteStore>(notes::NoteStore::from_json(body)).id.uuid;
  }
  if (kind == "scheduled_event") {
    return in_stored_form<schedule::EventStore>(schedule::EventStore::from_json(body)).id.uuid;
  }
  return in_stored_form<graph::EdgeStore>(graph::EdgeStore::from_json(body)).id.uuid;
}

Event event_of(const JsonObject& document, const std::string& space) {
  Event event;
  std::optional<JsonObject> body;
  std::optional<Uuid> id;
  std::optional<Timestamp> at;
  std::size_t given = 0;
  const auto text = [&given](std::string& to) {
    return [&given, &to](const JsonMember& m) {
      to = core::string_field(m);
      ++given;
    };
  };
  core::apply_fields(
      document, {{"kind", text(event.kind)},
                 {"id", [&](const JsonMember& m) {
                    if (m.value != "null") id = core::id_field(m);
                    ++given;
                  }},
                 {"op", text(event.op)},
                 {"at", [&](const JsonMember& m) {
                    at = core::optional_time_field(m);
                    ++given;
                  }},
                 {"actor", text(event.actor)},
                 {"request_id", text(event.request_id)},
                 {"body", [&](const JsonMember& m) {
                    if (m.value != "null") body = object_of(m);
                    ++given;
                  }}});
  if (given != 7) {
    throw InvalidArgument("event", "", "have kind, id, op, at, actor, request_id and body");
  }
  if (std::find(kSections.begin(), kSections.end(), event.kind) == kSections.end()) {
    throw InvalidArgument("kind", event.kind, "be relation, entity, note or edge");
  }
  if (!at) throw InvalidArgument("at", "null", "be a time");
  event.at = *at;
  if (core::check_actor(event.actor) != event.actor) {
    throw InvalidArgument("actor", event.actor, "be in normal form NFC");
  }
  core::check_request_id(event.request_id);
  if (event.kind == "relation") {
    if (id) throw InvalidArgument("id", to_string(*id), "be null for a relation");
    if (!body) throw InvalidArgument("body", "null", "be given for a relation");
    event.id = relation_of(*body, space).id.uuid;
    event.body = with_id(*body, to_string(event.id)).text();
    return event;
  }
  if (!id) throw InvalidArgument("id", "null", "be an id");
  event.id = *id;
  if (!body) return event;
  if (id_in_body(event.kind, *body) != event.id) {
    throw InvalidArgument("id", to_string(event.id), "be the id in the body");
  }
  event.body = body->text();
  return event;
}

std::uint64_t count_field(const JsonMember& member) {
  const std::int64_t count = core::integer_field(member);
  if (count < 0) throw InvalidArgument(member.key, std::string(member.value), "be 0 or more");
  return static_cast<std::uint64_t>(count);
}

}  // namespace

JsonlFile::JsonlFile(const std::filesystem::path& file, std::string space)
    : lines_(file), space_(std::move(space)) {
  if (!lines_.next()) lines_.refuse(1, "holdfast_export", "", "be in the first line");
  try {
    read_header();
  } catch (const InvalidArgument& found) {
    lines_.refuse(found);
  }
}

void JsonlFile::read_header() {
  const auto document = JsonObject::parse("line", lines_.text(), kLineLimits);
  std::int64_t version = 0;
  std::size_t given = 0;
  const auto flag = [&given](bool& to) {
    return [&given, &to](const JsonMember& m) {
      to = core::boolean_field(m);
      ++given;
    };
  };
  // Before the other members, which another version may not have.
  for (const JsonMember& member : document.members()) {
    if (member.key == "holdfast_export") version = core::integer_field(member);
  }
  if (version != kFormatVersion) {
    throw InvalidArgument("holdfast_export", version == 0 ? "" : std::to_string(version),
                          "be 1, the version of the format");
  }
  core::apply_fields(document,
                     {{"holdfast_export", [](const JsonMember&) {}},
                      {"space", [&](const JsonMember& m) {
                         header_.space = core::check_space_name(core::string_field(m));
                         ++given;
                       }},
                      {"settings", [&](const JsonMember& m) {
                         header_.settings = read_settings(object_of(m));
                         ++given;
                       }},
                      {"tombstones", flag(header_.tombstones)},
                      {"history", flag(header_.history)},
                      {"left_out", [](const JsonMember& m) { core::string_list_field(m); }}});
  if (given != 4) {
    throw InvalidArgument("line", "", "have space, settings, tombstones and history");
  }
}

std::optional<FileRow> JsonlFile::next() {
  if (!lines_.next()) {
    lines_.refuse(1, "end", "", "be the last line: the file is cut off");
  }
  try {
    const auto document = JsonObject::parse("line", lines_.text(), kLineLimits);
    const auto members = document.members();
    if (members.size() != 1) {
      throw InvalidArgument("line", lines_.text(), "be an object with one member");
    }
    if (members.front().key != "end") return read_row(members.front());
    check_end(members.front());
  } catch (const InvalidArgument& found) {
    lines_.refuse(found);
  }
  if (lines_.next()) lines_.refuse(1, "line", lines_.text(), "not come after the end");
  return std::nullopt;
}

void JsonlFile::count(std::string_view kind) {
  const std::array<std::uint64_t*, 5> counts = {&counts_.relations, &counts_.entities,
                                                &counts_.notes, &counts_.edges,
                                                &counts_.scheduled_events};
  const auto found = std::find(kSections.begin(), kSections.end(), kind);
  if (header_.history || found == kSections.end()) {
    throw InvalidArgument(std::string(kind), "",
                          header_.history ? "be an event or the end: the file has history"
                                          : "be a relation, an entity, a note, an edge, a"
                                            " scheduled_event or the end");
  }
  const auto section = static_cast<std::size_t>(found - kSections.begin());
  if (section < section_) {
    throw InvalidArgument("line", std::string(kind),
                          "come before the first " + std::string(kSections[section_]));
  }
  section_ = section;
  ++*counts[section];
}

FileRow JsonlFile::read_row(const JsonMember& member) {
  const JsonObject body = object_of(member);
  if (header_.history && member.key == "event") {
    ++counts_.events;
    return event_of(body, space_);
  }
  count(member.key);
  refuse_member(body, "seq", "not be given: sequences are the space's own");
  if (member.key == "relation") return relation_of(body, space_);
  if (member.key == "entity") {
    return in_stored_form<graph::EntityStore>(graph::EntityStore::from_json(body));
  }
  if (member.key == "note") {
    return in_stored_form<notes::NoteStore>(notes::NoteStore::from_json(body));
  }
  if (member.key == "scheduled_event") {
    return in_stored_form<schedule::EventStore>(schedule::EventStore::from_json(body));
  }
  return edge_of(body);
}

void JsonlFile::check_end(const JsonMember& member) {
  FileCounts says;
  std::size_t given = 0;
  const auto to = [&given](std::uint64_t& count) {
    return [&given, &count](const JsonMember& m) {
      count = count_field(m);
      ++given;
    };
  };
  if (header_.history) {
    core::apply_fields(object_of(member), {{"events", to(says.events)}});
  } else {
    core::apply_fields(object_of(member), {{"relations", to(says.relations)},
                                           {"entities", to(says.entities)},
                                           {"notes", to(says.notes)},
                                           {"edges", to(says.edges)},
                                           {"scheduled_events", [&](const JsonMember& m) {
                                              says.scheduled_events = count_field(m);
                                            }}});
  }
  if (given != (header_.history ? 1U : 4U) || says != counts_) {
    throw InvalidArgument("end", std::string(member.value),
                          "say how many lines of each kind the file has");
  }
}

void JsonlFile::refuse(std::string_view field, std::string_view value, std::string rule) const {
  lines_.refuse(column_of(lines_.text(), field), field, value, std::move(rule));
}

}  // namespace holdfast::exchange
