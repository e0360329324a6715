#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using Names = std::vector<std::string>;

/// Persons and places, and the relation "lives_in" from the first to the second.
struct Homes {
  Homes() {
    ada = store.add_entity("Ada", "person").id;
    paul = store.add_entity("Paul", "person").id;
    london = store.add_entity("London", "place").id;
    paris = store.add_entity("Paris", "place").id;
    written(declare({{"person"}}, {{"place"}}));
  }
  WriteResult<Relation> declare(const std::optional<Names>& sources,
                                const std::optional<Names>& targets) {
    Relation relation = relation_named("lives_in");
    relation.source_kinds = sources;
    relation.target_kinds = targets;
    return store.space->declare_relation(relation);
  }
  WriteResult<Edge> insert(EntityId source, EntityId target) {
    return store.space->edges().insert_if_absent(edge_between(source, "lives_in", target));
  }
  WriteResult<Entity> become(EntityId id, const std::string& kind) {
    return store.space->entities().update(id, [&](Entity& entity) { entity.kind = kind; });
  }
  /// Refused, and nothing is written.
  template <class Call>
  void require_refused(Outcome outcome, const Call& call) {
    const std::string before = picture(*store.store);
    CHECK(to_string(call().outcome) == to_string(outcome));
    CHECK(picture(*store.store) == before);
  }

  TestStore store;
  EntityId ada, paul, london, paris;
};

}  // namespace

TEST_CASE("a declaration of kinds is stored, read back, journaled and verified",
          "[relation_kinds]") {
  Homes f;
  const auto declared = f.store.space->relations().items;
  REQUIRE(declared.size() == 1);
  CHECK(declared.front().source_kinds == Names{"person"});
  CHECK(declared.front().target_kinds == Names{"place"});
  CHECK(f.declare({{"person"}}, {{"place"}}).outcome == Outcome::unchanged);
  CHECK(written(f.declare({{"person", "robot"}}, {})).target_kinds == std::nullopt);
  f.store.reopen();
  CHECK(f.store.space->relations().items.front().source_kinds == Names{"person", "robot"});
  CHECK(broken_checks(*f.store.store).empty());
}

TEST_CASE("an edge links only entities of the declared kinds", "[relation_kinds]") {
  Homes f;
  CHECK(f.insert(f.ada, f.london).applied());
  f.require_refused(Outcome::kind_refused, [&] { return f.insert(f.london, f.ada); });
  f.require_refused(Outcome::kind_refused, [&] { return f.insert(f.ada, f.paul); });
  f.require_refused(Outcome::kind_refused, [&] { return f.insert(f.paris, f.london); });
  // Other relations link what they like.
  CHECK(f.store.add_edge(f.london, "near", f.paris).source == f.london);
}

TEST_CASE("a side without kinds links any, one with an empty list links none",
          "[relation_kinds]") {
  Homes f;
  written(f.declare({}, {{"place"}}));
  CHECK(f.insert(f.paris, f.london).applied());
  CHECK(f.insert(f.ada, f.london).applied());
  f.require_refused(Outcome::kind_refused, [&] { return f.insert(f.ada, f.paul); });
  f.require_refused(Outcome::in_use, [&] { return f.declare(Names{}, {}); });
  for (const Edge& edge : f.store.space->edges().list({}).items) {
    written(f.store.space->edges().remove(edge.id));
  }
  written(f.declare(Names{}, {}));
  f.require_refused(Outcome::kind_refused, [&] { return f.insert(f.ada, f.london); });
}

TEST_CASE("an edge comes back only between entities of the declared kinds", "[relation_kinds]") {
  Homes f;
  const EdgeId id = written(f.insert(f.ada, f.london)).id;
  written(f.store.space->edges().remove(id));
  written(f.become(f.ada, "robot"));
  f.require_refused(Outcome::kind_refused, [&] { return f.store.space->edges().restore(id); });
  written(f.become(f.ada, "person"));
  CHECK(f.store.space->edges().restore(id).applied());
}

TEST_CASE("an edge moves only between entities of the declared kinds", "[relation_kinds]") {
  Homes f;
  const EdgeId id = written(f.insert(f.ada, f.london)).id;
  const auto move = [&](std::optional<EntityId> source, std::optional<EntityId> target) {
    EdgeMove to;
    to.source = source;
    to.target = target;
    return f.store.space->retarget_edge(id, to);
  };
  f.require_refused(Outcome::kind_refused, [&] { return move({}, f.paul); });
  f.require_refused(Outcome::kind_refused, [&] { return move(f.paris, {}); });
  f.require_refused(Outcome::kind_refused, [&] { return move(f.london, f.ada); });
  CHECK(move(f.paul, f.paris).applied());

  const Edge near = f.store.add_edge(f.london, "near", f.paris);
  EdgeMove renamed;
  renamed.relation = "lives_in";
  f.require_refused(Outcome::kind_refused,
                    [&] { return f.store.space->retarget_edge(near.id, renamed); });
}

TEST_CASE("an entity keeps a kind that its live edges link, at either end", "[relation_kinds]") {
  Homes f;
  const EdgeId id = written(f.insert(f.ada, f.london)).id;
  f.require_refused(Outcome::kind_refused, [&] { return f.become(f.ada, "robot"); });
  f.require_refused(Outcome::kind_refused, [&] { return f.become(f.london, "robot"); });
  f.require_refused(Outcome::kind_refused, [&] {
    return f.store.space->entities().patch(f.ada, JsonObject::parse("p", R"({"kind":"x"})"));
  });
  CHECK(f.become(f.paul, "robot").applied());
  CHECK(f.store.space->entities().update(f.ada, &EntityKind::edit).applied());
  written(f.store.space->edges().remove(id));
  CHECK(f.become(f.ada, "robot").applied());
  CHECK(f.become(f.london, "robot").applied());
}

TEST_CASE("a refused change of kind shows the entity as it is, a stale one its conflict",
          "[relation_kinds]") {
  Homes f;
  written(f.insert(f.ada, f.london));
  const Entity read = f.store.space->entities().get(f.ada);
  Entity robot = read;
  robot.kind = "robot";
  const auto refused = f.store.space->entities().replace(robot, as_read(read));
  CHECK(refused.outcome == Outcome::kind_refused);
  CHECK((refused.current == read));
  const Entity newer = written(f.store.space->entities().update(f.ada, &EntityKind::edit));
  const auto stale = f.store.space->entities().replace(robot, as_read(read));
  CHECK(stale.outcome == Outcome::revision_moved);
  CHECK((stale.current == newer));
}

TEST_CASE("kinds cannot be declared over live edges that break them, over deleted ones they can",
          "[relation_kinds]") {
  Homes f;
  const EdgeId id = written(f.insert(f.ada, f.london)).id;
  f.require_refused(Outcome::in_use, [&] { return f.declare({{"robot"}}, {{"place"}}); });
  f.require_refused(Outcome::in_use, [&] { return f.declare({{"person"}}, {{"person"}}); });
  CHECK(f.declare({{"person", "robot"}}, {}).applied());
  CHECK(f.declare({}, {{"place", "planet"}}).applied());
  written(f.store.space->edges().remove(id));
  CHECK(f.declare({{"robot"}}, {{"place"}}).applied());
}

TEST_CASE("loops cannot be forbidden over live ones", "[relation_kinds]") {
  TestStore store;
  Relation loops = relation_named("knows");
  loops.loops = true;
  written(store.space->declare_relation(loops));
  const EntityId a = store.add_entity("a").id;
  const EdgeId loop = store.add_edge(a, "knows", a).id;
  CHECK(store.space->declare_relation(relation_named("knows")).outcome == Outcome::in_use);
  written(store.space->edges().remove(loop));
  CHECK(store.space->declare_relation(relation_named("knows")).applied());
}

TEST_CASE("a symmetric relation has the same kinds on both sides", "[relation_kinds]") {
  TestStore store;
  Relation near = symmetric_relation("near");
  near.source_kinds = Names{"place"};
  CHECK_THAT(refusal_of([&] { (void)store.space->declare_relation(near); }),
             Catch::Matchers::ContainsSubstring("target_kinds: be those of the source"));
  near.target_kinds = Names{"planet"};
  CHECK_THROWS_AS(store.space->declare_relation(near), InvalidArgument);
  near.target_kinds = Names{"place"};
  written(store.space->declare_relation(near));
  const EntityId a = store.add_entity("a", "place").id;
  const EntityId b = store.add_entity("b", "place").id;
  const EntityId person = store.add_entity("c", "person").id;
  CHECK(store.add_edge(b, "near", a).source == a);
  for (const auto& [source, target] : {std::pair(a, person), std::pair(person, a)}) {
    CHECK(store.space->edges().insert_if_absent(edge_between(source, "near", target)).outcome ==
          Outcome::kind_refused);
  }
}

TEST_CASE("kinds obey the rules of names, and each counts once", "[relation_kinds]") {
  Homes f;
  CHECK_THROWS_AS(f.declare({{""}}, {}), InvalidArgument);
  CHECK_THROWS_AS(f.declare({}, {{std::string(1025, 'x')}}), InvalidArgument);
  CHECK(written(f.declare({{"person", "person"}}, {})).source_kinds == Names{"person"});
}

TEST_CASE("a dead end is told before its kind", "[relation_kinds]") {
  Homes f;
  written(f.store.space->entities().remove(f.paul));
  const auto result = f.insert(f.ada, f.paul);
  CHECK(result.outcome == Outcome::endpoint_missing);
  CHECK(result.missing == std::vector{f.paul});
}

TEST_CASE("an entity comes back without the edges that its relation no longer allows",
          "[relation_kinds]") {
  Homes f;
  const EdgeId lives = written(f.insert(f.ada, f.london)).id;
  const EdgeId knows = f.store.add_edge(f.ada, "knows", f.paul).id;
  written(f.store.space->entities().remove(f.ada));
  written(f.declare({{"robot"}}, {{"place"}}));
  const auto restored = f.store.space->entities().restore(f.ada);
  CHECK(restored.applied());
  CHECK(restored.edges == std::vector{knows});
  CHECK(restored.kept_out == std::vector{lives});
  CHECK(f.store.space->edges().get(lives).deleted_at.has_value());
  CHECK(broken_checks(*f.store.store).empty());
  // It waits on, for the next time.
  written(f.declare({{"person"}}, {{"place"}}));
  written(f.store.space->entities().remove(f.ada));
  CHECK(f.store.space->entities().restore(f.ada).kept_out.empty());
  CHECK(f.store.space->edges().get(lives).deleted_at == std::nullopt);
}
