#include <mutex>

#include "sim/kinds.h"
#include "sim/system_store.h"
#include "support/catch.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// What a store has acknowledged, from any thread.
class Acknowledged {
 public:
  template <class Row>
  void add(const WriteResult<Row>& result) {
    const std::lock_guard lock(mutex_);
    ++calls_;
    if (result.applied()) ids_.push_back(result.current->id.uuid);
  }
  const std::vector<Uuid>& ids() const { return ids_; }
  std::size_t calls() const { return calls_; }

 private:
  std::mutex mutex_;
  std::vector<Uuid> ids_;
  std::size_t calls_ = 0;
};

Edge edge_of(EntityId source, EntityId target) {
  Edge edge;
  edge.source = source;
  edge.relation = "knows";
  edge.target = target;
  return edge;
}

Note keyed(const std::string& key, const std::string& content) {
  Note note;
  note.kind = "fact";
  note.key = key;
  note.content = content;
  return note;
}

}  // namespace

TEST_CASE("everything acknowledged of calls that are made at once is there (A1)", "[sim]") {
  SystemStore s;
  const Entity hub = s.add({});
  std::vector<Entity> doomed;
  for (int i = 0; i < 20; ++i) doomed.push_back(s.add({}));
  Acknowledged entities;
  Acknowledged edges;
  Acknowledged notes;
  at_once(20, [&](std::size_t i) {
    Entity made;
    made.kind = "thing";
    made.name = "made " + std::to_string(i);
    const auto created = s.space->entities().insert_if_absent(made);
    entities.add(created);
    edges.add(s.space->edges().insert_if_absent(edge_of(hub.id, created.current->id)));
    Note note = keyed("key " + std::to_string(i), "text");
    note.about = hub.id;
    notes.add(s.space->notes().insert_if_absent(note));
    (void)s.space->entities().remove(doomed[i].id);
  });
  CHECK(entities.ids().size() == 20);
  CHECK(edges.ids().size() == 20);
  CHECK(notes.ids().size() == 20);
  for (const Uuid& id : entities.ids()) CHECK(s.space->entities().find({id}));
  for (const Uuid& id : edges.ids()) CHECK(s.space->edges().find({id}));
  for (const Uuid& id : notes.ids()) CHECK(s.space->notes().find({id}));
  CHECK(s.space->entities().count({}) == 21);
  CHECK(s.space->neighbors(hub.id).items.size() == 20);
  CHECK(s.store->verify().is_clean());
}

TEST_CASE("a consolidation that holds what it read plans again when a user adds meanwhile (A5)",
          "[sim]") {
  TestStore s;
  const Note note = s.add_note("likes tea");
  const auto user = s.open_another();
  int model_calls = 0;
  const auto consolidated = s.space->notes().update(note.id, [&](Note& row) {
    // The first answer of the model takes so long that the user is faster.
    if (++model_calls == 1) {
      const auto added = user->space("main", "user").notes().update(
          note.id, [](Note& now) { now.content += "; allergic to nuts"; });
      REQUIRE(added.applied());
    }
    s.environment.clock.advance(std::chrono::seconds(120));
    row.content = "summary: " + row.content;
  });
  CHECK(consolidated.applied());
  CHECK(model_calls == 2);
  CHECK(s.space->notes().get(note.id).content == "summary: likes tea; allergic to nuts");
}

TEST_CASE("a write-back of what was read before a user added is refused and shows the addition",
          "[sim]") {
  TestStore s;
  Note snapshot = s.add_note("likes tea");
  const Expected read = as_read(snapshot);
  const auto added = s.space->notes().update(
      snapshot.id, [](Note& now) { now.content += "; allergic to nuts"; });
  s.environment.clock.advance(std::chrono::seconds(120));
  snapshot.content = "summary: likes tea";
  const auto refused = s.space->notes().replace(snapshot, read);
  CHECK(refused.outcome == Outcome::revision_moved);
  CHECK(refused.current == added.current);
  CHECK(s.space->notes().find(snapshot.id) == added.current);
}

TEST_CASE("an edit meets the row it was meant for after a compactor has moved the list (A9)",
          "[sim]") {
  TestStore s;
  for (const char* name : {"a", "b", "c"}) s.add_entity(name);
  const auto& entities = s.space->entities();
  const auto before = entities.list({}).items;
  const Entity meant = before[1];
  REQUIRE(entities.remove(before[0].id).applied());
  REQUIRE(entities.update(before[2].id, [](Entity& row) { row.name = "0"; }).applied());
  REQUIRE(entities.update(meant.id, [](Entity& row) { row.name = "edited"; }).applied());
  CHECK(entities.list({}).items[1].id != meant.id);
  CHECK(entities.get(meant.id).name == "edited");
  CHECK(entities.get(before[0].id).name == "a");
  CHECK(entities.get(before[2].id).name == "0");
}

TEST_CASE("of two adds of one keyed fact at once one lands and the other names it (D2)", "[sim]") {
  SystemStore s;
  for (int round = 0; round < 50; ++round) {
    const std::string key = "fact " + std::to_string(round);
    WriteResult<Note> results[2];
    at_once(2, [&](std::size_t i) {
      results[i] = s.space->notes().insert_if_absent(keyed(key, "it is so"));
    });
    CAPTURE(round);
    const bool first_won = results[0].applied();
    const auto& winner = results[first_won ? 0 : 1];
    const auto& loser = results[first_won ? 1 : 0];
    REQUIRE(winner.applied());
    REQUIRE(loser.outcome == Outcome::key_taken);
    REQUIRE(loser.current == winner.current);
    REQUIRE(s.space->notes().count({{}, {}, key, {}, {}, false}) == 1);
  }
}

TEST_CASE("of two adds of one triple at once one lands and the other names it (D2)", "[sim]") {
  SystemStore s;
  const EntityId hub = s.add({}).id;
  for (int round = 0; round < 50; ++round) {
    const EntityId target = s.add({}).id;
    WriteResult<Edge> results[2];
    at_once(2, [&](std::size_t i) {
      results[i] = s.space->edges().insert_if_absent(edge_of(hub, target));
    });
    CAPTURE(round);
    const bool first_won = results[0].applied();
    const auto& winner = results[first_won ? 0 : 1];
    const auto& loser = results[first_won ? 1 : 0];
    REQUIRE(winner.applied());
    REQUIRE(loser.outcome == Outcome::key_taken);
    REQUIRE(loser.current == winner.current);
    REQUIRE(s.space->edges().count({{}, {}, {}, target, {}}) == 1);
  }
}

TEST_CASE("text that was soft-deleted can be stored again (D24)", "[sim]") {
  TestStore s;
  const auto& notes = s.space->notes();
  const Note gone = notes.insert_if_absent(keyed("tea", "likes tea")).current.value();
  REQUIRE(notes.remove(gone.id).applied());
  const auto again = notes.insert_if_absent(keyed("tea", "likes tea"));
  REQUIRE(again.applied());
  CHECK(again.current->id != gone.id);
  CHECK(s.space->find_note("tea") == again.current);
  CHECK(notes.get(gone.id).deleted_at);
  const auto revived = notes.restore(gone.id);
  CHECK(revived.outcome == Outcome::key_taken);
  CHECK(revived.current == again.current);
}

TEST_CASE("a fact that was soft-deleted can be stored again (D24)", "[sim]") {
  TestStore s;
  const Edge gone = s.add_edge(s.add_entity("Ada").id, "knows", s.add_entity("Bob").id);
  REQUIRE(s.space->edges().remove(gone.id).applied());
  const auto again = s.space->edges().insert_if_absent(edge_of(gone.source, gone.target));
  REQUIRE(again.applied());
  CHECK(again.current->id != gone.id);
  const auto revived = s.space->edges().restore(gone.id);
  CHECK(revived.outcome == Outcome::key_taken);
  CHECK(revived.current == again.current);
}
