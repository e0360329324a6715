#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// a -knows-> b, a -likes-> c, d -knows-> a.
struct Hood {
  Hood() {
    a = store.add_entity("a").id;
    b = store.add_entity("b").id;
    c = store.add_entity("c").id;
    d = store.add_entity("d").id;
    ab = store.add_edge(a, "knows", b);
    ac = store.add_edge(a, "likes", c);
    da = store.add_edge(d, "knows", a);
  }

  std::vector<Neighbor> around(EntityId entity, const NeighborFilter& filter = {}) const {
    return store.space->neighbors(entity, filter).items;
  }
  /// "direction relation name" of each neighbour, in order.
  std::vector<std::string> seen(EntityId entity, const NeighborFilter& filter = {}) const {
    std::vector<std::string> lines;
    for (const Neighbor& neighbor : around(entity, filter)) {
      lines.push_back(std::string(to_string(neighbor.direction)) + " " + neighbor.edge.relation +
                      " " + neighbor.entity.name);
    }
    return lines;
  }

  TestStore store;
  EntityId a, b, c, d;
  Edge ab, ac, da;
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("neighbours carry the edge, its stored direction and the other end", "[neighbors]") {
  Hood f;
  CHECK(f.seen(f.a) == Lines{"outgoing knows b", "outgoing likes c", "incoming knows d"});
  CHECK((f.around(f.a).front().edge == f.ab));
  CHECK((f.around(f.a).front().entity == f.store.space->entities().get(f.b)));
  CHECK(f.seen(f.b) == Lines{"incoming knows a"});
}

TEST_CASE("neighbours are filtered by direction and relation", "[neighbors]") {
  Hood f;
  CHECK(f.seen(f.a, {.direction = Direction::outgoing, .relation = {}, .valid_at = {}}) ==
        Lines{"outgoing knows b", "outgoing likes c"});
  CHECK(f.seen(f.a, {.direction = Direction::incoming, .relation = {}, .valid_at = {}}) ==
        Lines{"incoming knows d"});
  CHECK(f.seen(f.a, {.direction = Direction::both, .relation = "knows", .valid_at = {}}) ==
        Lines{"outgoing knows b", "incoming knows d"});
}

TEST_CASE("a symmetric edge is a neighbour either way, whichever way is asked for", "[neighbors]") {
  Hood f;
  written(f.store.space->declare_relation(symmetric_relation("near")));
  f.store.add_edge(f.d, "near", f.a);  // stored from a to d, whose id is larger
  const NeighborFilter outgoing{
      .direction = Direction::outgoing, .relation = "near", .valid_at = {}};
  const NeighborFilter incoming{
      .direction = Direction::incoming, .relation = "near", .valid_at = {}};
  CHECK(f.seen(f.a, outgoing) == Lines{"outgoing near d"});
  CHECK(f.seen(f.a, incoming) == Lines{"outgoing near d"});
  CHECK(f.seen(f.d, outgoing) == Lines{"incoming near a"});
  CHECK(f.seen(f.d, incoming) == Lines{"incoming near a"});
}

TEST_CASE("a loop is reported once: as outgoing, unless only incoming edges are asked for",
          "[neighbors]") {
  Hood f;
  Relation loops = relation_named("likes");
  loops.loops = true;
  written(f.store.space->declare_relation(loops));
  f.store.add_edge(f.b, "likes", f.b);
  CHECK(f.seen(f.b) == Lines{"outgoing likes b", "incoming knows a"});
  CHECK(f.seen(f.b, {.direction = Direction::outgoing, .relation = {}, .valid_at = {}}) ==
        Lines{"outgoing likes b"});
  CHECK(f.seen(f.b, {.direction = Direction::incoming, .relation = {}, .valid_at = {}}) ==
        Lines{"incoming knows a", "incoming likes b"});
}

TEST_CASE("neighbours hold at a time from its start to before its end", "[neighbors]") {
  Hood f;
  Edge edge = edge_between(f.b, "knows", f.c);
  edge.valid_from = at_us(10);
  edge.valid_to = at_us(20);
  written(f.store.space->edges().insert_if_absent(edge));
  const auto count = [&](std::int64_t us) {
    return f.around(f.c, {.direction = Direction::both, .relation = "knows", .valid_at = at_us(us)})
        .size();
  };
  CHECK(count(9) == 0);
  CHECK(count(10) == 1);
  CHECK(count(19) == 1);
  CHECK(count(20) == 0);
}

TEST_CASE("pages of neighbours see each once, across both sides", "[neighbors]") {
  Hood f;
  const auto all = f.seen(f.a);
  for (const std::size_t limit : {1U, 2U, 3U}) {
    Lines paged;
    for (const Neighbor& neighbor : all_pages<Neighbor>(limit, [&](const PageRequest& page) {
           return f.store.space->neighbors(f.a, {}, page);
         })) {
      paged.push_back(std::string(to_string(neighbor.direction)) + " " + neighbor.edge.relation +
                      " " + neighbor.entity.name);
    }
    CHECK(paged == all);
  }
  CHECK(f.store.space->neighbors(f.a, {}, {.limit = 1, .cursor = {}}).left_out == 2);
  CHECK(f.store.space->neighbors(f.a, {}, {.limit = 2, .cursor = {}}).left_out == 1);
}

TEST_CASE("paging of neighbours is stable under writes", "[neighbors]") {
  Hood f;
  int writes = 0;
  const auto paged = all_pages<Neighbor>(
      1, [&](const PageRequest& page) { return f.store.space->neighbors(f.a, {}, page); },
      [&] {
        // Before and after the page's end, on both sides.
        const EntityId fresh = f.store.add_entity("fresh").id;
        f.store.add_edge(f.a, "aaa" + std::to_string(++writes), fresh);
        if (writes == 1) f.store.add_edge(fresh, "zzz", f.a);
        written(f.store.space->edges().update(f.da.id, [](Edge& edge) { edge.weight += 1; }));
      });
  for (const EdgeId id : {f.ab.id, f.ac.id, f.da.id}) {
    int times = 0;
    for (const Neighbor& neighbor : paged) times += neighbor.edge.id == id ? 1 : 0;
    CHECK(times == 1);
  }
}

TEST_CASE("a cursor of another entity, direction or filter is refused", "[neighbors]") {
  Hood f;
  PageRequest page{.limit = 1, .cursor = {}};
  page.cursor = *f.store.space->neighbors(f.a, {}, page).next;
  const auto& space = *f.store.space;
  CHECK_THROWS_AS(space.neighbors(f.b, {}, page), InvalidArgument);
  CHECK_THROWS_AS(
      space.neighbors(f.a, {.direction = Direction::outgoing, .relation = {}, .valid_at = {}},
                      page),
      InvalidArgument);
  CHECK_THROWS_AS(
      space.neighbors(f.a, {.direction = Direction::both, .relation = "knows", .valid_at = {}},
                      page),
      InvalidArgument);
  CHECK(space.neighbors(f.a, {}, page).items.size() == 1);
}

TEST_CASE("an unknown entity is an error, a lonely or deleted one has no neighbours",
          "[neighbors]") {
  Hood f;
  CHECK_THROWS_AS(f.store.space->neighbors({f.store.environment.ids->next()}), NotFound);
  CHECK(f.seen(f.store.add_entity("lonely").id).empty());
  written(f.store.space->entities().remove(f.a));
  CHECK(f.seen(f.a).empty());
  CHECK(f.seen(f.d).empty());
}

TEST_CASE("a deleted edge is no neighbour until it is restored", "[neighbors]") {
  Hood f;
  written(f.store.space->edges().remove(f.ab.id));
  CHECK(f.seen(f.b).empty());
  written(f.store.space->edges().restore(f.ab.id));
  CHECK(f.seen(f.b) == Lines{"incoming knows a"});
}

TEST_CASE("every change of an edge stamps the neighbourhoods of both its ends", "[neighbors]") {
  Hood f;
  const auto& edges = f.store.space->edges();
  const auto check_stamped = [&](const Edge& changed) {
    CHECK(f.store.space->neighborhood_seq(f.a) == changed.seq);
    CHECK(f.store.space->neighborhood_seq(f.b) == changed.seq);
  };
  check_stamped(written(edges.insert_if_absent(edge_between(f.a, "trusts", f.b))));
  check_stamped(written(edges.update(f.ab.id, [](Edge& edge) { edge.weight = 2; })));
  check_stamped(written(edges.replace(edges.get(f.ab.id), as_read(edges.get(f.ab.id)))));
  check_stamped(written(edges.remove(f.ab.id)));
  check_stamped(written(edges.restore(f.ab.id)));
  CHECK(f.store.space->neighborhood_seq(f.c) == f.ac.seq);
  CHECK(f.store.space->neighborhood_seq(f.store.add_entity("lonely").id) == 0);
}
