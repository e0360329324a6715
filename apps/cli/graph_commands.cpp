#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "commands.h"
#include "document.h"
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

Direction direction_of(const std::string& name) {
  if (name == "outgoing") return Direction::outgoing;
  return name == "incoming" ? Direction::incoming : Direction::both;
}

std::string relation_json(const Relation& relation) {
  core::JsonWriter out;
  out.string("id", to_string(relation.id))
      .string("relation", relation.relation)
      .boolean("symmetric", relation.symmetric)
      .boolean("loops", relation.loops)
      .integer("created_at", to_us(relation.created_at))
      .integer("revision", relation.revision.us);
  if (relation.deleted_at) {
    out.integer("deleted_at", to_us(*relation.deleted_at));
  } else {
    out.null("deleted_at");
  }
  return out.unsigned_integer("seq", relation.seq).finish();
}

}  // namespace

void neighbors(Session& session, const Options& options) {
  NeighborFilter filter;
  filter.direction = direction_of(options.filter.direction);
  filter.relation = options.filter.relation;
  if (options.filter.valid_at) {
    filter.valid_at = parse_timestamp("valid_at", *options.filter.valid_at);
  }
  const Space space = session.space();
  const auto id = EntityId::parse("id", options.id);
  const auto page = space.neighbors(id, filter, page_request(options));
  const Entity entity = space.entities().get(id);
  if (session.json()) {
    core::JsonWriter out;
    add_page(out, page, &neighbor_json);
    out.boolean("entity_is_deleted", entity.deleted_at.has_value());
    return session.print(out.finish());
  }
  session.print("entity " + to_string(id) + " " + title(entity) +
                (entity.deleted_at ? " is deleted" : "") + "\n" +
                (page.items.empty() ? "" : table(page.items)) +
                page_footer(page, "neighbor", "neighbors"));
}

void declare_relation(Session& session, const Options& options) {
  Relation relation;
  relation.relation = options.relation;
  relation.symmetric = options.symmetric;
  relation.loops = options.loops;
  const auto result = session.space().declare_relation(relation);
  WriteSummary summary{.kind = "relation",
                       .id = options.relation,
                       .outcome = result.outcome,
                       .seq = result.seq,
                       .request_id = result.request_id,
                       .relation = options.relation};
  if (result.current) {
    summary.current_json = relation_json(*result.current);
    summary.current_text = table(std::vector<Relation>{*result.current});
  }
  if (!result.applied() && result.outcome != Outcome::unchanged) refuse(summary);
  if (session.json()) return session.confirm(to_json(summary));
  session.confirm((result.applied() ? "declared\n" : "declared so already\n") +
                  summary.current_text);
}

void list_relations(Session& session, const Options& options) {
  const auto page = session.space().relations(page_request(options));
  if (session.json()) return session.print(page_json(page, &relation_json));
  session.print((page.items.empty() ? "" : table(page.items)) +
                page_footer(page, "relation", "relations"));
}

}  // namespace holdfast::cli
