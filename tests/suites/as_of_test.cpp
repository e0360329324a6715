#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// A row with a recorded past: what it was after each sequence of the journal.
template <class Kind>
struct Past {
  using Row = typename Kind::Row;

  Past() {
    note();
    pass_time(store);
    const Row added = Kind::add(store, *store.space, "row");
    id = added.id;
    while (known.size() <= store.space->tail().seq) known.push_back(std::nullopt);
    known.back() = added;
    happens([&] { written(rows().update(id, &Kind::edit)); });
    happens([&] { store.add_entity("in between"); });
    happens([&] { written(rows().remove(id)); });
    happens([&] { written(rows().restore(id)); });
    happens([&] { written(rows().update(id, &Kind::edit)); });
    happens([&] { store.add_note("after all"); });
  }

  const auto& rows() const { return Kind::in(*store.space); }
  void note() { known.resize(store.space->tail().seq + 1); }
  template <class Change>
  void happens(const Change& change) {
    pass_time(store);
    change();
    known.push_back(rows().find(id));
    REQUIRE(known.size() == store.space->tail().seq + 1);
  }

  TestStore store;
  decltype(Row::id) id;
  std::vector<std::optional<Row>> known;  ///< by sequence; absent before it was there
};

}  // namespace

TEMPLATE_TEST_CASE("a row as of a sequence is what it was then", "[as_of]", EntityKind, EdgeKind,
                   NoteKind) {
  Past<TestType> f;
  for (Sequence seq = 0; seq < f.known.size(); ++seq) {
    CAPTURE(seq);
    CHECK((f.rows().as_of(f.id, seq) == f.known[seq]));
  }
}

TEMPLATE_TEST_CASE("a row as of a time is what it was after the last event by then", "[as_of]",
                   EntityKind, EdgeKind, NoteKind) {
  Past<TestType> f;
  const auto events = journal_of(*f.store.store);
  for (const Event& event : events) {
    CAPTURE(event.seq);
    // Several events may have one time: the last of them counts.
    Sequence at = event.seq;
    while (at < events.size() && events[at].at == event.at) ++at;
    CHECK((f.rows().as_of(f.id, event.at) == f.known[at]));
    CHECK((f.rows().as_of(f.id, event.at + 1us) == f.known[at]));
    Sequence before = event.seq - 1;
    while (before > 0 && events[before - 1].at == event.at) --before;
    CHECK((f.rows().as_of(f.id, event.at - 1us) == f.known[before]));
  }
  CHECK((f.rows().as_of(f.id, from_us(0)) == std::nullopt));
  CHECK((f.rows().as_of(f.id, events.back().at + 1h) == f.known.back()));
}

TEMPLATE_TEST_CASE("a row that never was is not found, whatever the time", "[as_of]", EntityKind,
                   EdgeKind, NoteKind) {
  Past<TestType> f;
  const decltype(f.id) nobody{f.store.environment.ids->next()};
  CHECK_THROWS_AS(f.rows().as_of(nobody, Sequence{0}), NotFound);
  CHECK_THROWS_AS(f.rows().as_of(nobody, f.store.space->tail().seq), NotFound);
  CHECK_THROWS_AS(f.rows().as_of(nobody, from_us(0)), NotFound);
}

TEST_CASE("a sequence that is still to come is an error, a time is not", "[as_of]") {
  Past<EntityKind> f;
  const Sequence end = f.store.space->tail().seq;
  CHECK(f.rows().as_of(f.id, end).has_value());
  CHECK_THAT(refusal_of([&] { (void)f.rows().as_of(f.id, end + 1); }),
             Catch::Matchers::ContainsSubstring("as_of: not be after the journal's end, " +
                                                std::to_string(end)));
  CHECK(f.rows().as_of(f.id, f.store.environment.clock.now() + 1h).has_value());
}

TEST_CASE("events of one time are told apart by sequence, and by time the last counts", "[as_of]") {
  TestStore store;
  const auto& entities = store.space->entities();
  const Entity row = store.add_entity("one");
  written(entities.update(row.id, [](Entity& entity) { entity.name = "two"; }));
  const Entity third =
      written(entities.update(row.id, [](Entity& entity) { entity.name = "three"; }));
  CHECK(entities.as_of(row.id, row.seq)->name == "one");
  CHECK(entities.as_of(row.id, row.seq + 1)->name == "two");
  CHECK((entities.as_of(row.id, row.created_at) == third));
}

TEST_CASE("a clock that steps back does not send events back in time", "[as_of]") {
  TestStore store;
  const auto& entities = store.space->entities();
  pass_time(store);
  const Entity row = store.add_entity("one");
  store.environment.clock.set(row.created_at - 1s);
  const Entity two =
      written(entities.update(row.id, [](Entity& entity) { entity.name = "two"; }));
  CHECK_FALSE(entities.as_of(row.id, row.created_at - 1us).has_value());
  CHECK((entities.as_of(row.id, row.created_at) == two));
}

TEST_CASE("what a row was is read however much came later", "[as_of]") {
  TestStore store;
  const auto& entities = store.space->entities();
  const Entity row = store.add_entity("0");
  std::vector<Entity> versions = {row};
  for (int i = 1; i <= 50; ++i) {
    versions.push_back(written(entities.update(
        row.id, [i](Entity& entity) { entity.name = std::to_string(i); })));
    store.add_entity("in between");
  }
  for (const Entity& version : versions) {
    CHECK((entities.as_of(row.id, version.seq) == version));
    const Sequence later = std::min(version.seq + 1, store.space->tail().seq);
    CHECK(entities.as_of(row.id, later).has_value());
  }
}

TEST_CASE("an edge that was moved is seen at its old place as of then", "[as_of]") {
  TestStore store;
  const Edge before = store.add_edge(store.add_entity("a").id, "knows", store.add_entity("b").id);
  EdgeMove move;
  move.relation = "likes";
  const Edge after = written(store.space->retarget_edge(before.id, move));
  CHECK((store.space->edges().as_of(before.id, before.seq) == before));
  CHECK((store.space->edges().as_of(before.id, after.seq) == after));
}

TEST_CASE("a row of another space never was here", "[as_of]") {
  TestStore store;
  const Space other = store.store->create_space("other", "tester");
  const Entity theirs = EntityKind::add(store, other, "theirs");
  CHECK_THROWS_AS(store.space->entities().as_of(theirs.id, Sequence{1}), NotFound);
  CHECK((other.entities().as_of(theirs.id, theirs.seq) == theirs));
}
