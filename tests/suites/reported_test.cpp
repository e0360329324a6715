// What went wrong in systems of this kind, one test for each report that concerns these stores.

#include <algorithm>

#include <holdfast/graph/neighbors.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

TEST_CASE("C1: an edge between names nobody has is refused and names both ends", "[reported]") {
  TestStore store;
  const EntityId nobody{store.environment.ids->next()};
  const EntityId nobody_else{store.environment.ids->next()};
  const auto result =
      store.space->edges().insert_if_absent(edge_between(nobody, "knows", nobody_else));
  CHECK(result.outcome == Outcome::endpoint_missing);
  CHECK(result.missing == std::vector{nobody, nobody_else});
  CHECK(store.space->edges().count({}) == 0);
}

TEST_CASE("C7: an edge to an entity that is there already is added, or the answer says not",
          "[reported]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  const EntityId b = store.add_entity("b").id;
  store.add_edge(a, "knows", b);
  CHECK(store.space->edges().count({}) == 1);
  const auto again = store.space->edges().insert_if_absent(edge_between(a, "knows", b));
  CHECK(again.outcome == Outcome::key_taken);
  CHECK(store.space->edges().count({}) == 1);
}

TEST_CASE("C12: who reads a snapshot still sees edges that are deleted meanwhile", "[reported]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  std::vector<EdgeId> edges;
  for (int i = 0; i < 5; ++i) {
    edges.push_back(store.add_edge(a, "knows", store.add_entity("b").id).id);
  }
  const auto snapshot = store.store->database().snapshot();
  PageRequest page{.limit = 2, .cursor = {}};
  auto seen = graph::neighbors(snapshot->transaction(), "main", a, {}, page);
  for (const EdgeId id : edges) written(store.space->edges().remove(id));
  page = {.limit = 10, .cursor = *seen.next};
  const auto rest = graph::neighbors(snapshot->transaction(), "main", a, {}, page);
  CHECK(seen.items.size() + rest.items.size() == edges.size());
  CHECK(store.space->neighbors(a).items.empty());
}

TEST_CASE("C13: restoring an entity says which edges come back, and its notes never left",
          "[reported]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  const Edge edge = store.add_edge(a, "knows", store.add_entity("b").id);
  const Note note = store.add_note("text", a);
  written(store.space->entities().remove(a));
  CHECK(store.space->notes().get(note.id).content == "text");
  const auto restored = store.space->entities().restore(a);
  CHECK(restored.edges == std::vector{edge.id});
  NoteFilter about;
  about.about = a;
  CHECK((store.space->notes().list(about).items == std::vector{note}));
  CHECK(store.space->neighbors(a).items.size() == 1);
}

TEST_CASE("D16: a renamed entity keeps its id, its edges and its notes", "[reported]") {
  TestStore store;
  const Entity a = store.add_entity("before");
  const Edge edge = store.add_edge(a.id, "knows", store.add_entity("b").id);
  const Note note = store.add_note("text", a.id);
  const Entity renamed =
      written(store.space->entities().update(a.id, [](Entity& e) { e.name = "after"; }));
  CHECK(renamed.id == a.id);
  CHECK((store.space->edges().get(edge.id) == edge));
  CHECK((store.space->notes().get(note.id) == note));
  CHECK(store.space->neighbors(edge.target).items.front().entity.name == "after");
}

TEST_CASE("D24: a deleted edge does not block, absorb or revive with a new one of its triple",
          "[reported]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  const EntityId b = store.add_entity("b").id;
  const Edge first = store.add_edge(a, "knows", b);
  const Edge dead = written(store.space->edges().remove(first.id));
  const Edge second = store.add_edge(a, "knows", b);
  CHECK(second.id != first.id);
  CHECK((store.space->edges().get(first.id) == dead));
  CHECK(store.space->neighbors(a).items.size() == 1);
  CHECK(store.store->verify().is_clean());
}

TEST_CASE("D24: a deleted note does not block, absorb or revive with a new one of its key",
          "[reported]") {
  TestStore store;
  Note note = NoteKind::fresh(store, *store.space, "text");
  note.key = "key";
  const Note first = written(store.space->notes().insert_if_absent(note));
  const Note dead = written(store.space->notes().remove(first.id));
  const Note second = written(store.space->notes().insert_if_absent(note));
  CHECK(second.id != first.id);
  CHECK((store.space->notes().get(first.id) == dead));
  CHECK((store.space->find_note("key") == second));
}

TEST_CASE("D26: a row whose place was taken comes back only as a conflict that names the taker",
          "[reported]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  const EntityId b = store.add_entity("b").id;
  const Edge first = store.add_edge(a, "knows", b);
  written(store.space->edges().remove(first.id));
  const Edge second = store.add_edge(a, "knows", b);
  const auto edge = store.space->edges().restore(first.id);
  CHECK(edge.outcome == Outcome::key_taken);
  CHECK((edge.current == second));

  Note note = NoteKind::fresh(store, *store.space, "text");
  note.key = "key";
  const Note old = written(store.space->notes().insert_if_absent(note));
  written(store.space->notes().remove(old.id));
  const Note taker = written(store.space->notes().insert_if_absent(note));
  const auto result = store.space->notes().restore(old.id);
  CHECK(result.outcome == Outcome::key_taken);
  CHECK((result.current == taker));
}

TEST_CASE("E16: what an answer shows of a row is what the database holds", "[reported]") {
  TestStore store;
  const Entity a = store.add_entity("a", "place");
  CHECK((store.space->entities().get(a.id) == a));
  const auto refused = store.space->entities().insert_if_absent(a);
  CHECK((refused.current == store.space->entities().get(a.id)));
}

TEST_CASE("J13: every event of a row has a time, its deletion too", "[reported]") {
  TestStore store;
  const Entity row = store.add_entity("a");
  pass_time(store);
  const Entity dead = written(store.space->entities().remove(row.id));
  const auto events = store.space->entities().history(row.id).items;
  REQUIRE(events.size() == 2);
  CHECK(events[0].at == row.created_at);
  CHECK(events[1].op == "delete");
  CHECK(events[1].at == dead.deleted_at);
}

TEST_CASE("K1: no answer grows with the store: each is a page that says what it leaves out",
          "[reported]") {
  TestStore store;
  const EntityId hub = store.add_entity("hub").id;
  for (int i = 0; i < 150; ++i) store.add_edge(hub, "knows", store.add_entity("leaf").id);
  CHECK(store.space->entities().list({}).items.size() == 100);
  CHECK(store.space->entities().list({}).left_out == 51);
  CHECK(store.space->neighbors(hub).items.size() == 100);
  CHECK(store.space->neighbors(hub).left_out == 50);
  for (int i = 0; i < 120; ++i) {
    written(store.space->entities().update(hub, &EntityKind::edit));
  }
  CHECK(store.space->entities().history(hub).items.size() == 100);
  CHECK(store.space->entities().history(hub).left_out == 21);
}

TEST_CASE("L1: deleting what is not there says so instead of done", "[reported]") {
  TestStore store;
  store.add_entity("Alice");
  const auto result = store.space->entities().remove({store.environment.ids->next()});
  CHECK(result.outcome == Outcome::missing);
  CHECK_FALSE(result.current.has_value());
  CHECK(store.space->entities().count({}) == 1);
}

TEST_CASE("L6: an id of another space deletes nothing there", "[reported]") {
  TestStore store;
  const Space other = store.store->create_space("other", "tester");
  const Entity theirs = EntityKind::add(store, other, "theirs");
  CHECK(store.space->entities().remove(theirs.id).outcome == Outcome::missing);
  CHECK((other.entities().get(theirs.id) == theirs));
}

TEST_CASE("C13: a restored entity lists the edges that come back, wait on, or are barred by now",
          "[reported]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  const EntityId dead = store.add_entity("dead").id;
  const EntityId live = store.add_entity("live").id;
  const Edge back = store.add_edge(a, "knows", live);
  const Edge waits = store.add_edge(dead, "knows", a);
  const Edge barred = store.add_edge(live, "knows", a);
  written(store.space->entities().remove(a));
  written(store.space->entities().remove(dead));
  Relation persons = relation_named("knows");
  persons.source_kinds = {"person"};
  written(store.space->declare_relation(persons));
  written(store.space->entities().update(live, [](Entity& entity) { entity.kind = "robot"; }));

  const auto restored = store.space->entities().restore(a);
  CHECK(restored.applied());
  CHECK(restored.edges == std::vector{back.id});
  CHECK(restored.handed_over == std::vector{waits.id});
  CHECK(restored.kept_out == std::vector{barred.id});
  CHECK(broken_checks(*store.store).empty());
}

TEST_CASE("D26: a moved edge that takes another's place is absorbed, and says by which",
          "[reported]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  const EntityId b = store.add_entity("b").id;
  const Edge moved = store.add_edge(a, "knows", b);
  const Edge there = store.add_edge(a, "likes", b);
  EdgeMove move;
  move.relation = "likes";
  const auto result = store.space->retarget_edge(moved.id, move);
  CHECK(result.outcome == Outcome::absorbed);
  CHECK((result.current == there));
  // Back at its own place; what it absorbed is still there.
  written(store.space->edges().restore(moved.id));
  CHECK((store.space->edges().get(there.id) == there));
}
