#include <holdfast/core/error.h>

#include "storage/sqlite/connection.h"
#include "suites/first_schema.h"
#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

constexpr const char* kTables[] = {"spaces",    "events", "requests", "entities",
                                   "relations", "edges",  "hoods",    "notes"};

/// What version 1 did not have, and the table that every version makes by itself.
constexpr const char* kLater[] = {"meta",
                                  "leases",
                                  "projections",
                                  "projection_generations",
                                  "keys",
                                  "projection_versions",
                                  "projection_failures",
                                  "vectors",
                                  "vector_changes",
                                  "vector_files",
                                  "scheduled_events",
                                  "attempts"};

/// What version 1 could hold, in two spaces: rows of every kind, deleted ones, text beyond ASCII.
void fill(TestStore& store) {
  const Space other = store.store->create_space("other", "tester");
  for (const Space& space : {*store.space, other}) {
    const EntityId a = EntityKind::add(store, space, "\xC3\xA4").id;
    const EntityId b = EntityKind::add(store, space, "b").id;
    written(space.declare_relation(symmetric_relation("near")));
    written(space.edges().insert_if_absent(edge_between(a, "near", b)));
    NoteKind::add(store, space, "\xE6\x97\xA5\xE6\x9C\xAC");
    written(space.notes().remove(NoteKind::add(store, space, "gone").id));
    written(space.entities().update(b, &EntityKind::edit));
    pass_time(store);
  }
  written(store.space->configure({.relations = RelationPolicy::declared}));
  const EntityId last = EntityKind::add(store, other, "last").id;
  written(other.entities().remove(last));
}

/// A copy of a store's file with the tables of version 1 in the place of today's.
struct OldFile {
  OldFile() {
    fill(store);
    options = store.options();
    options.database.path = dir / "old.db";
    REQUIRE(store.store->database().backup(options.database.path, {}));
    storage::sqlite::SqliteConnection old({.path = options.database.path.string(),
                                           .vfs = "",
                                           .access = storage::sqlite::Access::read_write});
    old.execute("BEGIN");
    for (;;) {
      const std::string index =
          old.answer("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL");
      if (index.empty()) break;
      old.execute(("DROP INDEX " + index).c_str());
    }
    for (const std::string table : kTables) {
      old.execute(("ALTER TABLE " + table + " RENAME TO new_" + table).c_str());
    }
    for (const std::string table : kLater) old.execute(("DROP TABLE " + table).c_str());
    for (const char* statement : kFirstSchema) old.execute(statement);
    for (const std::string table : kTables) {
      const std::string columns =
          old.answer(("SELECT group_concat(name) FROM pragma_table_info('" + table + "')").c_str());
      old.execute(("INSERT INTO " + table + " SELECT " + columns + " FROM new_" + table).c_str());
      old.execute(("DROP TABLE new_" + table).c_str());
    }
    old.execute("COMMIT");
  }

  TempDir dir;
  TestStore store;
  StoreOptions options;
};

}  // namespace

TEST_CASE("a file of version 1 is migrated when it is opened, and nothing in it changes",
          "[migration]") {
  OldFile f;
  const auto migrated = Store::open(f.options);
  CHECK(migrated->database().info().schema_version == 5);
  CHECK(picture(*migrated) == picture(*f.store.store));
  CHECK(broken_checks(*migrated).empty());
  CHECK(migrated->database().check_integrity().empty());
}

TEST_CASE("a migrated space counts its rows and bytes as if it always had", "[migration]") {
  OldFile f;
  const auto migrated = Store::open(f.options);
  for (const std::string space : {"main", "other"}) {
    CAPTURE(space);
    const SpaceInfo should = f.store.store->space_info(space);
    REQUIRE(should.rows > 5);
    CHECK(migrated->space_info(space).rows == should.rows);
    CHECK(migrated->space_info(space).body_bytes == should.body_bytes);
  }
  CHECK(migrated->stats().rows == f.store.store->stats().rows);
  const Space main = migrated->space("main", "tester");
  written(main.configure({.rows_max = migrated->space_info("main").rows}));
  CHECK_THROWS_AS(main.notes().insert_if_absent(NoteKind::fresh(f.store, main, "new")), Full);
}

TEST_CASE("a migrated file takes writes of every new kind", "[migration]") {
  OldFile f;
  const auto migrated = Store::open(f.options);
  const Space other = migrated->space("other", "tester");
  const Edge edge = other.edges().list({}).items.front();
  EdgeMove move;
  move.relation = "likes";
  written(other.retarget_edge(edge.id, move, {}, {.request_id = "request"}));
  CHECK(other.retarget_edge(edge.id, move, {}, {.request_id = "request"}).repeated);
  CHECK(other.declare_key({.name = "name", .path = "name"}).outcome == KeyOutcome::declared);
  written(other.entities().remove(edge.source));
  REQUIRE(other.entities().purge(edge.source).applied());
  (void)ScheduledKind::add(f.store, other, "later");
  CHECK(broken_checks(*migrated).empty());
}

TEST_CASE("a migrated file refuses older writers, which would not count", "[migration]") {
  OldFile f;
  CHECK(Store::open(f.options)->database().info().min_writer == 5);
}

TEST_CASE("a file is migrated once, and opened again as it is", "[migration]") {
  OldFile f;
  (void)Store::open(f.options);
  const auto again = Store::open(f.options);
  CHECK(again->database().info().schema_version == 5);
  CHECK(picture(*again) == picture(*f.store.store));
  CHECK(broken_checks(*again).empty());
}
