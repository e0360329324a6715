#include "loaded_graph.h"

#include <holdfast/core/error.h>
#include <holdfast/journal/journal.h>

#include "edge_table.h"
#include "relation_table.h"

namespace holdfast::graph {
namespace {

/// Of events at once: a row of many edges is then rewritten once for all of them.
constexpr std::size_t kBatchEvents = 4096;

void read_relations(storage::Transaction& transaction, std::string_view space,
                    GraphArrays& arrays) {
  auto select = transaction.prepare(
      "SELECT relation FROM relations WHERE space = $1 AND symmetric = 1 AND deleted_at IS NULL");
  select.bind(space);
  while (select.step()) arrays.declare(select.get<std::string>(0), true);
}

/// False as soon as they need more than `bytes_max`.
bool read_edges(storage::Transaction& transaction, std::string_view space,
                std::uint64_t bytes_max, GraphArrays& arrays) {
  constexpr std::uint32_t kEdgesBetweenChecks = 4096;
  auto select = transaction.prepare(
      "SELECT id, source, relation, target, valid_from, valid_to FROM edges WHERE space = $1"
      " AND deleted_at IS NULL ORDER BY source, relation, target, valid_from");
  select.bind(space);
  while (select.step()) {
    arrays.add(select.get<EdgeId>(0), {.source = select.get<EntityId>(1),
                                       .relation = select.get<std::string_view>(2),
                                       .target = select.get<EntityId>(3),
                                       .valid_from = select.get<std::int64_t>(4),
                                       .valid_to = select.get<std::int64_t>(5)});
    if (arrays.edges() % kEdgesBetweenChecks == 0 && arrays.bytes_to_be() > bytes_max) return false;
  }
  if (arrays.bytes_to_be() > bytes_max) return false;
  arrays.lay_out();
  return arrays.bytes() <= bytes_max;
}

EdgeChange change_of(const Event& event, const Edge& edge) {
  EdgeChange change{.id = {event.id}, .now = std::nullopt};
  if (edge.deleted_at) return change;
  change.now = PlacedEdge{.source = edge.source,
                          .relation = edge.relation,
                          .target = edge.target,
                          .valid_from = stored_from(edge),
                          .valid_to = stored_to(edge)};
  return change;
}

}  // namespace

LoadedGraph::Mark LoadedGraph::mark_of(const Event& event) {
  return {.request_id = event.request_id, .row = event.id, .at = event.at};
}

std::unique_ptr<LoadedGraph> LoadedGraph::load(const journal::Feed& feed,
                                               std::uint64_t bytes_max) {
  auto graph = std::make_unique<LoadedGraph>();
  graph->commits_ = feed.database.commits();
  graph->checked_at_ = feed.environment.clock.elapsed();
  // However long: `bytes_max` is its bound.
  const auto snapshot = feed.database.snapshot(storage::ReaderAge::unbounded);
  storage::Transaction& transaction = snapshot->transaction();
  graph->seq_ = graph->marked_ = journal::tail(transaction, feed.space).seq;
  const auto last = journal::event_at(transaction, feed.space, graph->seq_);
  if (!last) throw Corrupt("the journal of space " + feed.space + " lacks its last event");
  graph->mark_ = mark_of(*last);
  read_relations(transaction, feed.space, graph->arrays_);
  if (!read_edges(transaction, feed.space, bytes_max, graph->arrays_)) return nullptr;
  return graph;
}

bool LoadedGraph::is_same_journal(storage::Transaction& transaction,
                                  const std::string& space) const {
  const auto event = journal::event_at(transaction, space, marked_);
  return event && mark_of(*event) == mark_;
}

bool LoadedGraph::catch_up(const journal::Feed& feed, std::uint64_t commits) {
  constexpr Sequence kBehindMin = 10'000;
  const auto now = feed.environment.clock.elapsed();
  {
    const auto snapshot = feed.database.snapshot();
    const Sequence tail = journal::tail(snapshot->transaction(), feed.space).seq;
    if (tail < seq_ || tail - seq_ > kBehindMin + arrays_.edges() / 4) return false;
    if (!is_same_journal(snapshot->transaction(), feed.space)) return false;
  }
  bool can_follow = true;
  journal::Follower follower(
      feed, seq_,
      [&](const std::vector<Event>& events) { can_follow = can_follow && take_in(events); },
      {.batch_events = kBatchEvents});
  follower.catch_up();
  if (!can_follow) return false;
  if (follower.cursor() != seq_) {
    // Had the space been deleted and made again between the batches, the old mark would be gone.
    const auto snapshot = feed.database.snapshot();
    if (!is_same_journal(snapshot->transaction(), feed.space)) return false;
    seq_ = marked_ = follower.cursor();
    const auto last = journal::event_at(snapshot->transaction(), feed.space, seq_);
    if (!last) return false;
    mark_ = mark_of(*last);
  }
  commits_ = commits;
  checked_at_ = now;
  return true;
}

/// False for a change that the events do not tell any more.
bool LoadedGraph::take_in(const std::vector<Event>& events) {
  std::vector<Edge> edges;  // whose relations the changes refer to
  edges.reserve(events.size());
  std::vector<EdgeChange> changes;
  for (const Event& event : events) {
    if (event.kind == "relation") {
      if (!event.body) return false;
      const Relation relation = RelationTable::from_event(event);
      arrays_.declare(relation.relation, relation.symmetric && !relation.deleted_at);
    }
    if (event.kind != "edge") continue;
    if (event.body) {
      edges.push_back(EdgeTable::from_event(event));
      changes.push_back(change_of(event, edges.back()));
    } else {
      // Purged since, and only deleted edges are: at the end of the journal it is not there.
      changes.push_back({.id = {event.id}, .now = std::nullopt});
    }
  }
  arrays_.change(changes);
  return true;
}

}  // namespace holdfast::graph
