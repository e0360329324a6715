#include <limits>

#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Some of everything, and back.
void write_much(TestStore& store) {
  const Entity a = EntityKind::add(store, *store.space, "a");
  const Entity b = EntityKind::add(store, *store.space, "b");
  written(store.space->declare_relation(symmetric_relation("near")));
  store.add_edge(b.id, "near", a.id);
  const Edge edge = EdgeKind::add(store, *store.space, "edge");
  written(store.space->edges().update(edge.id, &EdgeKind::edit));
  store.add_note("text", a.id);
  const Note note = NoteKind::add(store, *store.space, "note");
  written(store.space->notes().remove(note.id));
  written(store.space->entities().remove(a.id));
  written(store.space->entities().remove(b.id));
  written(store.space->entities().restore(a.id));
  written(store.space->entities().restore(b.id));
  written(store.space->configure({.relations = RelationPolicy::declared}));
}

}  // namespace

TEST_CASE("a store in which everything has happened verifies clean", "[journal]") {
  TestStore store;
  write_much(store);
  const auto report = store.store->verify();
  CHECK(report.is_clean());
  CHECK(report.spaces == 1);
  CHECK(report.events == store.space->tail().seq);
  CHECK(report.rows > 8);
}

TEST_CASE("the journal is gapless from 1 and each event names its predecessor", "[journal]") {
  TestStore store;
  write_much(store);
  const auto events = journal_of(*store.store);
  std::map<Uuid, const Event*> last;
  Sequence seq = 0;
  for (const Event& event : events) {
    CHECK(event.seq == ++seq);
    const Event* previous = last[event.id];
    CHECK(event.prev_seq == (previous == nullptr ? 0 : previous->seq));
    CHECK(event.stream_seq == (previous == nullptr ? 1 : previous->stream_seq + 1));
    last[event.id] = &event;
  }
  CHECK(store.space->tail().seq == seq);
  CHECK(store.space->tail().at == events.back().at);
}

TEMPLATE_TEST_CASE("each event holds the whole row as it was after the change", "[journal]",
                   EntityKind, EdgeKind, NoteKind) {
  TestStore store;
  const auto& rows = TestType::in(*store.space);
  const auto row = TestType::add(store, *store.space, "row");
  std::vector<std::string> bodies;
  const auto keep = [&](const auto& version) {
    const std::string json = rows.to_json(version);
    bodies.push_back(json.substr(0, json.rfind(",\"seq\":")) + "}");
  };
  keep(row);
  keep(written(rows.update(row.id, &TestType::edit)));
  keep(written(rows.remove(row.id)));
  keep(written(rows.restore(row.id)));
  std::vector<std::string> ops;
  const auto events = rows.history(row.id).items;
  REQUIRE(events.size() == bodies.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    CHECK(events[i].body == bodies[i]);
    CHECK(events[i].kind == TestType::kKind);
    CHECK(events[i].id == row.id.uuid);
    ops.push_back(events[i].op);
  }
  CHECK(ops == std::vector<std::string>{"create", "replace", "delete", "restore"});
}

TEST_CASE("an answer names its event, which names who wrote and at whose request", "[journal]") {
  TestStore store;
  const Space hers = store.store->space("main", "alice");
  Entity entity;
  entity.kind = "person";
  entity.name = "a";
  const auto result = hers.entities().insert_if_absent(entity);
  const Event event = journal_of(*store.store).back();
  CHECK(event.seq == result.seq);
  CHECK(event.actor == "alice");
  CHECK(event.request_id == result.request_id);
  CHECK_FALSE(result.request_id.empty());
  const auto next = hers.entities().remove(result.current->id);
  CHECK(next.request_id != result.request_id);
}

TEST_CASE("a deletion with its edges is one request", "[journal]") {
  TestStore store;
  const Entity a = store.add_entity("a");
  store.add_edge(a.id, "knows", store.add_entity("b").id);
  const auto result = store.space->entities().remove(a.id);
  const auto events = journal_of(*store.store);
  CHECK(events.back().kind == "edge");
  CHECK(events.back().op == "delete");
  CHECK(events.back().request_id == result.request_id);
  CHECK(events.back().seq == result.seq + 1);
}

TEST_CASE("an event's time never goes back, whatever the clock does", "[journal]") {
  TestStore store;
  store.add_entity("now");
  store.environment.clock.set(at_us(-1'000'000));
  store.add_entity("a second earlier");
  store.environment.clock.set(at_us(1));
  store.add_entity("a microsecond later");
  Timestamp last = at_us(0);
  for (const Event& event : journal_of(*store.store)) {
    CHECK(event.at >= last);
    last = event.at;
  }
  CHECK(last == at_us(1));
  CHECK(store.store->verify().is_clean());
}

TEST_CASE("a row's history is read in pages, oldest first", "[journal]") {
  TestStore store;
  const Entity row = store.add_entity("row");
  const auto& entities = store.space->entities();
  for (int i = 0; i < 4; ++i) {
    written(entities.update(row.id, &EntityKind::edit));
    store.add_entity("unrelated");
  }
  const auto first = entities.history(row.id, {.limit = 2, .cursor = {}});
  CHECK(first.left_out == 3);
  Sequence stream_seq = 0;
  for (const Event& event : all_pages<Event>(
           2, [&](const PageRequest& page) { return entities.history(row.id, page); })) {
    CHECK(event.stream_seq == ++stream_seq);
  }
  CHECK(stream_seq == 5);
  const PageRequest next{.limit = 2, .cursor = *first.next};
  CHECK_THROWS_AS(entities.history(store.add_entity("other").id, next), InvalidArgument);
  CHECK_THROWS_AS(entities.history(row.id, {.limit = 0, .cursor = {}}), InvalidArgument);
  CHECK_FALSE(entities.history(row.id, {.limit = 5, .cursor = {}}).next.has_value());
}

TEST_CASE("a refused write appends nothing, whatever it had begun", "[journal]") {
  TestStore store;
  const Entity a = store.add_entity("a");
  const std::string before = picture(*store.store);
  CHECK_FALSE(store.space->edges().insert_if_absent(edge_between(a.id, "knows", a.id)).applied());
  CHECK_FALSE(store.space->entities().insert_if_absent(a).applied());
  CHECK(picture(*store.store) == before);
  CHECK(store.add_entity("b").seq == a.seq + 1);
}

TEST_CASE("a write names its last event, by which its commit can be recognised", "[journal]") {
  TestStore store;
  const journal::WriteContext context{.space = "main",
                                      .actor = "tester",
                                      .request_id = "request",
                                      .environment = store.environment.environment,
                                      .registry = store.space->access().registry};
  std::optional<storage::Witness> witness;
  store.store->database().writer().submit(
      [&](storage::Transaction& transaction) {
        (void)journal::in_space(transaction, context, [](journal::Appender& appender) {
          return graph::RelationStore::declare(appender, relation_named("knows"));
        });
        witness = transaction.witness();
        return storage::Verdict::keep;
      },
      context.request_id);
  REQUIRE(witness.has_value());
  CHECK(witness->space == "main");
  CHECK(witness->seq == store.space->tail().seq);
  CHECK(witness->request_id == journal_of(*store.store).back().request_id);
}

TEST_CASE("an unknown kind of row is an error that names the known ones", "[journal]") {
  journal::Registry registry;
  registry.add(graph::EntityStore::source());
  registry.add(notes::NoteStore::source());
  CHECK(registry.knows("note"));
  CHECK_FALSE(registry.knows("edge"));
  CHECK(refusal_of([&] { (void)registry.source("edge"); }) == "kind: be one of entity, note");
}
