#include <algorithm>

#include <holdfast/core/json_text.h>
#include <holdfast/core/limits.h>

#include "commands.h"
#include "document.h"
#include "row_kinds.h"
#include "row_text.h"
#include "session.h"
#include "text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kNameColumnsMax = 40;
constexpr std::size_t kListedPerHop = 1000;

Direction direction_of(const std::string& name) {
  if (name == "incoming") return Direction::incoming;
  return name == "both" ? Direction::both : Direction::outgoing;
}

template <class Number>
Number number_of(const char* field, const std::optional<std::string>& text, Number otherwise,
                 std::uint64_t max) {
  if (!text) return otherwise;
  const std::string rule = "be 1 to " + std::to_string(max);
  const std::uint64_t number = parse_whole(field, *text, rule);
  if (number < 1 || number > max) throw InvalidArgument(field, *text, rule);
  return static_cast<Number>(number);
}

/// A process that asks once does not load the graph for it: the store answers from SQL until that
/// has become the dearer way.
TraversalOptions traversal_of(const Options& options, unsigned hops, std::size_t per_hop) {
  const TraversalFlags& flags = options.traversal;
  TraversalOptions traversal;
  traversal.direction = direction_of(flags.direction);
  traversal.relations = flags.relations;
  if (options.filter.valid_at) {
    traversal.valid_at = parse_timestamp("valid_at", *options.filter.valid_at);
  }
  traversal.hops_max = number_of("hops", flags.hops, hops, core::kTraversalHopsMax);
  traversal.per_hop_max =
      number_of("per_hop", flags.per_hop, per_hop, core::kTraversalPerHopMax);
  traversal.edges_max =
      number_of("budget", flags.budget, traversal.edges_max, core::kTraversalEdgesMax);
  return traversal;
}

void add_extent(core::JsonWriter& out, const SearchExtent& extent) {
  out.boolean("complete", extent.complete()).boolean("budget_spent", extent.budget_spent);
  if (extent.capped_hop > 0) {
    out.unsigned_integer("capped_hop", extent.capped_hop);
  } else {
    out.null("capped_hop");
  }
  out.unsigned_integer("edges_seen", extent.edges_seen).unsigned_integer("seq", extent.seq);
}

/// Nothing when all was seen.
std::string what_was_cut(const SearchExtent& extent, const TraversalOptions& options) {
  std::string text;
  if (extent.capped_hop > 0) {
    text += "; hop " + std::to_string(extent.capped_hop) + " was cut at --per-hop " +
            std::to_string(options.per_hop_max);
  }
  if (extent.budget_spent) {
    text += "; stopped after --budget " + std::to_string(options.edges_max) + " edges";
  }
  return text;
}

std::string within(std::uint64_t entities, const TraversalOptions& options) {
  return counted(entities, "entity", "entities") + " within " +
         counted(options.hops_max, "hop", "hops");
}

/// The row as it is now: it may have been purged since the search.
template <class Kind, class RowId>
std::string row_json(const Space& space, RowId id) {
  const auto row = Kind::rows(space).find(id);
  return row ? Kind::Rows::to_json(*row)
             : core::JsonWriter().string("id", to_string(id)).finish();
}

std::string relation_of(const Space& space, EdgeId id) {
  const auto edge = space.edges().find(id);
  return edge ? shortened(edge->relation, kNameColumnsMax) : "";
}

std::string name_of(const Space& space, EntityId id) {
  const auto entity = space.entities().find(id);
  return entity ? shortened(entity->name, kNameColumnsMax) : "";
}

std::string traversal_json(const Space& space, const Traversal& traversal) {
  std::vector<std::string> items;
  for (const Reached& reached : traversal.reached) {
    items.push_back(core::JsonWriter()
                        .unsigned_integer("depth", reached.depth)
                        .string("from", to_string(reached.from))
                        .raw("edge", row_json<EdgeKind>(space, reached.via))
                        .raw("entity", row_json<EntityKind>(space, reached.entity))
                        .finish());
  }
  core::JsonWriter out;
  out.raw("items", json_array(items));
  add_extent(out, traversal);
  return out.finish();
}

std::string table(const Space& space, const std::vector<Reached>& all) {
  Table out({{"HOP", Align::right}, {"FROM"}, {"RELATION"}, {"NAME"}, {"ENTITY"}});
  for (const Reached& reached : all) {
    out.add({std::to_string(reached.depth), name_of(space, reached.from),
             relation_of(space, reached.via), name_of(space, reached.entity),
             to_string(reached.entity)});
  }
  return out.text();
}

void print_count(Session& session, const Space& space, EntityId start,
                 const TraversalOptions& options) {
  const ReachCount count = space.count_reachable(start, options);
  if (!session.json()) {
    return session.print(within(count.entities, options) + what_was_cut(count, options) + "\n");
  }
  core::JsonWriter out;
  out.unsigned_integer("count", count.entities);
  add_extent(out, count);
  session.print(out.finish());
}

std::string path_json(const Space& space, const Path& path) {
  std::vector<std::string> steps;
  for (const PathStep& step : path.steps) {
    steps.push_back(core::JsonWriter()
                        .string("from", to_string(step.from))
                        .raw("edge", row_json<EdgeKind>(space, step.edge))
                        .string("to", to_string(step.to))
                        .finish());
  }
  core::JsonWriter out;
  out.string("outcome", to_string(path.outcome)).raw("steps", json_array(steps));
  add_extent(out, path);
  return out.finish();
}

std::string path_text(const Space& space, const Path& path, const TraversalOptions& options) {
  const std::string cut = what_was_cut(path, options);
  if (path.outcome == PathOutcome::none) {
    return "no path of at most " + counted(options.hops_max, "hop", "hops") + "\n";
  }
  if (path.outcome == PathOutcome::unknown) return "no path was met" + cut + "\n";
  std::string text;
  if (!path.steps.empty()) {
    Table out({{"HOP", Align::right}, {"FROM"}, {"RELATION"}, {"TO"}, {"ENTITY"}});
    for (std::size_t i = 0; i < path.steps.size(); ++i) {
      const PathStep& step = path.steps[i];
      out.add({std::to_string(i + 1), name_of(space, step.from), relation_of(space, step.edge),
               name_of(space, step.to), to_string(step.to)});
    }
    text = out.text();
  }
  const bool may_be_longer = path.capped_hop > 0;
  return text + counted(path.steps.size(), "hop", "hops") + cut +
         (may_be_longer ? ", so a shorter path may be missing" : "") + "\n";
}

}  // namespace

void traverse(Session& session, const Options& options) {
  const bool counts = options.count;
  const TraversalOptions traversal =
      traversal_of(options, 1, counts ? core::kTraversalPerHopMax : kListedPerHop);
  const auto start = EntityId::parse("id", options.id);
  const Space space = session.reading_space();
  if (counts) return print_count(session, space, start, traversal);
  const Traversal found = space.traverse(start, traversal);
  if (session.json()) return session.print(traversal_json(space, found));
  session.print((found.reached.empty() ? "" : table(space, found.reached)) +
                within(found.reached.size(), traversal) + what_was_cut(found, traversal) + "\n");
}

void find_path(Session& session, const Options& options) {
  const TraversalOptions traversal =
      traversal_of(options, core::kTraversalHopsMax, core::kTraversalPerHopMax);
  const auto from = EntityId::parse("from", options.id);
  const auto to = EntityId::parse("to", options.to);
  const Space space = session.reading_space();
  const Path path = space.shortest_path(from, to, traversal);
  session.print(session.json() ? path_json(space, path) : path_text(space, path, traversal));
}

}  // namespace holdfast::cli
