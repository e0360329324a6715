#include "sim/serial_reads.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <holdfast/core/error.h>

namespace holdfast::test {
namespace {

constexpr std::size_t kPage = 3;

std::string mark(bool is_deleted) { return is_deleted ? " deleted\n" : " live\n"; }

template <class Row>
std::string form_or_none(const std::optional<Row>& row) {
  return row ? form(*row) : "none";
}

std::string form(const Page<Neighbor>& page) {
  std::vector<std::string> lines;
  for (const Neighbor& one : page.items) {
    lines.push_back(test::form(one.edge) + test::form(one.entity));
  }
  std::sort(lines.begin(), lines.end());
  std::string text = "neighbors\n";
  for (const std::string& line : lines) text += line;
  return text;
}

std::string form(const Page<Entity>& page) {
  std::string text = "page\n";
  for (const Entity& row : page.items) text += test::form(row);
  return text + std::to_string(page.left_out) + " left";
}

std::string liveness(const std::optional<Entity>& row) {
  return !row ? "none" : row->deleted_at ? "deleted" : "live";
}

/// The calls of a Transaction, made of a Space.
struct Around {
  const Space& space;
  std::optional<Entity> find(EntityId id) const { return space.entities().find(id); }
  std::optional<Edge> find(EdgeId id) const { return space.edges().find(id); }
  std::optional<Note> find(NoteId id) const { return space.notes().find(id); }
  std::optional<Note> find_note(const std::string& key) const { return space.find_note(key); }
  std::optional<Entity> find_by_key(const std::string& key, const KeyValue& value) const {
    return space.find_by_key(key, value);
  }
  Page<Neighbor> neighbors(EntityId id, const NeighborFilter& filter,
                           const PageRequest& page) const {
    return space.neighbors(id, filter, page);
  }
  Page<Entity> list(const EntityFilter& filter, const PageRequest& page) const {
    return space.entities().list(filter, page);
  }
  std::uint64_t count(const EntityFilter& filter) const { return space.entities().count(filter); }
};

template <class Reader>
std::string answer_of(Reader& reader, const Read& read) {
  EntityFilter of_kind;
  of_kind.kind = read.text;
  switch (read.what) {
    case What::row_to_write:
    case What::row:
    case What::absence: return form_or_none(reader.find(EntityId{read.id}));
    case What::liveness: return liveness(reader.find(EntityId{read.id}));
    case What::edge: return form_or_none(reader.find(EdgeId{read.id}));
    case What::note: return form_or_none(reader.find(NoteId{read.id}));
    case What::note_key: return form_or_none(reader.find_note(read.text));
    case What::key: return form_or_none(reader.find_by_key("mail", KeyValue(read.text)));
    case What::neighbors:
      try {
        return form(reader.neighbors(EntityId{read.id}, {}, {.limit = 1000, .cursor = {}}));
      } catch (const NotFound&) {
        return "none";
      }
    case What::page: return form(reader.list(of_kind, {.limit = kPage, .cursor = {}}));
    case What::count: return std::to_string(reader.count(of_kind));
  }
  return "";
}

}  // namespace

std::string form(const Entity& row) {
  return to_string(row.id) + " " + row.kind + " " + row.name + " " + row.properties.text() +
         mark(row.deleted_at.has_value());
}
std::string form(const Edge& row) {
  return to_string(row.id) + " " + to_string(row.source) + " " + row.relation + " " +
         to_string(row.target) + " " + std::to_string(row.weight) +
         mark(row.deleted_at.has_value());
}
std::string form(const Note& row) {
  return to_string(row.id) + " " + row.key.value_or("") + " " + row.content +
         (row.about_is_deleted ? " about deleted" : "") + mark(row.deleted_at.has_value());
}

std::string ask(Transaction& reader, const Read& read) { return answer_of(reader, read); }
std::string ask(const Space& reader, const Read& read) {
  const Around around{reader};
  return answer_of(around, read);
}

void Replay::apply(const Event& event) {
  if (!event.body) return;
  const auto body = JsonObject::trusted(*event.body);
  if (event.kind == "entity") entities_[event.id] = graph::EntityStore::from_json(body);
  if (event.kind == "edge") edges_[event.id] = graph::EdgeStore::from_json(body);
  if (event.kind == "note") notes_[event.id] = notes::NoteStore::from_json(body);
}

std::string Replay::note_form(const Note& note) const {
  Note told = note;
  if (note.about) told.about_is_deleted = entities_.at(note.about->uuid).deleted_at.has_value();
  return form(told);
}

std::string Replay::answer(const Read& read) const {
  const auto entity = entities_.find(read.id);
  const bool is_there = entity != entities_.end();
  switch (read.what) {
    case What::row_to_write:
    case What::row:
    case What::absence: return is_there ? form(entity->second) : "none";
    case What::liveness:
      return is_there ? liveness(entity->second) : "none";
    case What::edge: return edges_.contains(read.id) ? form(edges_.at(read.id)) : "none";
    case What::note: return notes_.contains(read.id) ? note_form(notes_.at(read.id)) : "none";
    case What::note_key:
      for (const auto& [id, note] : notes_) {
        if (!note.deleted_at && note.key == read.text) return note_form(note);
      }
      return "none";
    case What::key:
      for (const auto& [id, row] : entities_) {
        const auto properties = row.properties.json();
        if (!row.deleted_at && properties.value("mail", "") == read.text) return form(row);
      }
      return "none";
    case What::neighbors: {
      if (!is_there) return "none";
      Page<Neighbor> page;
      for (const auto& [id, edge] : edges_) {
        const bool is_source = edge.source.uuid == read.id;
        if (edge.deleted_at || (!is_source && edge.target.uuid != read.id)) continue;
        const Uuid other = is_source ? edge.target.uuid : edge.source.uuid;
        page.items.push_back({.edge = edge, .entity = entities_.at(other)});
      }
      return form(page);
    }
    default: break;
  }
  Page<Entity> page;
  std::uint64_t count = 0;
  for (const auto& [id, row] : entities_) {
    if (row.deleted_at || row.kind != read.text) continue;
    if (++count > kPage) continue;
    page.items.push_back(row);
  }
  page.left_out = count - page.items.size();
  return read.what == What::count ? std::to_string(count) : form(page);
}

}  // namespace holdfast::test
