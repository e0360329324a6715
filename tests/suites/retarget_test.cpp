#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Four entities in the order of their ids, and an edge a -knows-> b over a time with both ends.
struct Moves {
  Moves() {
    for (EntityId* id : {&a, &b, &c, &d}) *id = store.add_entity("entity").id;
    REQUIRE((a < b && b < c && c < d));
    ab = add(a, b);
    pass_time(store);
  }
  Edge add(EntityId source, EntityId target, std::int64_t from = 10, std::int64_t to = 20) {
    Edge edge = edge_between(source, "knows", target);
    edge.properties = JsonObject::parse("properties", R"({"since":"school"})");
    edge.valid_from = at_us(from);
    edge.valid_to = at_us(to);
    return written(store.space->edges().insert_if_absent(edge));
  }
  WriteResult<Edge> move(const EdgeMove& to, const std::optional<Expected>& expected = {}) {
    return store.space->retarget_edge(ab.id, to, expected);
  }
  Edge edge(EdgeId id) const { return store.space->edges().get(id); }
  Sequence hood(EntityId id) const { return store.space->neighborhood_seq(id); }
  void require_clean() { CHECK(broken_checks(*store.store).empty()); }

  TestStore store;
  EntityId a, b, c, d;
  Edge ab;
};

EdgeMove target(EntityId id) {
  EdgeMove move;
  move.target = id;
  return move;
}

EdgeMove time(std::optional<std::optional<Timestamp>> from,
              std::optional<std::optional<Timestamp>> to) {
  EdgeMove move;
  move.valid_from = from;
  move.valid_to = to;
  return move;
}

}  // namespace

TEST_CASE("a moved edge keeps its id and what it says, at its new place", "[retarget]") {
  Moves f;
  EdgeMove everything = target(f.d);
  everything.source = f.c;
  everything.relation = "likes";
  everything.valid_from = std::optional<Timestamp>{};
  everything.valid_to = at_us(99);
  const auto result = f.move(everything);
  Edge should = f.ab;
  should.source = f.c;
  should.relation = "likes";
  should.target = f.d;
  should.valid_from.reset();
  should.valid_to = at_us(99);
  should.revision = written(result).revision;
  should.seq = f.store.space->tail().seq;
  CHECK(should.revision > f.ab.revision);
  CHECK((result.current == should));
  CHECK((f.edge(f.ab.id) == should));
  CHECK(f.store.space->edges().history(f.ab.id).items.back().op == "retarget");
  f.require_clean();
}

TEST_CASE("what a move does not name stays as it is", "[retarget]") {
  Moves f;
  const Edge moved = written(f.move(target(f.c)));
  CHECK(moved.source == f.a);
  CHECK(moved.relation == "knows");
  CHECK(moved.valid_from == f.ab.valid_from);
  CHECK(moved.valid_to == f.ab.valid_to);
}

TEST_CASE("the places that a moved edge leaves and gets are both free and taken at once",
          "[retarget]") {
  Moves f;
  written(f.move(target(f.c)));
  CHECK(f.store.space->edges().insert_if_absent(f.edge(f.ab.id)).outcome == Outcome::exists);
  Edge there = edge_between(f.a, "knows", f.c);
  there.valid_from = f.ab.valid_from;
  CHECK(f.store.space->edges().insert_if_absent(there).outcome == Outcome::key_taken);
  there.target = f.b;
  CHECK(f.store.space->edges().insert_if_absent(there).applied());
  f.require_clean();
}

TEST_CASE("a move stamps the neighbourhoods that it leaves and those that it reaches",
          "[retarget]") {
  Moves f;
  const Sequence before = f.hood(f.a);
  EdgeMove both = target(f.d);
  both.source = f.c;
  const auto result = f.move(both);
  for (const EntityId id : {f.a, f.b, f.c, f.d}) CHECK(f.hood(id) == result.seq);
  CHECK(result.seq > before);
  CHECK(f.store.space->neighbors(f.a).items.empty());
  CHECK(f.store.space->neighbors(f.d).items.size() == 1);
  // A later change is no longer one at the old ends.
  pass_time(f.store);
  const Edge later = written(f.store.space->edges().update(f.ab.id, &EdgeKind::edit));
  CHECK(f.hood(f.a) == result.seq);
  CHECK(f.hood(f.c) == later.seq);
  f.require_clean();
}

TEST_CASE("an edge that is moved onto another is absorbed, and the other's bytes stay",
          "[retarget]") {
  Moves f;
  const Edge survivor = f.add(f.a, f.c);
  const std::string bytes = Collection<graph::EdgeStore>::to_json(survivor);
  const Sequence hood_of_c = f.hood(f.c);
  pass_time(f.store);
  const auto result = f.move(target(f.c));
  CHECK(result.outcome == Outcome::absorbed);
  CHECK(result.wrote());
  CHECK((result.current == survivor));
  CHECK(Collection<graph::EdgeStore>::to_json(f.edge(survivor.id)) == bytes);
  CHECK(f.edge(survivor.id).seq == survivor.seq);

  const Edge absorbed = f.edge(f.ab.id);
  CHECK(absorbed.deleted_at == f.store.environment.clock.now());
  CHECK(absorbed.target == f.b);
  CHECK_FALSE(absorbed.deleted_with.has_value());
  CHECK(absorbed.seq == result.seq);
  CHECK(f.store.space->edges().history(f.ab.id).items.back().op == "absorb");
  CHECK(f.hood(f.b) == result.seq);
  CHECK(f.hood(f.c) == hood_of_c);
  CHECK(f.store.space->tail().seq == result.seq);
  f.require_clean();
}

TEST_CASE("an absorbed edge comes back where it was", "[retarget]") {
  Moves f;
  f.add(f.a, f.c);
  REQUIRE(f.move(target(f.c)).outcome == Outcome::absorbed);
  const Edge back = written(f.store.space->edges().restore(f.ab.id));
  CHECK(back.target == f.b);
  f.require_clean();
}

TEST_CASE("an absorbed edge whose own place is taken since is a conflict with the taker",
          "[retarget]") {
  Moves f;
  f.add(f.a, f.c);
  REQUIRE(f.move(target(f.c)).outcome == Outcome::absorbed);
  const Edge taker = f.add(f.a, f.b);
  const std::string before = picture(*f.store.store);
  const auto result = f.store.space->edges().restore(f.ab.id);
  CHECK(result.outcome == Outcome::key_taken);
  CHECK((result.current == taker));
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("a stale move is refused wherever it would go", "[retarget]") {
  Moves f;
  f.add(f.a, f.c);
  const Expected stale = as_read(f.ab);
  const Edge newer = written(f.store.space->edges().update(f.ab.id, &EdgeKind::edit));
  const std::string before = picture(*f.store.store);
  EdgeMove loop = target(f.a);
  for (const EdgeMove& to : {target(f.d), target(f.c), target(f.b), loop, EdgeMove{}}) {
    const auto result = f.move(to, stale);
    CHECK(to_string(result.outcome) == "revision_moved");
    CHECK((result.current == newer));
    CHECK(result.seq == 0);
  }
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("an edge that was deleted since it was read is not moved", "[retarget]") {
  Moves f;
  f.add(f.a, f.c);
  const Edge dead = written(f.store.space->edges().remove(f.ab.id));
  const std::string before = picture(*f.store.store);
  for (const auto& expected :
       {std::optional<Expected>{}, std::optional(as_read(f.ab)), std::optional(as_read(dead))}) {
    for (const EntityId to : {f.c, f.d}) {
      const auto result = f.move(target(to), expected);
      CHECK(to_string(result.outcome) == "deletion_changed");
      CHECK((result.current == dead));
    }
  }
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("moving an edge that never was is missing", "[retarget]") {
  Moves f;
  const auto result =
      f.store.space->retarget_edge({f.store.environment.ids->next()}, target(f.c));
  CHECK(result.outcome == Outcome::missing);
  CHECK_FALSE(result.current.has_value());
}

TEST_CASE("an edge that is where it should be already is unchanged", "[retarget]") {
  Moves f;
  const std::string before = picture(*f.store.store);
  for (const EdgeMove& to :
       {EdgeMove{}, target(f.b), time(f.ab.valid_from, f.ab.valid_to)}) {
    const auto result = f.move(to);
    CHECK(to_string(result.outcome) == "unchanged");
    CHECK((result.current == f.ab));
  }
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("a moved edge of a symmetric relation is stored smaller id first", "[retarget]") {
  Moves f;
  written(f.store.space->declare_relation(symmetric_relation("near")));
  const Edge bc = f.store.add_edge(f.b, "near", f.c);
  EdgeMove to_a = target(f.a);
  const Edge moved = written(f.store.space->retarget_edge(bc.id, to_a));
  CHECK(moved.source == f.a);
  CHECK(moved.target == f.b);
  f.require_clean();

  EdgeMove turned;
  turned.source = f.b;
  turned.target = f.a;
  CHECK(f.store.space->retarget_edge(bc.id, turned).outcome == Outcome::unchanged);

  const Edge ad = f.store.add_edge(f.d, "near", f.a);
  EdgeMove onto = target(f.a);
  onto.source = f.d;
  const auto result = f.store.space->retarget_edge(bc.id, onto);
  CHECK(result.outcome == Outcome::absorbed);
  CHECK((result.current == ad));
  f.require_clean();
}

TEST_CASE("an edge may be moved in time, over its own old time too", "[retarget]") {
  Moves f;
  const Edge longer = written(f.move(time(at_us(5), at_us(15))));
  CHECK(longer.valid_from == at_us(5));
  CHECK(longer.valid_to == at_us(15));
  const Edge open = written(f.move(time(std::optional<Timestamp>{}, std::optional<Timestamp>{})));
  CHECK_FALSE(open.valid_from.has_value());
  CHECK_FALSE(open.valid_to.has_value());
  f.require_clean();
}

TEST_CASE("an end that is not after its start is an error of a move too", "[retarget]") {
  Moves f;
  const std::string before = picture(*f.store.store);
  CHECK_THROWS_AS(f.move(time(at_us(20), {})), InvalidArgument);
  CHECK_THROWS_AS(f.move(time({}, at_us(10))), InvalidArgument);
  CHECK_THROWS_AS(f.move(target({})), InvalidArgument);
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("an edge cannot be moved into another's time, but next to it", "[retarget]") {
  Moves f;
  const Edge later = f.add(f.a, f.b, 20, 30);
  const std::string before = picture(*f.store.store);
  const auto result = f.move(time({}, at_us(21)));
  CHECK(result.outcome == Outcome::overlaps);
  CHECK((result.current == later));
  CHECK(picture(*f.store.store) == before);
  CHECK(f.move(time(at_us(30), at_us(40))).applied());
  f.require_clean();
}

TEST_CASE("an edge that is moved to another's start is absorbed, however long it would hold",
          "[retarget]") {
  Moves f;
  const Edge there = f.add(f.a, f.b, 20, 30);
  const auto result = f.move(time(at_us(20), at_us(99)));
  CHECK(result.outcome == Outcome::absorbed);
  CHECK((result.current == there));
  CHECK(f.edge(f.ab.id).valid_from == at_us(10));
  f.require_clean();
}

TEST_CASE("a moved edge goes with the ends that it has, and no longer with those it had",
          "[retarget]") {
  Moves f;
  written(f.move(target(f.c)));
  CHECK(f.store.space->entities().remove(f.b).edges.empty());
  CHECK(f.store.space->entities().remove(f.c).edges == std::vector{f.ab.id});
  const auto restored = f.store.space->entities().restore(f.c);
  CHECK(restored.edges == std::vector{f.ab.id});
  f.require_clean();
}

TEST_CASE("a move reads back from JSON as it was written", "[retarget]") {
  Moves f;
  EdgeMove move = target(f.c);
  move.relation = "likes";
  move.valid_from = at_us(7);
  move.valid_to = std::optional<Timestamp>{};
  const auto text = JsonObject::parse("move", move.to_json());
  CHECK(EdgeMove::parse(text) == move);
  CHECK(EdgeMove::parse(JsonObject::parse("move", "{}")) == EdgeMove{});
  CHECK_THROWS_AS(EdgeMove::parse(JsonObject::parse("move", R"({"weight":1})")), InvalidArgument);
}
