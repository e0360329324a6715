#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using Catch::Matchers::ContainsSubstring;

/// The message of the Full that the call must throw, with nothing written.
template <class Call>
std::string full(TestStore& store, const Call& call) {
  const std::string before = picture(*store.store);
  std::string message = "not refused";
  try {
    (void)call();
  } catch (const Full& error) {
    message = error.what();
  }
  CHECK(picture(*store.store) == before);
  return message;
}

std::uint64_t bytes_of(TestStore& store) { return store.store->space_info("main").body_bytes; }
std::uint64_t rows_of(TestStore& store) { return store.store->space_info("main").rows; }

/// One row of each kind, and a deleted one of each, in a space that is full by its bytes and rows.
struct FullSpace {
  FullSpace() {
    a = store.add_entity("a").id;
    b = store.add_entity("b").id;
    edge = store.add_edge(a, "knows", b).id;
    note = store.add_note("text", a).id;
    dead_entity = store.add_entity("dead").id;
    dead_edge = store.add_edge(b, "knows", a).id;
    dead_note = store.add_note("dead").id;
    written(store.space->entities().remove(dead_entity));
    written(store.space->edges().remove(dead_edge));
    written(store.space->notes().remove(dead_note));
    written(store.space->configure({.rows_max = 1, .bytes_max = 1}));
  }
  TestStore store;
  EntityId a, b, dead_entity;
  EdgeId edge, dead_edge;
  NoteId note, dead_note;
};

}  // namespace

TEMPLATE_TEST_CASE("a space takes rows up to its rows_max and not one more", "[limit]", EntityKind,
                   EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto last = TestType::fresh(store, *store.space, "last");
  const auto surplus = TestType::fresh(store, *store.space, "surplus");
  const std::uint64_t limit = rows_of(store) + 1;
  written(store.space->configure({.rows_max = limit}));
  written(TestType::in(*store.space).insert_if_absent(last));
  const std::string message =
      full(store, [&] { return TestType::in(*store.space).insert_if_absent(surplus); });
  CHECK_THAT(message, ContainsSubstring("space main") && ContainsSubstring("rows_max") &&
                          ContainsSubstring(std::to_string(limit)));
  CHECK(rows_of(store) == limit);
  CHECK(broken_checks(*store.store).empty());
}

TEST_CASE("a declaration is a row that counts", "[limit]") {
  TestStore store;
  written(store.space->configure({.rows_max = 1}));
  written(store.space->declare_relation(relation_named("first")));
  full(store, [&] { return store.space->declare_relation(relation_named("second")); });
  CHECK(store.space->declare_relation(symmetric_relation("first")).applied());
}

TEST_CASE("deleted rows count until they are purged", "[limit]") {
  TestStore store;
  const Entity row = store.add_entity("row");
  written(store.space->configure({.rows_max = 1}));
  const auto insert = [&] {
    return store.space->entities().insert_if_absent(
        EntityKind::fresh(store, *store.space, "next"));
  };
  written(store.space->entities().remove(row.id));
  full(store, insert);
  REQUIRE(store.space->entities().purge(row.id).applied());
  CHECK(rows_of(store) == 0);
  CHECK(insert().applied());
}

TEST_CASE("a space takes text up to its bytes_max and not one byte more", "[limit]") {
  TestStore store;
  // Five digits from here on, so that each event of settings is as long as the one before.
  const NoteId note = store.add_note(std::string(20'000, 'x')).id;
  const auto edit = [&] {
    return store.space->notes().update(note, [](Note& edited) { edited.content = "short"; });
  };
  const auto back = [&] {
    return store.space->notes().update(note, [](Note& edited) { edited.content = "tiny"; });
  };
  const auto growth = [&](const auto& change) {
    const std::uint64_t before = bytes_of(store);
    written(change());
    return bytes_of(store) - before;
  };
  const auto settings =
      growth([&] { return store.space->configure({.bytes_max = 50'000}); });
  const auto version = growth(edit);
  CHECK(growth(back) == version - 1);

  written(store.space->configure({.bytes_max = bytes_of(store) + settings + version - 1}));
  const std::string limit = std::to_string(*store.space->settings().bytes_max);
  const std::string message = full(store, edit);
  for (const std::string& part : {std::string("space main"), std::string("bytes_max"), limit,
                                  std::to_string(bytes_of(store)), std::to_string(version)}) {
    CHECK_THAT(message, ContainsSubstring(part));
  }
  written(store.space->configure({.bytes_max = bytes_of(store) + settings + version}));
  CHECK(edit().applied());
  CHECK(bytes_of(store) == store.space->settings().bytes_max);
  CHECK(broken_checks(*store.store).empty());
}

TEST_CASE("a full space refuses all that would grow it and writes nothing", "[limit]") {
  FullSpace f;
  const Space& space = *f.store.space;
  CHECK_THAT(full(f.store, [&] { return space.entities().update(f.a, &EntityKind::edit); }),
             ContainsSubstring("bytes_max"));
  full(f.store, [&] { return space.edges().update(f.edge, &EdgeKind::edit); });
  full(f.store, [&] { return space.notes().update(f.note, &NoteKind::edit); });
  full(f.store, [&] { return space.entities().restore(f.dead_entity); });
  full(f.store, [&] { return space.declare_relation(relation_named("new")); });
  EdgeMove move;
  move.relation = "likes";
  full(f.store, [&] { return space.retarget_edge(f.edge, move); });
}

TEST_CASE("rows of a full space can be deleted, an entity with its edges", "[limit]") {
  FullSpace f;
  const auto removed = f.store.space->entities().remove(f.a);
  CHECK(removed.applied());
  CHECK(removed.edges == std::vector{f.edge});
  CHECK(f.store.space->notes().remove(f.note).applied());
  CHECK(broken_checks(*f.store.store).empty());
}

TEST_CASE("rows of a full space can be purged, an entity with its edges", "[limit]") {
  FullSpace f;
  CHECK(f.store.space->entities().purge(f.dead_entity).applied());
  CHECK(f.store.space->edges().purge(f.dead_edge).applied());
  CHECK(f.store.space->notes().purge(f.dead_note).applied());
  written(f.store.space->entities().remove(f.a));
  CHECK(f.store.space->entities().purge(f.a).edges == std::vector{f.edge});
  CHECK(broken_checks(*f.store.store).empty());
}

TEST_CASE("the settings of a full space can be changed, and raising its limits helps", "[limit]") {
  FullSpace f;
  written(f.store.space->configure({.rows_max = 100}));
  CHECK(f.store.space->entities().update(f.a, &EntityKind::edit).applied());
  f.store.add_entity("new");
}

TEST_CASE("what a purge blanks makes room for other text", "[limit]") {
  TestStore store;
  const Note note = store.add_note(std::string(1000, 'x'));
  written(store.space->configure({.bytes_max = bytes_of(store) + 1500}));
  const auto insert = [&] {
    Note other;
    other.kind = "observation";
    other.content = std::string(1000, 'y');
    return store.space->notes().insert_if_absent(other);
  };
  written(store.space->notes().remove(note.id));
  full(store, insert);
  REQUIRE(store.space->notes().purge(note.id).applied());
  CHECK(insert().applied());
}

TEST_CASE("a limit of one space does not bind another", "[limit]") {
  TestStore store;
  const Space other =
      store.store->create_space("other", "tester", {.rows_max = 0, .bytes_max = 0});
  full(store, [&] {
    return other.entities().insert_if_absent(EntityKind::fresh(store, other, "row"));
  });
  store.add_entity("row");
  CHECK(store.store->space_info("other").rows == 0);
}

TEST_CASE("rows and bytes are counted as the journal has them", "[limit]") {
  TestStore store;
  const EntityId a = store.add_entity("a").id;
  store.add_edge(a, "knows", store.add_entity("\xC3\xA9").id);
  written(store.space->entities().remove(a));
  std::uint64_t bytes = 0;
  for (const Event& event : journal_of(*store.store)) bytes += event.body->size();
  CHECK(bytes_of(store) == bytes);
  CHECK(rows_of(store) == 3);
  const SpaceInfo info = store.store->space_info("main");
  CHECK(info.kinds.at("entity").live == 1);
  CHECK(info.kinds.at("entity").deleted == 1);
  CHECK(info.kinds.at("edge").deleted == 1);
  CHECK(info.kinds.at("note").live == 0);
}
