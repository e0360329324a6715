#include <holdfast/core/error.h>
#include <holdfast/core/limits.h>

#include "suites/traversal_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using Lines = std::vector<std::string>;

/// Entities named by letters, whose ids are in the order of their names, and edges between them.
struct Net {
  Net() {
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) names[id(name)] = name;
  }
  EntityId id(const std::string& name) {
    auto& known = ids[name];
    if (known.uuid.is_nil()) known = store.add_entity(name).id;
    return known;
  }
  Edge link(const std::string& from, const std::string& to, const std::string& relation = "to") {
    return store.add_edge(id(from), relation, id(to));
  }
  Edge link_over(const std::string& from, const std::string& to, std::int64_t start,
                 std::int64_t end) {
    Edge edge = edge_between(id(from), "to", id(to));
    edge.valid_from = at_us(start);
    edge.valid_to = at_us(end);
    return written(store.space->edges().insert_if_absent(edge));
  }
  void declare(Relation relation) { written(store.space->declare_relation(relation)); }

  Lines lines(const Traversal& traversal) const {
    Lines lines;
    for (const Reached& reached : traversal.reached) {
      lines.push_back(std::to_string(reached.depth) + " " + names.at(reached.from) +
                      names.at(reached.entity));
    }
    return lines;
  }
  /// "depth from-entity" of each entity reached.
  Lines reached(const std::string& start, const TraversalOptions& options) {
    return lines(both.traverse(id(start), options));
  }
  /// The entities of the path, or why there is none.
  std::string path(const std::string& from, const std::string& to,
                   const TraversalOptions& options) {
    const Path path = both.shortest_path(id(from), id(to), options);
    if (path.outcome == PathOutcome::none) return "none";
    if (path.outcome == PathOutcome::unknown) return "unknown";
    std::string text = from;
    for (const PathStep& step : path.steps) text += names.at(step.to);
    return text;
  }

  TestStore store;
  BothWays both{*store.space};
  std::map<std::string, EntityId> ids;
  std::map<EntityId, std::string> names;
};

TraversalOptions relations(std::vector<std::string> names, unsigned hops_max = 10) {
  TraversalOptions options = hops(hops_max);
  options.relations = std::move(names);
  return options;
}

}  // namespace

TEST_CASE("a traversal goes breadth first and meets each entity once, by the first edge to it",
          "[traversal]") {
  Net f;
  f.link("a", "c");
  f.link("a", "b");
  f.link("b", "d");
  f.link("c", "d");
  f.link("d", "a");
  f.link("c", "e");
  CHECK(f.reached("a", hops(1)) == Lines{"1 ab", "1 ac"});
  CHECK(f.reached("a", hops(2)) == Lines{"1 ab", "1 ac", "2 bd", "2 ce"});
  CHECK(f.reached("a", hops(1000)) == Lines{"1 ab", "1 ac", "2 bd", "2 ce"});
}

TEST_CASE("edges of a node are met outgoing first, then by relation, other end and start",
          "[traversal]") {
  Net f;
  f.link("a", "e", "x");
  f.link("a", "d", "x");
  f.link("a", "f", "w");
  f.link("b", "a", "a");
  f.link("c", "a", "Z");
  CHECK(f.reached("a", hops(1, Direction::both)) ==
        Lines{"1 af", "1 ad", "1 ae", "1 ac", "1 ab"});
}

TEST_CASE("of several edges to an entity the first by relation and start is reported",
          "[traversal]") {
  Net f;
  f.link("a", "b", "z");
  const Edge early = f.link_over("a", "b", 10, 20);
  f.link_over("a", "b", 20, 30);
  const auto traversal = f.both.traverse(f.id("a"), hops(1));
  REQUIRE(traversal.reached.size() == 1);
  CHECK((traversal.reached[0].via == early.id));
  CHECK(traversal.edges_seen == 3);
}

TEST_CASE("a traversal follows the direction and the relations that are asked for",
          "[traversal]") {
  Net f;
  f.link("a", "b", "knows");
  f.link("b", "c", "likes");
  f.link("d", "a", "knows");
  CHECK(f.reached("a", hops(9)) == Lines{"1 ab", "2 bc"});
  CHECK(f.reached("a", hops(9, Direction::incoming)) == Lines{"1 ad"});
  CHECK(f.reached("a", relations({"knows"})) == Lines{"1 ab"});
  CHECK(f.reached("a", relations({"likes", "knows", "likes"})) == Lines{"1 ab", "2 bc"});
  CHECK(f.reached("a", relations({"unheard of"})) == Lines{});
}

TEST_CASE("edges of a symmetric relation are followed either way in every direction",
          "[traversal]") {
  Net f;
  f.declare(symmetric_relation("near"));
  f.link("a", "b", "near");
  f.link("b", "c", "near");
  f.link("d", "c", "to");
  for (const auto direction : {Direction::outgoing, Direction::incoming}) {
    TraversalOptions near = relations({"near"});
    near.direction = direction;
    CHECK(f.reached("c", near) == Lines{"1 cb", "2 ba"});
    CHECK(f.reached("a", near) == Lines{"1 ab", "2 bc"});
  }
  CHECK(f.reached("c", hops(9)) == Lines{"1 cb", "2 ba"});
  CHECK(f.reached("c", hops(9, Direction::incoming)) == Lines{"1 cb", "1 cd", "2 ba"});
}

TEST_CASE("a loop leads nowhere and is not looked at", "[traversal]") {
  Net f;
  Relation loops = relation_named("to");
  loops.loops = true;
  f.declare(loops);
  f.link("a", "a");
  for (const auto direction : {Direction::outgoing, Direction::incoming, Direction::both}) {
    const auto traversal = f.both.traverse(f.id("a"), hops(3, direction));
    CHECK(traversal.reached.empty());
    CHECK(traversal.edges_seen == 0);
  }
}

TEST_CASE("a traversal at a time follows the edges that hold then", "[traversal]") {
  Net f;
  f.link_over("a", "b", 10, 20);
  f.link_over("a", "b", 20, 30);
  f.link("b", "c");
  const auto at = [&](std::int64_t us) {
    TraversalOptions options = hops(5);
    options.valid_at = at_us(us);
    return f.reached("a", options);
  };
  CHECK(at(9) == Lines{});
  CHECK(at(10) == Lines{"1 ab", "2 bc"});
  CHECK(at(20) == Lines{"1 ab", "2 bc"});
  CHECK(at(30) == Lines{});
}

TEST_CASE("a cap per hop cuts in the order of the search, and says where first", "[traversal]") {
  Net f;
  for (const char* to : {"b", "c", "d"}) f.link("a", to);
  f.link("b", "e");
  f.link("c", "f");
  TraversalOptions options = hops(2);
  options.per_hop_max = 2;
  CHECK(f.reached("a", options) == Lines{"1 ab", "1 ac", "2 be", "2 cf"});
  const auto capped = f.both.traverse(f.id("a"), options);
  CHECK(capped.capped_hop == 1);
  CHECK_FALSE(capped.complete());
  options.per_hop_max = 3;
  CHECK(f.both.traverse(f.id("a"), options).complete());
}

TEST_CASE("an entity that a cap cut off can be reached a hop later", "[traversal]") {
  Net f;
  f.link("a", "b");
  f.link("a", "c");
  f.link("b", "c", "z");
  TraversalOptions options = hops(2);
  options.per_hop_max = 1;
  CHECK(f.reached("a", options) == Lines{"1 ab", "2 bc"});
}

TEST_CASE("the budget counts each edge that is looked at, and says when it is spent",
          "[traversal]") {
  Net f;
  f.link("a", "b");
  f.link("a", "c");
  f.link("b", "d");
  TraversalOptions options = hops(9);
  for (const std::uint64_t budget : {1U, 2U, 3U, 4U}) {
    options.edges_max = budget;
    const auto traversal = f.both.traverse(f.id("a"), options);
    CHECK(traversal.reached.size() == std::min<std::uint64_t>(budget, 3));
    CHECK(traversal.edges_seen == std::min<std::uint64_t>(budget, 3));
    CHECK(traversal.budget_spent == (budget < 3));
  }
}

TEST_CASE("several starts search together, in their order and each once", "[traversal]") {
  Net f;
  f.link("a", "c");
  f.link("b", "c");
  f.link("b", "a");
  const EntityId starts[] = {f.id("b"), f.id("a"), f.id("b"), f.id("f")};
  CHECK(f.lines(f.both.traverse(starts, hops(3))) == Lines{"1 bc"});
}

TEST_CASE("counts of several starts are each by itself", "[traversal]") {
  Net f;
  f.link("a", "b");
  f.link("b", "c");
  const EntityId starts[] = {f.id("a"), f.id("b"), f.id("a"), f.id("f")};
  for (const auto source : {GraphSource::sql, GraphSource::memory}) {
    TraversalOptions options = hops(2);
    options.source = source;
    std::vector<std::uint64_t> counts;
    for (const ReachCount& count : f.store.space->count_reachable(starts, options)) {
      counts.push_back(count.entities);
      CHECK(count.answered_by == source);
    }
    CHECK(counts == std::vector<std::uint64_t>{2, 1, 2, 0});
  }
}

TEST_CASE("a shortest path has the fewest hops, and of equal ones the first met", "[traversal]") {
  Net f;
  f.link("a", "c");
  f.link("a", "b");
  f.link("b", "d");
  f.link("c", "d");
  f.link("d", "e");
  f.link("a", "f");
  f.link("f", "e");
  CHECK(f.path("a", "d", hops(9)) == "abd");
  CHECK(f.path("a", "e", hops(9)) == "afe");
  CHECK(f.path("e", "a", hops(9)) == "none");
  CHECK(f.path("e", "a", hops(9, Direction::incoming)) == "efa");
  CHECK(f.path("a", "a", hops(9)) == "a");
}

TEST_CASE("no path within the hops is told from a search that was cut", "[traversal]") {
  Net f;
  f.link("a", "b");
  f.link("a", "c");
  f.link("c", "d");
  CHECK(f.path("a", "d", hops(1)) == "none");
  TraversalOptions options = hops(2);
  options.edges_max = 2;
  CHECK(f.path("a", "d", options) == "unknown");
  options.edges_max = 3;
  options.per_hop_max = 1;
  CHECK(f.path("a", "d", options) == "unknown");
  options.per_hop_max = 2;
  CHECK(f.path("a", "d", options) == "acd");
}

TEST_CASE("a path names the edges it takes, each from end to end", "[traversal]") {
  Net f;
  const Edge ab = f.link("a", "b");
  const Edge cb = f.link("c", "b");
  const auto path = f.both.shortest_path(f.id("a"), f.id("c"), hops(2, Direction::both));
  CHECK((path.steps == std::vector<PathStep>{
                           {.edge = ab.id, .from = f.id("a"), .to = f.id("b")},
                           {.edge = cb.id, .from = f.id("b"), .to = f.id("c")}}));
}

TEST_CASE("a start that is unknown or deleted is not found, a lonely one reaches nothing",
          "[traversal]") {
  Net f;
  f.link("a", "b");
  written(f.store.space->entities().remove(f.id("a")));
  const EntityId unknown{f.store.environment.ids->next()};
  for (const auto source : {GraphSource::sql, GraphSource::memory}) {
    TraversalOptions options = hops(1);
    options.source = source;
    for (const EntityId start : {f.id("a"), unknown}) {
      CHECK_THROWS_AS(f.store.space->traverse(start, options), NotFound);
      CHECK_THROWS_AS(f.store.space->count_reachable(start, options), NotFound);
      CHECK_THROWS_AS(f.store.space->shortest_path(start, f.id("b"), options), NotFound);
      CHECK_THROWS_AS(f.store.space->shortest_path(f.id("b"), start, options), NotFound);
    }
  }
  CHECK(f.reached("b", hops(9, Direction::both)).empty());
  CHECK(f.path("b", "c", hops(9)) == "none");
}

TEST_CASE("what breaks a limit of a traversal is refused by its field", "[traversal]") {
  Net f;
  const auto refused = [&](const auto& spoil) {
    TraversalOptions options;
    spoil(options);
    return refusal_of([&] { f.store.space->traverse(f.id("a"), options); });
  };
  using Options = TraversalOptions;
  CHECK(refused([](Options& o) { o.hops_max = 0; }) == "hops_max: be 1 to 1000");
  CHECK(refused([](Options& o) { o.hops_max = 1001; }) == "hops_max: be 1 to 1000");
  CHECK(refused([](Options& o) { o.per_hop_max = 0; }) == "per_hop_max: be 1 to 10000000");
  CHECK(refused([](Options& o) { o.edges_max = 0; }) == "edges_max: be 1 to 1000000000");
  CHECK(refused([](Options& o) { o.relations.assign(257, "to"); }) == "relations: be at most 256");
  CHECK(refused([](Options& o) { o.relations = {""}; }).substr(0, 10) == "relations:");
  CHECK(refusal_of([&] { f.store.space->traverse(std::span<const EntityId>{}, hops(1)); }) ==
        "starts: be 1 to 10000 entities");
}
