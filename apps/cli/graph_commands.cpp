#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "commands.h"
#include "document.h"
#include "expect_report.h"
#include "page_report.h"
#include "row_kinds.h"
#include "write_report.h"

namespace holdfast::cli {
namespace {

std::string neighbor_json(const Neighbor& neighbor) {
  return core::JsonWriter()
      .raw("edge", EdgeKind::Rows::to_json(neighbor.edge))
      .string("direction", to_string(neighbor.direction))
      .raw("entity", EntityKind::Rows::to_json(neighbor.entity))
      .finish();
}

std::string neighbors_json(const Page<Neighbor>& page, const Entity& entity) {
  core::JsonWriter out;
  add_page(out, page, &neighbor_json);
  return out.boolean("entity_is_deleted", entity.deleted_at.has_value()).finish();
}

Direction direction_of(const std::string& name) {
  if (name == "outgoing") return Direction::outgoing;
  return name == "incoming" ? Direction::incoming : Direction::both;
}

/// null where any kind may be.
std::string kinds_json(const std::optional<std::vector<std::string>>& kinds) {
  if (!kinds) return "null";
  std::vector<std::string> items;
  for (const std::string& kind : *kinds) items.push_back(json_string(kind));
  return json_array(items);
}

std::string relation_json(const Relation& relation) {
  core::JsonWriter out;
  out.string("id", to_string(relation.id))
      .string("relation", relation.relation)
      .boolean("symmetric", relation.symmetric)
      .boolean("loops", relation.loops)
      .raw("source_kinds", kinds_json(relation.source_kinds))
      .raw("target_kinds", kinds_json(relation.target_kinds))
      .integer("created_at", to_us(relation.created_at))
      .integer("revision", relation.revision.us);
  if (relation.deleted_at) {
    out.integer("deleted_at", to_us(*relation.deleted_at));
  } else {
    out.null("deleted_at");
  }
  return out.unsigned_integer("seq", relation.seq).finish();
}

std::optional<Expected> as_live(const Options& options) {
  if (!options.revision) return std::nullopt;
  return Expected{.revision = parse_revision(*options.revision), .deleted_at = {}};
}

/// One end of a validity: "none" opens it.
std::optional<std::optional<Timestamp>> end_of(const char* field,
                                               const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  if (*text == "none") return std::optional<Timestamp>{};
  return parse_timestamp(field, *text);
}

EdgeMove move_of(const FieldOptions& fields) {
  EdgeMove move;
  if (fields.source) move.source = EntityId::parse("source", *fields.source);
  move.relation = fields.relation;
  if (fields.target) move.target = EntityId::parse("target", *fields.target);
  move.valid_from = end_of("valid_from", fields.valid_from);
  move.valid_to = end_of("valid_to", fields.valid_to);
  return move;
}

}  // namespace

void neighbors(Session& session, const Options& options) {
  NeighborFilter filter;
  filter.direction = direction_of(options.filter.direction);
  filter.relation = options.filter.relation;
  if (options.filter.valid_at) {
    filter.valid_at = parse_timestamp("valid_at", *options.filter.valid_at);
  }
  const Space space = session.reading_space();
  const auto id = EntityId::parse("id", options.id);
  if (options.expect) {
    Transaction reading(space);
    const auto page = reading.neighbors(id, filter, page_request(options));
    return print_with_expectations(session, neighbors_json(page, reading.get(id)), reading);
  }
  const auto page = space.neighbors(id, filter, page_request(options));
  const Entity entity = space.entities().get(id);
  if (session.json()) return session.print(neighbors_json(page, entity));
  session.print("entity " + to_string(id) + " " + title(entity) +
                (entity.deleted_at ? " is deleted" : "") + "\n" +
                (page.items.empty() ? "" : table(page.items)) +
                page_footer(page, "neighbor", "neighbors"));
}

void rename_entity(Session& session, const Options& options) {
  const auto id = EntityId::parse("id", options.id);
  report_write<EntityKind>(session, {.done = "renamed", .already = "has this name already"},
                           session.space().rename_entity(id, options.name, as_live(options),
                                                         write_options(options)),
                           options.id);
}

void retarget_edge(Session& session, const Options& options) {
  const EdgeMove move = move_of(options.fields);
  if (move == EdgeMove{}) {
    refuse_usage("say where to: --source, --relation, --target, --valid-from or --valid-to");
  }
  const auto result = session.space().retarget_edge(
      EdgeId::parse("id", options.id), move, as_live(options), write_options(options));
  const std::string given = move.relation.value_or("");
  if (session.json() || result.outcome != Outcome::absorbed) {
    return report_write<EdgeKind>(session, {.done = "moved", .already = "is there already"}, result,
                                  options.id, given);
  }
  const Edge& survivor = result.current.value();
  session.confirm("absorbed edge " + options.id + ": it is deleted, since a live edge has that " +
                  "place and stays as it is\n  sequence " + std::to_string(result.seq) + "\n" +
                  repeated_text(result.repeated) + describe(survivor));
}

void declare_relation(Session& session, const Options& options) {
  Relation relation;
  relation.relation = options.name;
  relation.symmetric = options.symmetric;
  relation.loops = options.loops;
  if (!options.source_kinds.empty()) relation.source_kinds = options.source_kinds;
  if (!options.target_kinds.empty()) relation.target_kinds = options.target_kinds;
  const auto result = session.space().declare_relation(relation, write_options(options));
  WriteSummary summary = summarise(result, "relation");
  summary.id = options.name;
  summary.relation = options.name;
  if (result.current) {
    summary.current_json = relation_json(*result.current);
    summary.current_text = table(std::vector<Relation>{*result.current});
  }
  if (!result.applied() && result.outcome != Outcome::unchanged) refuse(summary);
  if (session.json()) return session.confirm(to_json(summary));
  session.confirm((result.applied() ? "declared\n" : "declared so already\n") +
                  summary.current_text + repeated_text(result.repeated));
}

void list_relations(Session& session, const Options& options) {
  const auto page = session.reading_space().relations(page_request(options));
  if (session.json()) return session.print(page_json(page, &relation_json));
  session.print((page.items.empty() ? "" : table(page.items)) +
                page_footer(page, "relation", "relations"));
}

}  // namespace holdfast::cli
