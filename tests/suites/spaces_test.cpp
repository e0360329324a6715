#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// A store with a second space, in which `row` lives under the id that "main" uses too.
template <class Kind>
struct TwoSpaces {
  using Row = typename Kind::Row;
  TwoSpaces() : other(store.store->create_space("other", "tester")) {
    mine = Kind::add(store, *store.space, "mine");
    Row twin = Kind::fresh(store, other, "theirs");
    twin.id = mine.id;
    theirs = written(Kind::in(other).insert_if_absent(twin));
  }
  TestStore store;
  Space other;
  Row mine;
  Row theirs;
};

}  // namespace

TEMPLATE_TEST_CASE("one id names one row in each space, and no write crosses", "[space]",
                   EntityKind, EdgeKind, NoteKind) {
  TwoSpaces<TestType> f;
  const auto& rows = TestType::in(*f.store.space);
  auto edited = f.mine;
  TestType::edit(edited);
  written(rows.replace(edited, as_read(f.mine)));
  written(rows.update(f.mine.id, &TestType::edit));
  written(rows.remove(f.mine.id));
  written(rows.restore(f.mine.id));
  CHECK((TestType::in(f.other).find(f.mine.id) == f.theirs));
  CHECK(TestType::in(f.other).history(f.mine.id).items.size() == 1);
  CHECK(f.store.store->verify().is_clean());
}

TEMPLATE_TEST_CASE("a row of another space is not found by any call", "[space]", EntityKind,
                   EdgeKind, NoteKind) {
  TestStore store;
  const Space other = store.store->create_space("other", "tester");
  const auto theirs = TestType::add(store, other, "theirs");
  const auto& rows = TestType::in(*store.space);
  const std::string before = picture(*store.store);
  CHECK_FALSE(rows.find(theirs.id).has_value());
  CHECK_THROWS_AS(rows.history(theirs.id), NotFound);
  CHECK(rows.replace(theirs, as_read(theirs)).outcome == Outcome::missing);
  CHECK(rows.update(theirs.id, &TestType::edit).outcome == Outcome::missing);
  CHECK(rows.remove(theirs.id).outcome == Outcome::missing);
  CHECK(rows.remove(theirs.id, as_read(theirs)).outcome == Outcome::missing);
  CHECK(rows.restore(theirs.id).outcome == Outcome::missing);
  CHECK(rows.list({}).items.empty());
  CHECK(rows.count({}) == 0);
  CHECK(picture(*store.store) == before);
}

TEST_CASE("an edge and a note cannot refer to another space's entity", "[space]") {
  TestStore store;
  const Space other = store.store->create_space("other", "tester");
  const EntityId theirs = EntityKind::add(store, other, "theirs").id;
  const EntityId mine = store.add_entity("mine").id;
  const auto edge = store.space->edges().insert_if_absent(edge_between(mine, "knows", theirs));
  CHECK(edge.outcome == Outcome::endpoint_missing);
  CHECK(edge.missing == std::vector<EntityId>{theirs});
  Note note = NoteKind::fresh(store, *store.space, "about");
  note.about = theirs;
  CHECK(store.space->notes().insert_if_absent(note).outcome == Outcome::endpoint_missing);
  CHECK_THROWS_AS(store.space->neighbors(theirs), NotFound);
  CHECK_THROWS_AS(store.space->neighborhood_seq(theirs), NotFound);
}

TEST_CASE("keys, declarations and policies are each space's own", "[space]") {
  TestStore store;
  const Space other = store.store->create_space("other", "tester");
  Note note = NoteKind::fresh(store, *store.space, "mine");
  note.key = "key";
  written(store.space->notes().insert_if_absent(note));
  CHECK_FALSE(other.find_note("key").has_value());
  CHECK(other.notes().insert_if_absent(note).applied());

  written(store.space->declare_relation(symmetric_relation("near")));
  written(store.space->configure({.relations = RelationPolicy::declared}));
  CHECK(other.relations().items.empty());
  const EntityId a = EntityKind::add(store, other, "a").id;
  const EntityId b = EntityKind::add(store, other, "b").id;
  CHECK(other.edges().insert_if_absent(edge_between(b, "near", a)).current->source == b);
}

TEST_CASE("each space has a journal of its own, gapless from its own creation", "[space]") {
  TestStore store;
  const Space other = store.store->create_space("other", "tester");
  store.add_entity("mine");
  EntityKind::add(store, other, "theirs");
  store.add_entity("mine too");
  CHECK(store.space->tail().seq == 3);
  CHECK(other.tail().seq == 2);
  CHECK(journal_of(*store.store, "other").front().kind == "space");
}

TEST_CASE("creating a space twice makes one space", "[space]") {
  TestStore store;
  store.add_entity("row");
  const Space again = store.store->create_space("main", "somebody else");
  CHECK(again.tail().seq == 2);
  CHECK(store.store->spaces().items == std::vector<std::string>{"main"});
}

TEST_CASE("an unknown space is an error, and so is a name that breaks the rules", "[space]") {
  TestStore store;
  CHECK_THROWS_AS(store.store->space("nowhere", "tester"), NotFound);
  CHECK_THROWS_AS(store.store->create_space("", "tester"), InvalidArgument);
  CHECK_THROWS_AS(store.store->create_space(std::string(65, 'x'), "tester"), InvalidArgument);
  CHECK_THROWS_AS(store.store->create_space("good", ""), InvalidArgument);
  CHECK(store.store->create_space(std::string(64, 'x'), "tester").tail().seq == 1);
}

TEST_CASE("what is written is there after the store is opened again", "[space]") {
  TestStore store;
  const Entity a = store.add_entity("a");
  const Edge edge = store.add_edge(a.id, "knows", store.add_entity("b").id);
  const Note note = store.add_note("text", a.id);
  const std::string before = picture(*store.store);
  store.reopen();
  CHECK(picture(*store.store) == before);
  CHECK((store.space->edges().get(edge.id) == edge));
  CHECK((store.space->notes().get(note.id) == note));
}
