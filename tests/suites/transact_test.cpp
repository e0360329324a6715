#include <holdfast/core/error.h>

#include "suites/transact_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using Story = Transacted;

}  // namespace

TEST_CASE("a transaction's changes land together, with one step for each", "[transact]") {
  Story f;
  EntityId cy;
  const auto result = f.space().transact([&](Transaction& t) {
    cy = t.create(person("Cy"));
    t.create(edge_between(cy, "knows", f.ada.id));
    t.update(f.bob.id, [](Entity& row) { row.name = "Robert"; });
  });
  REQUIRE(result.applied());
  CHECK(outcomes(result) == std::vector<std::string>(3, "applied"));
  CHECK(f.space().entities().get(cy).name == "Cy");
  CHECK(f.space().entities().get(f.bob.id).name == "Robert");
  CHECK(f.space().neighbors(f.ada.id).items.size() == 2);
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("a row that was read and has changed makes the transaction run again", "[transact]") {
  Story f;
  f.require_conflict([&](Transaction& t) { t.get(f.ada.id); }, [&] { f.edit(f.ada.id); });
  f.require_conflict([&](Transaction& t) { t.get(f.ada.id); },
                     [&] { written(f.space().entities().remove(f.ada.id)); });
  f.require_conflict([&](Transaction& t) { t.find(f.note.id); },
                     [&] { written(f.space().notes().remove(f.note.id)); });
  f.require_conflict([&](Transaction& t) { t.find(f.other_edge.id); },
                     [&] { written(f.space().edges().remove(f.other_edge.id)); });
}

TEST_CASE("an absence that was filled makes the transaction run again", "[transact]") {
  Story f;
  Entity late = person("late");
  late.id = {f.store.environment.ids->next()};
  f.require_conflict([&](Transaction& t) { t.find(late.id); },
                     [&] { written(f.space().entities().insert_if_absent(late)); });
  f.require_conflict([&](Transaction& t) { t.find_note("status"); },
                     [&] { written(f.space().notes().insert_if_absent(keyed("status"))); });
}

TEST_CASE("a note's key that leads elsewhere makes the transaction run again", "[transact]") {
  Story f;
  const Note first = written(f.space().notes().insert_if_absent(keyed("status")));
  f.require_conflict([&](Transaction& t) { t.find_note("status"); },
                     [&] {
                       written(f.space().notes().remove(first.id));
                       written(f.space().notes().insert_if_absent(keyed("status")));
                     });
}

TEST_CASE("a note tells when what it is about was deleted, and rests on that", "[transact]") {
  Story f;
  f.require_conflict([&](Transaction& t) { t.get(f.note.id); },
                     [&] { written(f.space().entities().remove(f.ada.id)); });
}

TEST_CASE("a declared key that leads elsewhere makes the transaction run again", "[transact]") {
  Story f;
  CHECK(f.space().declare_key({.name = "name", .kind = {}, .path = "name"}).outcome ==
        KeyOutcome::declared);
  const auto rename = [&](EntityId id, const char* name) {
    written(f.space().rename_entity(id, name));
  };
  const auto read = [&](Transaction& t) { t.find_by_key("name", "Ada"); };
  const auto follow = [&](const std::function<void()>& write) {
    int runs = 0;
    const auto result = f.space().transact([&](Transaction& t) {
      read(t);
      if (++runs == 1) write();
      t.patch(f.eve.id, JsonObject::parse("patch", R"({"tags":["seen"]})"));
    });
    CHECK(result.applied());
    return runs;
  };
  CHECK(follow([] {}) == 1);
  CHECK(follow([&] { rename(f.ada.id, "Augusta"); }) == 2);
  CHECK(follow([&] { rename(f.bob.id, "Ada"); }) == 2);
  CHECK_THROWS_AS(follow([&] { CHECK(f.space().undeclare_key("name")); }), NotFound);
}

TEST_CASE("a phantom in a neighbourhood makes the transaction run again", "[transact]") {
  Story f;
  const auto read = [&](Transaction& t) { t.neighbors(f.ada.id); };
  f.require_conflict(read, [&] { f.store.add_edge(f.eve.id, "knows", f.ada.id); });
  f.require_conflict(read, [&] { written(f.space().edges().remove(f.knows.id)); });
}

TEST_CASE("a neighbour's row that has changed makes the transaction run again", "[transact]") {
  Story f;
  f.require_conflict([&](Transaction& t) { t.neighbors(f.ada.id); }, [&] { f.edit(f.bob.id); });
}

TEST_CASE("a phantom in a page makes the transaction run again", "[transact]") {
  Story f;
  const auto read = [&](Transaction& t) { t.list(EntityFilter{}, {.limit = 2, .cursor = {}}); };
  f.require_conflict(read, [&] { f.store.add_entity("phantom"); });
  f.require_conflict(read, [&] { f.edit(f.ada.id); });
  f.require_conflict(read, [&] { written(f.space().entities().remove(f.ada.id)); });
  f.require_conflict([&](Transaction& t) { t.list(EdgeFilter{}); },
                     [&] { f.store.add_edge(f.bob.id, "likes", f.eve.id); });
  f.require_conflict([&](Transaction& t) { t.list(NoteFilter{}); },
                     [&] { f.store.add_note("phantom"); });
}

TEST_CASE("a count that has moved makes the transaction run again", "[transact]") {
  Story f;
  f.require_conflict([&](Transaction& t) { t.count(EntityFilter{}); },
                     [&] { f.store.add_entity("one more"); });
  f.require_conflict([&](Transaction& t) { t.count(EdgeFilter{}); },
                     [&] { f.store.add_edge(f.bob.id, "likes", f.ada.id); });
  f.require_conflict([&](Transaction& t) { t.count(NoteFilter{}); },
                     [&] { f.store.add_note("one more"); });
}

TEST_CASE("what a transaction did not read may change", "[transact]") {
  Story f;
  int runs = 0;
  const auto result = f.space().transact([&](Transaction& t) {
    ++runs;
    t.get(f.ada.id);
    t.neighbors(f.ada.id);
    t.list(NoteFilter{});
    t.create(person("Cy"));
    f.edit(f.eve.id);
    f.store.add_entity("other");
    f.store.add_edge(f.eve.id, "likes", f.bob.id);
  });
  CHECK(result.applied());
  CHECK(runs == 1);
}

TEST_CASE("a note that expires while the transaction thinks is no change", "[transact]") {
  Story f;
  Note note = keyed("brief");
  note.expires_at = f.store.environment.clock.now() + 10s;
  written(f.space().notes().insert_if_absent(note));
  int runs = 0;
  const auto result = f.space().transact([&](Transaction& t) {
    ++runs;
    CHECK(t.count(NoteFilter{}) == 2);
    f.store.environment.clock.advance(60s);
    CHECK(t.list(NoteFilter{}).items.size() == 2);
    t.create(person("Cy"));
  });
  CHECK(result.applied());
  CHECK(runs == 1);
}

TEST_CASE("of two transactions that each rest on what the other changes, one runs again",
          "[transact]") {
  Story f;
  const auto on_duty = [](const Entity& row) { return row.tags == std::vector<std::string>{"on"}; };
  const auto set_tag = [&](EntityId id, const char* tag) {
    const std::string text = std::string(R"({"tags":[")") + tag + "\"]}";
    written(f.space().entities().patch(id, JsonObject::parse("patch", text)));
  };
  set_tag(f.ada.id, "on");
  set_tag(f.bob.id, "on");
  int runs = 0;
  // Each may leave only while the other is on duty.
  const auto leave = [&](EntityId self, EntityId other, const std::function<void()>& between) {
    return f.space().transact([&](Transaction& t) {
      ++runs;
      const bool may_leave = on_duty(t.get(other));
      if (between && runs == 1) between();
      if (may_leave) t.update(self, [](Entity& row) { row.tags = {"off"}; });
    });
  };
  CHECK(leave(f.ada.id, f.bob.id, [&] { set_tag(f.bob.id, "off"); }).applied());
  CHECK(runs == 2);
  CHECK(on_duty(f.space().entities().get(f.ada.id)));
}

TEST_CASE("a transaction that only reads is run again until what it read was all there at once",
          "[transact]") {
  Story f;
  int runs = 0;
  std::string ada, bob;
  const auto result = f.space().transact([&](Transaction& t) {
    ada = t.get(f.ada.id).name;
    if (++runs == 1) {
      f.edit(f.ada.id);
      f.edit(f.bob.id);
    }
    bob = t.get(f.bob.id).name;
  });
  CHECK(result.applied());
  CHECK_FALSE(result.wrote());
  CHECK(runs == 2);
  CHECK(ada == "Ada, edited");
  CHECK(bob == "Bob, edited");
}

TEST_CASE("a row read twice that differs stops the run at once", "[transact]") {
  Story f;
  int runs = 0;
  bool went_on = false;
  const auto result = f.space().transact([&](Transaction& t) {
    ++runs;
    t.get(f.ada.id);
    if (runs > 1) return;
    f.edit(f.ada.id);
    t.get(f.ada.id);
    went_on = true;
  });
  CHECK(result.applied());
  CHECK(runs == 2);
  CHECK_FALSE(went_on);
}

TEST_CASE("a run whose reads disagreed is not applied even when all is again as it was first",
          "[transact]") {
  Story f;
  int runs = 0;
  const auto result = f.space().transact([&](Transaction& t) {
    t.count(EntityFilter{});
    if (++runs > 1) return;
    const Entity passing = f.store.add_entity("passing");
    try {
      t.count(EntityFilter{});
    } catch (...) {
      written(f.space().entities().remove(passing.id));
    }
  });
  CHECK(result.applied());
  CHECK(runs == 2);
}

TEST_CASE("a function that swallows the end of its run does not commit what it saw", "[transact]") {
  Story f;
  int runs = 0;
  const auto result = f.space().transact([&](Transaction& t) {
    ++runs;
    t.get(f.ada.id);
    if (runs > 1) return;
    f.edit(f.ada.id);
    try {
      t.get(f.ada.id);
    } catch (...) {
      try {
        t.create(person("made of two states"));
      } catch (...) {
      }
    }
  });
  CHECK(result.applied());
  CHECK(runs == 2);
  CHECK(f.space().entities().count({}) == 3);
}
