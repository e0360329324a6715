#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using Checks = std::set<std::string>;

/// A clean store in which every operation was done, and none of the events below is a row's last.
/// Corruption is planted by SQL below the stores.
struct Lived {
  Lived() {
    const EntityId a = store.add_entity("a").id;
    const EntityId b = store.add_entity("b").id;
    store.add_edge(a, "loves", b);
    const auto& entities = store.space->entities();
    written(entities.update(a, &EntityKind::edit));
    for (const EntityId id : {a, b}) REQUIRE(entities.remove(id).applied());
    for (const EntityId id : {a, b}) REQUIRE(entities.restore(id).applied());
    REQUIRE(broken_checks(*store.store).empty());
  }
  Checks after(std::string_view sql) {
    plant(*store.store, sql);
    return broken_checks(*store.store);
  }
  TestStore store;
};

}  // namespace

TEST_CASE("verify finds an operation that is none", "[verify]") {
  Lived f;
  CHECK(f.after("UPDATE events SET op = 'merge' WHERE op = 'replace'") == Checks{"event.op"});
}

TEST_CASE("verify finds a body that is no row", "[verify]") {
  Lived f;
  const char* body = GENERATE(
      "NULL", "''", "'null'", "'[]'", "'{}'", "body || '}'", "substr(body, 2)", "char(0) || body",
      "body || char(0)", "replace(body, '}', ',}')", "json_remove(body, '$.revision')",
      "json_remove(body, '$.created_at')", "json_remove(body, '$.deleted_at')",
      "json_set(body, '$.revision', 'one')", "json_set(body, '$.deleted_at', 'never')");
  CAPTURE(body);
  const std::string sql =
      "UPDATE events SET body = " + std::string(body) + " WHERE op = 'replace'";
  CHECK(f.after(sql) == Checks{"event.body"});
}

TEST_CASE("verify finds a body of another row", "[verify]") {
  Lived f;
  const char* id = GENERATE("'01'", "7", "NULL", "json_object('id', json_extract(body, '$.id'))");
  CAPTURE(id);
  const std::string sql = "UPDATE events SET body = json_set(body, '$.id', " + std::string(id) +
                          ") WHERE op = 'replace'";
  CHECK(f.after(sql) == Checks{"event.body"});
}

TEST_CASE("verify finds a body that is deleted where its operation is not", "[verify]") {
  Lived f;
  CHECK(f.after("UPDATE events SET body = json_set(body, '$.deleted_at', 5) WHERE op = 'create'"
                " AND kind IN ('entity', 'edge')") == Checks{"event.body"});
}

TEST_CASE("verify finds a body that is live where its operation deletes", "[verify]") {
  Lived f;
  const char* op = GENERATE("'delete'", "'hand_over'");
  CAPTURE(op);
  const std::string sql =
      "UPDATE events SET body = json_set(body, '$.deleted_at', NULL) WHERE op = " +
      std::string(op);
  CHECK(f.after(sql) == Checks{"event.body"});
}

TEST_CASE("verify finds a restore that leaves the row deleted", "[verify]") {
  Lived f;
  CHECK(f.after("UPDATE events SET body = json_set(body, '$.deleted_at', 5)"
                " WHERE op = 'restore'") == Checks{"event.body", "row.body"});
}

TEST_CASE("verify finds a revision that does not grow along its stream", "[verify]") {
  Lived f;
  const char* by = GENERATE("0", "- 1");
  CAPTURE(by);
  // The root's revision is its time of creation, so the next event's comes to it or below.
  const std::string sql =
      "UPDATE events SET body = json_set(body, '$.revision',"
      " json_extract(body, '$.created_at') + " + std::string(by) + ") WHERE op = 'replace'";
  CHECK(f.after(sql) == Checks{"event.revision"});
}

TEST_CASE("verify finds a time of creation that changes along its stream", "[verify]") {
  Lived f;
  CHECK(f.after("UPDATE events SET body = json_set(body, '$.created_at', 5)"
                " WHERE op = 'replace'") == Checks{"event.body"});
}

TEST_CASE("verify finds rows of a space that is gone", "[verify]") {
  Lived f;
  f.store.add_note("text");
  plant(*f.store.store, "DELETE FROM spaces");
  std::set<std::string> tables;
  for (const journal::Finding& finding : f.store.store->verify().findings) {
    CHECK(finding.check == "space.missing");
    CHECK(finding.space == "main");
    tables.insert(finding.detail.substr(0, finding.detail.find(' ')));
  }
  CHECK(tables == std::set<std::string>{"edges", "entities", "events", "hoods", "notes",
                                         "requests"});
}

TEST_CASE("verify finds rows of one space among others that it never had", "[verify]") {
  Lived f;
  const char* change = GENERATE("UPDATE hoods SET space = 'zzz'", "UPDATE hoods SET space = 'aaa'");
  CHECK(f.after(change) == Checks{"edge.hood", "space.missing"});
}

TEST_CASE("verify takes a deleted space for one that is there", "[verify]") {
  Lived f;
  CHECK(f.after("UPDATE spaces SET deleted_at = 5").empty());
}

TEST_CASE("verify finds a schema that is not the one the code makes", "[verify]") {
  Lived f;
  const char* change =
      GENERATE("DROP INDEX edges_live", "DROP TABLE requests", "CREATE TABLE extra (a)",
               "CREATE INDEX extra ON notes (content)", "ALTER TABLE notes ADD COLUMN extra TEXT",
               "CREATE TRIGGER extra AFTER DELETE ON notes BEGIN SELECT 1; END");
  CAPTURE(change);
  CHECK(f.after(change) == Checks{"file.integrity"});
}

TEST_CASE("verify takes the engine's own tables for no part of the schema", "[verify]") {
  Lived f;
  CHECK(f.after("ANALYZE").empty());
}
