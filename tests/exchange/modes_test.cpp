#include "support.h"

namespace holdfast::test {
namespace {

using exchange::ImportMode;
using exchange::JsonlOptions;
using exchange::OnConflict;
using namespace std::chrono_literals;

constexpr JsonlOptions kSkip{.mode = ImportMode::skip, .on_conflict = OnConflict::keep};
constexpr JsonlOptions kReplace{.mode = ImportMode::replace, .on_conflict = OnConflict::keep};
constexpr JsonlOptions kReplaceOrFail{.mode = ImportMode::replace,
                                      .on_conflict = OnConflict::fail};

JsonObject json(std::string_view text) { return JsonObject::parse("patch", text); }

/// Two stores: what the first exports is in the second, and then the first moves on.
struct Copied {
  Copied() {
    import_text(*to.store, exported(*from.store));
    from.environment.clock.advance(1h);
    to.environment.clock.advance(2h);
  }
  void rename_ada(const std::string& name) {
    (void)from.space->entities().patch(rows.ada.id, json("{\"name\":\"" + name + "\"}"));
  }
  void declare_another() {
    Relation relation;
    relation.relation = "another";
    (void)from.space->declare_relation(relation);
  }
  Entity ada_there() { return to.space->entities().get(rows.ada.id); }

  TestStore from;
  EveryKind rows{from};
  TestStore to{91};
};

}  // namespace

TEST_CASE("by default an import over other rows is refused and writes nothing",
          "[exchange][P4]") {
  Copied f;
  f.rename_ada("Lovelace");
  f.declare_another();  // which would land in a transaction before
  const std::string before = picture(*f.to.store);
  const std::string error = error_of([&] { import_text(*f.to.store, exported(*f.from.store)); });
  CHECK(contains(error, "conflict: entity " + to_string(f.rows.ada.id)));
  CHECK(picture(*f.to.store) == before);
}

TEST_CASE("skipping leaves the rows that differ and brings in the new ones", "[exchange][P4]") {
  Copied f;
  f.rename_ada("Lovelace");
  f.from.add_entity("new");
  const auto report = import_text(*f.to.store, exported(*f.from.store), kSkip);
  const exchange::ImportCount expected{
      .created = 1, .existing = 2, .replaced = 0, .kept = 1, .skipped = 0};
  CHECK(report.entities == expected);
  REQUIRE(report.kept.size() == 1);
  CHECK(report.kept[0].kind == "entity");
  CHECK(report.kept[0].id == to_string(f.rows.ada.id));
  CHECK(contains(report.kept[0].why, "differs from the source, at revision"));
  CHECK(f.ada_there().name == "Ada");
}

TEST_CASE("replacing brings rows nobody has touched to the file's revision", "[exchange][P4]") {
  Copied f;
  f.rename_ada("Lovelace");
  const std::string text = exported(*f.from.store);
  const auto report = import_text(*f.to.store, text, kReplace);
  CHECK(report.entities.replaced == 1);
  CHECK(report.kept_total == 0);
  CHECK(exported(*f.to.store) == text);
  CHECK(import_text(*f.to.store, text, kReplace).changed_nothing());
  CHECK(f.to.store->verify().is_clean());
}

TEST_CASE("replacing keeps a row that somebody else has written since, and names it",
          "[exchange][P4]") {
  Copied f;
  f.rename_ada("Lovelace");
  (void)f.to.space->entities().patch(f.rows.ada.id, json(R"({"tags":["mine"]})"));
  (void)f.to.space->notes().remove(f.rows.keyed.id);
  const auto report = import_text(*f.to.store, exported(*f.from.store), kReplace);
  CHECK(report.entities.kept == 1);
  CHECK(report.notes.kept == 1);
  CHECK(contains(report.kept.at(0).why, "was written by tester, at revision"));
  CHECK(f.ada_there().name == "Ada");
  CHECK(f.to.space->notes().get(f.rows.keyed.id).deleted_at);
}

TEST_CASE("a row that others have touched can end the import before anything is written",
          "[exchange][P4]") {
  Copied f;
  f.rename_ada("Lovelace");
  f.declare_another();
  (void)f.to.space->entities().patch(f.rows.ada.id, json(R"({"tags":["mine"]})"));
  const std::string before = picture(*f.to.store);
  CHECK(contains(
      error_of([&] { import_text(*f.to.store, exported(*f.from.store), kReplaceOrFail); }),
      "conflict: entity " + to_string(f.rows.ada.id) + ": was written by tester"));
  CHECK(picture(*f.to.store) == before);
}

TEST_CASE("an older export replaces under a revision of its own", "[exchange]") {
  Copied f;
  const std::string older = exported(*f.from.store);
  f.rename_ada("Lovelace");
  import_text(*f.to.store, exported(*f.from.store), kReplace);
  const Revision newer = f.ada_there().revision;
  CHECK(import_text(*f.to.store, older, kReplace).entities.replaced == 1);
  CHECK(f.ada_there().name == "Ada");
  CHECK(f.ada_there().revision > newer);
  CHECK(import_text(*f.to.store, older, kReplace).changed_nothing());
}

TEST_CASE("replacing deletes and restores as the file says, with the cascades", "[exchange]") {
  Copied f;
  (void)f.from.space->entities().restore(f.rows.gone.id);
  (void)f.from.space->entities().remove(f.rows.bob.id);
  (void)f.from.space->notes().remove(f.rows.keyed.id);
  const std::string text = exported(*f.from.store);
  import_text(*f.to.store, text, kReplace);
  CHECK_FALSE(f.to.space->edges().get(f.rows.went_with.id).deleted_at);
  CHECK(f.to.space->edges().get(f.rows.knows.id).deleted_with == f.rows.bob.id);
  CHECK(f.to.space->notes().get(f.rows.keyed.id).deleted_at);
  CHECK(f.to.store->verify().is_clean());
  CHECK(import_text(*f.to.store, text, kReplace).changed_nothing());
}

TEST_CASE("an edge that others have written stays through a cascade of the import",
          "[exchange]") {
  Copied f;
  (void)f.to.space->edges().patch(f.rows.knows.id, json(R"({"weight":7.5})"));
  (void)f.from.space->entities().remove(f.rows.bob.id);
  const auto report = import_text(*f.to.store, exported(*f.from.store), kReplace);
  CHECK(report.edges.kept == 1);
  CHECK(f.to.space->edges().get(f.rows.knows.id).weight == 7.5);
}

TEST_CASE("replacing moves an edge to where the file has it", "[exchange]") {
  Copied f;
  const Entity third = f.from.add_entity("third");
  EdgeMove move;
  move.target = third.id;
  REQUIRE(f.from.space->retarget_edge(f.rows.knows.id, move).applied());
  const std::string text = exported(*f.from.store);
  CHECK(import_text(*f.to.store, text, kReplace).edges.replaced == 1);
  CHECK(exported(*f.to.store) == text);
}

TEST_CASE("an edge is not moved onto a live edge of somebody else's", "[exchange]") {
  Copied f;
  EdgeMove move;
  move.relation = "helps";
  REQUIRE(f.from.space->retarget_edge(f.rows.knows.id, move).applied());
  const Edge theirs = f.to.add_edge(f.rows.knows.source, "helps", f.rows.knows.target);
  const auto report = import_text(*f.to.store, exported(*f.from.store), kReplace);
  CHECK(report.edges.skipped == 1);
  CHECK_FALSE(f.to.space->edges().get(f.rows.knows.id).deleted_at);
  CHECK_FALSE(f.to.space->edges().get(theirs.id).deleted_at);
}

TEST_CASE("notes whose keys have gone round in a circle stay, and are reported", "[exchange]") {
  TestStore from;
  std::vector<Note> notes;
  for (const char* key : {"a", "b", "c"}) {
    Note note;
    note.kind = "fact";
    note.key = key;
    notes.push_back(from.space->notes().insert_if_absent(note).current.value());
  }
  TestStore to(92);
  import_text(*to.store, exported(*from.store));
  from.environment.clock.advance(1h);
  const auto give = [&](std::size_t at, const char* key) {
    (void)from.space->notes().patch(notes[at].id, json("{\"key\":" + std::string(key) + "}"));
  };
  give(2, "null");
  give(1, "\"c\"");
  give(0, "\"b\"");
  give(2, "\"a\"");
  const std::string text = exported(*from.store);
  const auto report = import_text(*to.store, text, kReplace);
  CHECK(report.notes.skipped == 3);
  CHECK(report.kept_total == 3);
  CHECK(to.store->verify().is_clean());
}

TEST_CASE("a row waits until its key is free", "[exchange]") {
  Copied f;
  // The new note comes first in the file, as ids go, and takes the key that another gives up.
  Note first;
  first.id = NoteId::parse("id", "00000000-0000-4000-8000-000000000001");
  first.kind = "fact";
  first.key = "motto";
  (void)f.from.space->notes().patch(f.rows.keyed.id, json(R"({"key":"other"})"));
  REQUIRE(f.from.space->notes().insert_if_absent(first).applied());
  const std::string text = exported(*f.from.store);
  const auto report = import_text(*f.to.store, text, kReplace);
  CHECK(report.notes.created == 1);
  CHECK(report.notes.replaced == 1);
  CHECK(exported(*f.to.store) == text);
}

TEST_CASE("a row whose key is another's here is reported, or refused first", "[exchange]") {
  Copied f;
  Note mine;
  mine.kind = "fact";
  mine.key = "theirs";
  REQUIRE(f.to.space->notes().insert_if_absent(mine).applied());
  Note theirs = mine;
  const auto id = f.from.space->notes().insert_if_absent(theirs).current.value().id;
  const std::string text = exported(*f.from.store);
  const std::string before = picture(*f.to.store);
  CHECK(contains(error_of([&] { import_text(*f.to.store, text); }),
                 "conflict: note " + to_string(id)));
  CHECK(picture(*f.to.store) == before);
  const auto report = import_text(*f.to.store, text, kSkip);
  CHECK(report.notes.skipped == 1);
  CHECK(contains(report.kept.at(0).why, "another live row has its key"));
}

TEST_CASE("an id that was purged here stays purged", "[exchange]") {
  Copied f;
  (void)f.to.space->entities().purge(f.rows.gone.id);
  const std::string text = exported(*f.from.store);
  const std::string before = picture(*f.to.store);
  CHECK(contains(error_of([&] { import_text(*f.to.store, text); }), "was purged here"));
  CHECK(picture(*f.to.store) == before);
  const auto report = import_text(*f.to.store, text, kReplace);
  CHECK(report.entities.skipped == 1);
  CHECK(report.edges.skipped == 1);
  CHECK(picture(*f.to.store) == before);
}

TEST_CASE("a space with rows keeps its settings, and the report says so", "[exchange]") {
  Copied f;
  SpaceSettings settings;
  settings.rows_max = 100;
  (void)f.from.space->configure(settings);
  const auto report = import_text(*f.to.store, exported(*f.from.store));
  CHECK(report.settings_differ);
  CHECK_FALSE(report.settings_applied);
  CHECK(report.kept.at(0).kind == "space");
  CHECK_FALSE(f.to.space->settings().rows_max);
}

TEST_CASE("the limits of a space with other rows hold for an import", "[exchange]") {
  Copied f;
  f.to.add_entity("one more");
  SpaceSettings settings;
  settings.rows_max = 13;
  (void)f.to.space->configure(settings);
  f.from.add_entity("new");
  f.from.add_entity("newer");
  const std::string before = picture(*f.to.store);
  CHECK(contains(error_of([&] { import_text(*f.to.store, exported(*f.from.store)); }), "full"));
  CHECK(picture(*f.to.store) == before);
}

TEST_CASE("the report lists a hundred of the rows that stay and counts them all", "[exchange]") {
  TestStore from;
  const auto all = add_entities(from, 150);
  TestStore to(93);
  import_text(*to.store, exported(*from.store));
  from.environment.clock.advance(1h);
  rename_all(from, all, "f");
  const auto report = import_text(*to.store, exported(*from.store), kSkip);
  CHECK(report.kept.size() == 100);
  CHECK(report.kept_total == 150);
  CHECK(report.entities.kept == 150);
}

}  // namespace holdfast::test
