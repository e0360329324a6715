#include "jsonl_judge.h"

#include <algorithm>

#include <holdfast/core/limits.h>

namespace holdfast::exchange {
namespace {

bool includes(const std::optional<std::vector<std::string>>& kinds, const std::string& kind) {
  return !kinds || std::find(kinds->begin(), kinds->end(), kind) != kinds->end();
}

std::int64_t begin_of(const Edge& edge) {
  return edge.valid_from ? to_us(*edge.valid_from) : core::kTimeMin;
}
std::int64_t end_of(const Edge& edge) {
  return edge.valid_to ? to_us(*edge.valid_to) : core::kTimeMax;
}

}  // namespace

std::size_t FileJudge::PlaceHash::operator()(const Place& place) const noexcept {
  constexpr std::size_t kPrime = 1099511628211U;
  const std::hash<EntityId> hash;
  return (hash(place.source) * kPrime + hash(place.target)) * kPrime + place.relation;
}

auto FileJudge::entity(EntityId id) const -> KnownEntity {
  if (const auto found = entities_.find(id); found != entities_.end()) return found->second;
  const auto stored = graph::EntityStore::find(transaction_, space_.name(), id);
  if (!stored) return {};
  return {.is_live = !stored->deleted_at, .kind = stored->kind};
}

const std::optional<Relation>& FileJudge::declared(const std::string& relation) {
  const auto [found, is_new] = relations_.try_emplace(relation);
  if (is_new) {
    found->second = graph::RelationStore::find(transaction_, space_.name(), relation);
  }
  return found->second;
}

std::size_t FileJudge::number_of(const std::string& relation) {
  return relation_numbers_.try_emplace(relation, relation_numbers_.size()).first->second;
}

void FileJudge::require_new(const Uuid& id, std::string_view field) {
  if (id.is_nil()) file_.refuse(field, to_string(id), "be an id that is not nil");
  if (!ids_.insert(id).second) file_.refuse(field, to_string(id), "come only once in the file");
}

void FileJudge::take(const Relation& relation) {
  if (relation.deleted_at) file_.refuse("deleted_at", "", "be null: declarations stay");
  if (!relations_.try_emplace(relation.relation, relation).second) {
    file_.refuse("relation", relation.relation, "come only once in the file");
  }
}

void FileJudge::take(const Entity& row) {
  require_new(row.id.uuid, "id");
  entities_.emplace(row.id, KnownEntity{.is_live = !row.deleted_at, .kind = row.kind});
}

void FileJudge::take(const Note& note) {
  if (std::exchange(section_, 1) != 1) ids_.clear();
  require_new(note.id.uuid, "id");
  if (note.deleted_at) return;
  if (note.about && !entity(*note.about).is_live) ++abouts_missing_;
  if (!note.key) return;
  const auto [found, is_new] = keys_.try_emplace(*note.key, file_.line());
  if (is_new) return;
  file_.refuse("key", *note.key,
               "not be the key of two live notes: it is that of line " +
                   std::to_string(found->second) + " too");
}

void FileJudge::take(const ScheduledEvent& event) {
  if (std::exchange(section_, 3) != 3) ids_.clear();
  require_new(event.id.uuid, "id");
}

void FileJudge::require_end(const char* field, EntityId id,
                            const std::optional<std::vector<std::string>>& kinds) const {
  const KnownEntity end = entity(id);
  if (!end.is_live) {
    file_.refuse(field, to_string(id), "be an entity that is live in the file or the space");
  }
  if (!includes(kinds, end.kind)) {
    file_.refuse(field, to_string(id),
                 "be of a kind that the relation links, which '" + end.kind + "' is not");
  }
}

void FileJudge::require_free_place(const Edge& edge) {
  auto& taken = places_[{edge.source, edge.target, number_of(edge.relation)}];
  const Times times{.from = begin_of(edge), .to = end_of(edge), .line = file_.line()};
  for (const Times& other : taken) {
    if (other.from >= times.to || times.from >= other.to) continue;
    file_.refuse("valid_from", edge.valid_from ? to_rfc3339(*edge.valid_from) : "null",
                 "begin a time that no other live edge of the triple covers, as line " +
                     std::to_string(other.line) + " does");
  }
  taken.push_back(times);
}

void FileJudge::take(Edge& edge) {
  if (std::exchange(section_, 2) != 2) ids_.clear();
  require_new(edge.id.uuid, "id");
  const auto& relation = declared(edge.relation);
  if (relation && relation->symmetric && edge.target < edge.source) {
    std::swap(edge.source, edge.target);
  }
  if (edge.deleted_at) return;
  static const std::optional<std::vector<std::string>> any;
  require_end("source", edge.source, relation ? relation->source_kinds : any);
  require_end("target", edge.target, relation ? relation->target_kinds : any);
  if (edge.source == edge.target && !(relation && relation->loops)) {
    file_.refuse("target", to_string(edge.target),
                 "not be the source: the relation does not allow loops");
  }
  require_free_place(edge);
}

void FileJudge::take(const Event& event) {
  if (last_at_ && event.at < *last_at_) {
    file_.refuse("at", std::to_string(to_us(event.at)), "not be before that of the line before");
  }
  last_at_ = event.at;
  if (event.id.is_nil()) file_.refuse("id", to_string(event.id), "be an id that is not nil");
  const std::string stream =
      event.kind + std::string(event.id.bytes.begin(), event.id.bytes.end());
  const auto [found, is_new] = streams_.try_emplace(stream, false);
  if (is_new != begins_stream(event.op)) {
    file_.refuse("op", event.op,
                 is_new ? "be create or create_deleted: it is the row's first event"
                        : "be create only in the row's first event");
  }
  if (found->second) file_.refuse("op", event.op, "not come after the row's purge");
  found->second = event.op == "purge";
}

}  // namespace holdfast::exchange
