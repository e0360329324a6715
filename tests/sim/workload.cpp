#include "sim/workload.h"

#include <algorithm>
#include <utility>

namespace holdfast::test {
namespace {

Uuid uuid(std::uint64_t high, std::uint64_t low) {
  Uuid id;
  for (unsigned i = 0; i < 8; ++i) {
    id.bytes[i] = static_cast<std::uint8_t>(high >> (56U - 8U * i));
    id.bytes[8 + i] = static_cast<std::uint8_t>(low >> (56U - 8U * i));
  }
  return id;
}

/// Properties of the form {"n":1,"m":2}, as pairs.
using Members = std::vector<std::pair<char, std::uint64_t>>;

Members read(const std::string& text) {
  Members members;
  for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 3)) {
    members.push_back({text[at + 1], std::stoull(text.substr(at + 4))});
  }
  return members;
}

JsonObject write(const Members& members) {
  std::string text = "{";
  for (const auto& [key, value] : members) {
    if (text.size() > 1) text += ',';
    text += "\"" + std::string(1, key) + "\":" + std::to_string(value);
  }
  return JsonObject::trusted(text + "}");
}

JsonObject merged(const JsonObject& target, char key, std::optional<std::uint64_t> value) {
  Members members = read(target.text());
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const auto& member) { return member.first == key; });
  if (found == members.end()) {
    if (value) members.push_back({key, *value});
  } else if (value) {
    found->second = *value;
  } else {
    members.erase(found);
  }
  return write(members);
}

}  // namespace

Workload::Workload(std::uint64_t seed, Timestamp start) : random_(seed), start_(start) {
  const auto make = [&](auto& ids, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) ids.push_back({uuid(random_.next(), i)});
  };
  make(entities_, 2 + below(3));
  make(edges_, 4 + below(5));
  make(notes_, 2 + below(3));
}

template <>
const std::vector<EntityId>& Workload::ids<Entity>() const {
  return entities_;
}
template <>
const std::vector<EdgeId>& Workload::ids<Edge>() const {
  return edges_;
}
template <>
const std::vector<NoteId>& Workload::ids<Note>() const {
  return notes_;
}

template <class Row>
Row Workload::new_row() {
  Row row;
  row.id = pick(ids<Row>());
  row.properties = properties();
  fill(row);
  if (chance(10)) {  // what an insert sets itself, whatever it is given
    row.created_at = row.created_at + std::chrono::seconds(1);
    row.revision = {7};
    row.deleted_at = start_;
    row.seq = 3;
  }
  return row;
}
template Entity Workload::new_row<Entity>();
template Edge Workload::new_row<Edge>();
template Note Workload::new_row<Note>();

JsonObject Workload::properties() {
  Members members;
  if (chance(60)) members.push_back({'n', below(3)});
  if (chance(20)) members.push_back({'m', below(3)});
  return write(members);
}

std::optional<Timestamp> Workload::instant() {
  if (chance(25)) return std::nullopt;
  return start_ + std::chrono::seconds(below(5));
}

void Workload::fill(Entity& row) {
  row.kind = chance(70) ? "person" : "place";
  row.name = pick(names_);
  if (chance(20)) row.tags = {"new"};
}

void Workload::fill(Edge& row) {
  row.source = pick(entities_);
  row.target = pick(entities_);
  if (row.source == row.target && chance(70)) row.target = pick(entities_);
  row.relation = pick(relations_);
  row.weight = static_cast<double>(below(4)) / 2;
  row.valid_from = instant();
  row.valid_to = instant();
  if (chance(60)) {  // most edges lie between the same two, often one after the other
    row.source = entities_[0];
    row.target = entities_[1];
    row.relation = relations_[below(2)];
    if (chance(20)) std::swap(row.source, row.target);
    row.valid_from = start_ + std::chrono::seconds(below(4));
    row.valid_to = *row.valid_from + std::chrono::seconds(1);
  }
  // Some intervals that end before they start are enough.
  if (row.valid_to <= row.valid_from && chance(80)) row.valid_to.reset();
  if (chance(5)) row.deleted_with = pick(entities_);
}

void Workload::fill(Note& row) {
  row.kind = "observation";
  row.content = "text " + std::to_string(below(3));
  if (chance(50)) row.key = pick(keys_);
  if (chance(50)) row.about = pick(entities_);
  if (chance(20)) row.expires_at = instant();
}

void Workload::edit(Entity& row) {
  switch (below(4)) {
    case 0: row.name = pick(names_); break;
    case 1: row.kind = chance(50) ? "person" : "place"; break;
    case 2: row.properties = properties(); break;
    default: row.tags = chance(50) ? std::vector<std::string>{"seen"} : row.tags;
  }
}

void Workload::edit(Edge& row) {
  switch (below(5)) {
    case 0: row.weight = static_cast<double>(below(4)) / 2; break;
    case 1: row.properties = properties(); break;
    case 2: row.deleted_with = pick(entities_); break;  // not the caller's to change
    default: row.valid_to = instant();
  }
}

void Workload::edit(Note& row) {
  switch (below(6)) {
    case 0: row.content = "text " + std::to_string(below(3)); break;
    case 1:
    case 5: row.key = chance(10) ? std::nullopt : std::optional(pick(keys_)); break;
    case 2: row.about = chance(30) ? std::nullopt : std::optional(pick(entities_)); break;
    case 3: row.properties = properties(); break;
    default: row.salience = static_cast<double>(below(2));
  }
}

void Workload::spoil(Entity& row) { row.created_at += std::chrono::microseconds(1); }
void Workload::spoil(Note& row) { row.created_at -= std::chrono::microseconds(1); }
void Workload::spoil(Edge& row) {
  switch (below(5)) {
    case 0: row.source = pick(entities_); break;
    case 1: row.target = pick(entities_); break;
    case 2: row.relation = pick(relations_); break;
    case 3: row.valid_from = instant(); break;
    default: row.created_at += std::chrono::microseconds(1);
  }
}

template <class Row>
void Workload::patch_properties(Patch<Row>& patch, std::string& members) {
  const char key = chance(70) ? 'n' : 'm';
  std::optional<std::uint64_t> value;
  if (chance(70)) value = below(3);
  members += "\"properties\":{\"" + std::string(1, key) +
             "\":" + (value ? std::to_string(*value) : "null") + "}";
  patch.effect = [key, value](Row& row) { row.properties = merged(row.properties, key, value); };
}

template <>
Patch<Entity> Workload::patch<Entity>() {
  Patch<Entity> patch;
  std::string members;
  patch_properties(patch, members);
  if (chance(40)) {
    const std::string name = pick(names_);
    members += ",\"name\":\"" + name + "\"";
    patch.effect = [first = patch.effect, name](Entity& row) {
      first(row);
      row.name = name;
    };
  }
  patch.document = JsonObject::parse("patch", "{" + members + "}");
  return patch;
}

template <>
Patch<Edge> Workload::patch<Edge>() {
  Patch<Edge> patch;
  std::string members;
  patch_properties(patch, members);
  if (chance(50)) {
    const auto to = instant();
    members += ",\"valid_to\":" + (to ? std::to_string(to_us(*to)) : "null");
    patch.effect = [first = patch.effect, to](Edge& row) {
      first(row);
      row.valid_to = to;
    };
  }
  patch.document = JsonObject::parse("patch", "{" + members + "}");
  return patch;
}

template <>
Patch<Note> Workload::patch<Note>() {
  Patch<Note> patch;
  std::string members;
  patch_properties(patch, members);
  if (chance(50)) {
    const bool clears = chance(40);
    const std::string key = pick(keys_);
    members += ",\"key\":" + (clears ? "null" : "\"" + key + "\"");
    patch.effect = [first = patch.effect, clears, key](Note& row) {
      first(row);
      row.key = clears ? std::nullopt : std::optional(key);
    };
  }
  patch.document = JsonObject::parse("patch", "{" + members + "}");
  return patch;
}

Relation Workload::relation() {
  Relation relation;
  relation.relation = pick(relations_);
  relation.symmetric = chance(40);
  relation.loops = chance(50);
  return relation;
}

}  // namespace holdfast::test
