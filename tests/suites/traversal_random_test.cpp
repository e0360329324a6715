#include <map>
#include <set>

#include "suites/traversal_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Random writes of every kind over a small space, so that all of them meet; two handles take
/// turns.
class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : store_(seed), random_(seed) {
    other_ = store_.open_another();
    for (const char* name : {"near", "like"}) {
      Relation relation = relation_named(name);
      relation.symmetric = name == std::string("near");
      relation.loops = true;
      written(store_.space->declare_relation(relation));
    }
    for (int i = 0; i < 24; ++i) entities_.push_back(store_.add_entity("entity").id);
  }

  void write() {
    pass_time(store_);
    const Space space = chance(50) ? *store_.space : other_->space("main", "other");
    switch (random_.below(12)) {
      case 0: forget(space.entities(), some_entity()); break;
      case 1: (void)space.entities().restore(some_entity()); break;
      case 2: forget(space.edges(), some_edge()); break;
      case 3: (void)space.edges().remove(some_edge()); break;
      case 4: (void)space.edges().restore(some_edge()); break;
      case 5: move(space); break;
      case 6: change_end(space); break;
      default: add(space);
    }
  }
  void check() {
    const Space space = chance(50) ? *store_.space : other_->space("main", "other");
    const BothWays both(space);
    TraversalOptions options = some_options();
    const EntityId start = live_entity(space);
    const auto traversal = both.traverse(start, options);
    if (traversal.complete()) {
      std::map<EntityId, unsigned> depths;
      for (const Reached& reached : traversal.reached) depths[reached.entity] = reached.depth;
      REQUIRE((depths == depths_by_hand(space, start, options)));
    }
    both.shortest_path(start, live_entity(space), options);
    const EntityId starts[] = {start, live_entity(space), live_entity(space)};
    both.traverse(starts, options);
  }
  const Space& space() const { return *store_.space; }
  Store& store() { return *store_.store; }

 private:
  bool chance(unsigned percent) { return random_.below(100) < percent; }
  EntityId some_entity() { return entities_[random_.below(entities_.size())]; }
  EdgeId some_edge() {
    return edges_.empty() ? EdgeId{store_.environment.ids->next()}
                          : edges_[random_.below(edges_.size())];
  }
  EntityId live_entity(const Space& space) {
    for (;;) {
      const EntityId id = some_entity();
      const auto found = space.entities().find(id);
      if (found && !found->deleted_at) return id;
    }
  }
  /// Removes a row, and now and then purges it at once; a purged entity gets a successor.
  template <class Rows, class RowId>
  void forget(const Rows& rows, RowId id) {
    (void)rows.remove(id);
    if (!chance(30) || !rows.purge(id).applied()) return;
    if constexpr (std::is_same_v<RowId, EntityId>) {
      *std::find(entities_.begin(), entities_.end(), id) = store_.add_entity("successor").id;
    }
  }
  Edge some_edge_row() {
    static const char* const kRelations[] = {"near", "like", "to", "Of"};
    Edge edge = edge_between(some_entity(), kRelations[random_.below(4)], some_entity());
    if (chance(40)) {
      const auto from = static_cast<std::int64_t>(random_.below(50));
      if (chance(80)) edge.valid_from = at_us(from);
      const auto to = from + 1 + static_cast<std::int64_t>(random_.below(50));
      if (chance(80)) edge.valid_to = at_us(to);
    }
    return edge;
  }
  void add(const Space& space) {
    const auto result = space.edges().insert_if_absent(some_edge_row());
    if (result.applied()) edges_.push_back(result.current->id);
  }
  void move(const Space& space) {
    const Edge to = some_edge_row();
    EdgeMove move;
    if (chance(50)) move.source = to.source;
    if (chance(50)) move.target = to.target;
    if (chance(30)) move.relation = to.relation;
    if (chance(30)) {
      move.valid_from = to.valid_from;
      move.valid_to = to.valid_to;
    }
    if (move == EdgeMove{}) move.target = to.target;
    const auto id = some_edge();
    const auto edge = space.edges().find(id);
    if (edge && (!edge->valid_to || move.valid_to || !move.valid_from)) {
      (void)space.retarget_edge(id, move);
    }
  }
  void change_end(const Space& space) {
    const auto edge = space.edges().find(some_edge());
    if (!edge || edge->deleted_at) return;
    Edge next = *edge;
    const auto start = edge->valid_from ? *edge->valid_from : at_us(0);
    next.valid_to = start + std::chrono::microseconds(1 + random_.below(60));
    (void)space.edges().replace(next, as_read(*edge));
  }
  TraversalOptions some_options() {
    TraversalOptions options;
    options.direction = static_cast<Direction>(random_.below(3));
    options.hops_max = 1 + static_cast<unsigned>(random_.below(5));
    if (chance(30)) options.relations = {"near"};
    if (chance(30)) options.relations.insert(options.relations.end(), {"to", "Of"});
    if (chance(40)) options.valid_at = at_us(static_cast<std::int64_t>(random_.below(100)));
    if (chance(25)) options.per_hop_max = 1 + random_.below(5);
    if (chance(25)) options.edges_max = 1 + random_.below(30);
    return options;
  }

  /// By rounds over the list of all edges, which knows nothing of order, rows or indexes.
  static std::map<EntityId, unsigned> depths_by_hand(const Space& space, EntityId start,
                                                     const TraversalOptions& options) {
    EdgeFilter filter;
    filter.valid_at = options.valid_at;
    const auto edges = space.edges().list(filter, {.limit = 10'000, .cursor = {}}).items;
    const std::set<std::string> wanted(options.relations.begin(), options.relations.end());
    std::map<EntityId, unsigned> depths{{start, 0}};
    for (unsigned depth = 1; depth <= options.hops_max; ++depth) {
      const auto before = depths;
      for (const Edge& edge : edges) {
        if (!wanted.empty() && !wanted.contains(edge.relation)) continue;
        const bool either = edge.relation == "near" || options.direction == Direction::both;
        const bool out = either || options.direction == Direction::outgoing;
        const bool in = either || options.direction == Direction::incoming;
        if (out && before.contains(edge.source)) depths.emplace(edge.target, depth);
        if (in && before.contains(edge.target)) depths.emplace(edge.source, depth);
      }
    }
    depths.erase(start);
    return depths;
  }

  TestStore store_;
  core::Random random_;
  std::unique_ptr<Store> other_;
  std::vector<EntityId> entities_;
  std::vector<EdgeId> edges_;
};

}  // namespace

TEST_CASE("after each of many random writes both sources and a search by hand agree",
          "[traversal][random]") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    INFO("seed " << seed);
    RandomGraph graph(seed);
    for (int i = 0; i < 400; ++i) {
      INFO("write " << i);
      graph.write();
      graph.check();
    }
    CHECK(graph.space().adjacency_status().state == AdjacencyState::loaded);
    CHECK(graph.store().verify().is_clean());
  }
}

TEST_CASE("many changes at once, and the laying out of all rows anew, change no answer",
          "[traversal][random]") {
  RandomGraph graph(7);
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 150; ++i) graph.write();
    for (int i = 0; i < 20; ++i) graph.check();
  }
}
