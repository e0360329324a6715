#include "row_kinds.h"

#include "document.h"

namespace holdfast::cli {
namespace {

std::optional<Timestamp> time(const char* field, const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return parse_timestamp(field, *text);
}

std::optional<EntityId> entity(const char* field, const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return EntityId::parse(field, *text);
}

void read_common(const FilterOptions& options, RowFilter& filter) {
  filter.created = {time("created_from", options.created_from),
                    time("created_to", options.created_to)};
  filter.changed = {time("changed_from", options.changed_from),
                    time("changed_to", options.changed_to)};
  if (options.deleted == "include") filter.deleted = Deleted::include;
  if (options.deleted == "only") filter.deleted = Deleted::only;
  for (const std::string& text : options.where) {
    const std::string field = "where[" + std::to_string(filter.where.size()) + "]";
    filter.where.push_back(parse_condition(field, text));
  }
}

}  // namespace

EntityFilter EntityKind::filter(const Space&, const FilterOptions& options) {
  EntityFilter filter;
  read_common(options, filter);
  filter.kind = options.kind;
  filter.name = options.name;
  filter.name_prefix = options.name_prefix;
  filter.tags_any = options.tags_any;
  filter.tags_all = options.tags_all;
  return filter;
}

EdgeFilter EdgeKind::filter(const Space&, const FilterOptions& options) {
  EdgeFilter filter;
  read_common(options, filter);
  filter.relation = options.relation;
  filter.source = entity("source", options.source);
  filter.target = entity("target", options.target);
  filter.valid_at = time("valid_at", options.valid_at);
  return filter;
}

NoteFilter NoteKind::filter(const Space&, const FilterOptions& options) {
  NoteFilter filter;
  read_common(options, filter);
  filter.kind = options.kind;
  filter.key = options.key;
  filter.key_prefix = options.key_prefix;
  filter.tags_any = options.tags_any;
  filter.tags_all = options.tags_all;
  filter.about = entity("about", options.about);
  filter.include_expired = options.include_expired;
  return filter;
}

EventFilter ScheduledKind::filter(const Space&, const FilterOptions& options) {
  EventFilter filter;
  read_common(options, filter);
  if (options.kind) filter.kind = parse_event_kind("kind", *options.kind);
  return filter;
}

void EntityKind::keep_fixed(Entity& row, const Entity& current, const JsonObject&) {
  row.merged_into = current.merged_into;
}

void EdgeKind::keep_fixed(Edge& row, const Edge& current, const JsonObject& document) {
  if (!names(document, "source")) row.source = current.source;
  if (!names(document, "relation")) row.relation = current.relation;
  if (!names(document, "target")) row.target = current.target;
  if (!names(document, "valid_from")) row.valid_from = current.valid_from;
  row.deleted_with = current.deleted_with;
}

void NoteKind::keep_fixed(Note&, const Note&, const JsonObject&) {}
void ScheduledKind::keep_fixed(ScheduledEvent&, const ScheduledEvent&, const JsonObject&) {}

}  // namespace holdfast::cli
