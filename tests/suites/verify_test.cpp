#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using Checks = std::set<std::string>;

/// A clean store whose last events are those of three live edges: a loves b (for ever), a knows b
/// before and after an instant. Corruption is planted by SQL below the stores.
struct Sound {
  Sound() {
    const EntityId a = store.add_entity("a").id;
    const EntityId b = store.add_entity("b").id;
    store.add_note("text", a);
    store.add_edge(a, "loves", b);
    Edge edge = edge_between(a, "knows", b);
    edge.valid_to = at_us(10);
    written(store.space->edges().insert_if_absent(edge));
    edge.valid_from = at_us(20);
    edge.valid_to.reset();
    written(store.space->edges().insert_if_absent(edge));
    written(store.space->entities().update(a, &EntityKind::edit));
    REQUIRE(broken_checks(*store.store).empty());
  }
  Checks after(std::string_view sql) {
    plant(*store.store, sql);
    return broken_checks(*store.store);
  }
  TestStore store;
};

}  // namespace

TEST_CASE("verify finds an event that is gone", "[verify]") {
  Sound f;
  // The note's only event.
  CHECK(f.after("DELETE FROM events WHERE kind = 'note'") ==
        Checks{"journal.gap", "row.unjournaled"});
}

TEST_CASE("verify finds an event that is dated before its predecessor", "[verify]") {
  Sound f;
  CHECK(f.after("UPDATE events SET at = at - 1 WHERE seq = 4") == Checks{"journal.time"});
}

TEST_CASE("verify finds a space that does not end where its journal does", "[verify]") {
  Sound f;
  CHECK(f.after("UPDATE spaces SET last_seq = last_seq + 1") == Checks{"journal.tail"});
  CHECK(f.after("UPDATE spaces SET last_seq = last_seq - 1").empty());
  CHECK(f.after("UPDATE spaces SET last_at = last_at + 1") == Checks{"journal.tail"});
}

TEST_CASE("verify finds events of a kind that no store has", "[verify]") {
  Sound f;
  CHECK(f.after("UPDATE events SET kind = 'alien' WHERE kind = 'note'") ==
        Checks{"journal.kind", "row.unjournaled"});
}

TEST_CASE("verify finds a stream whose root is not its first event", "[verify]") {
  Sound f;
  CHECK(f.after("UPDATE events SET stream_seq = 2 WHERE kind = 'note'") == Checks{"stream.root"});
}

TEST_CASE("verify finds an event that names a predecessor of another row", "[verify]") {
  Sound f;
  CHECK(f.after("UPDATE events SET prev_seq = 1 WHERE op = 'replace'") == Checks{"stream.link"});
}

TEST_CASE("verify finds an event that skips a place in its stream", "[verify]") {
  Sound f;
  CHECK(f.after("UPDATE events SET stream_seq = 3 WHERE op = 'replace'") == Checks{"stream.link"});
}

TEST_CASE("verify finds a row that is gone", "[verify]") {
  Sound f;
  CHECK(f.after("DELETE FROM notes") == Checks{"row.missing"});
}

TEST_CASE("verify finds a row that no event speaks of", "[verify]") {
  Sound f;
  CHECK(f.after("INSERT INTO entities SELECT space, randomblob(16), kind, name, properties, tags,"
                " merged_into, created_at, revision, deleted_at, seq FROM entities"
                " WHERE name = 'b'") == Checks{"row.unjournaled"});
}

TEST_CASE("verify finds a row that names another event than its last", "[verify]") {
  Sound f;
  CHECK(f.after("UPDATE notes SET seq = seq + 1") == Checks{"row.sequence"});
}

TEST_CASE("verify finds a row whose text is not its last event's", "[verify]") {
  Sound f;
  const char* change =
      GENERATE("UPDATE notes SET content = 'forged'", "UPDATE notes SET salience = 0.5",
               "UPDATE notes SET revision = revision + 1", "UPDATE notes SET tags = 'no list'");
  CAPTURE(change);
  CHECK(f.after(change) == Checks{"row.body"});
}

TEST_CASE("verify finds a live edge at a dead entity, at either end", "[verify]") {
  Sound f;
  const char* change = GENERATE("UPDATE entities SET deleted_at = 5 WHERE name = 'b'",
                                "UPDATE entities SET deleted_at = 5 WHERE name <> 'b'");
  CHECK(f.after(change) == Checks{"edge.endpoint", "row.body"});
}

TEST_CASE("verify finds an edge of a symmetric relation that is stored the wrong way", "[verify]") {
  Sound f;
  written(f.store.space->declare_relation(symmetric_relation("near")));
  REQUIRE(broken_checks(*f.store.store).empty());
  f.store.add_edge(f.store.space->entities().list({}).items.back().id, "near",
                   f.store.space->entities().list({}).items.front().id);
  REQUIRE(broken_checks(*f.store.store).empty());
  CHECK(f.after("UPDATE edges SET source = target, target = source WHERE relation = 'near'") ==
        Checks{"edge.symmetric", "row.body"});
}

TEST_CASE("verify finds edges of one triple that hold at once", "[verify]") {
  Sound f;
  CHECK(f.after("UPDATE edges SET valid_to = valid_to + 10 WHERE valid_to < 9e18") ==
        Checks{"row.body"});
  CHECK(f.after("UPDATE edges SET valid_to = valid_to + 1 WHERE valid_to < 9e18") ==
        Checks{"edge.overlap", "row.body"});
}

TEST_CASE("verify finds a neighbourhood that missed a change, at either end", "[verify]") {
  Sound f;
  const char* change = GENERATE(
      "UPDATE hoods SET seq = seq - 1 WHERE entity ="
      " (SELECT source FROM edges LIMIT 1)",
      "DELETE FROM hoods WHERE entity ="
      " (SELECT target FROM edges LIMIT 1)");
  CHECK(f.after(change) == Checks{"edge.hood"});
}

TEST_CASE("verify finds a neighbourhood that claims a change that was none there", "[verify]") {
  Sound f;
  // The last event is an entity's; the third stamp is true, but of other entities.
  const char* change = GENERATE(
      "UPDATE hoods SET seq = (SELECT max(seq) FROM events)", "UPDATE hoods SET seq = seq + 100",
      "INSERT INTO hoods SELECT space, randomblob(16), seq FROM hoods LIMIT 1");
  CAPTURE(change);
  CHECK(f.after(change) == Checks{"edge.hood"});
}

TEST_CASE("verify counts every finding, reports progress and can be stopped", "[verify]") {
  Sound f;
  plant(*f.store.store, "UPDATE edges SET weight = 7");
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  const auto report = f.store.store->verify([&](const journal::VerifyProgress& progress) {
    done = progress.done;
    total = progress.total;
    CHECK(progress.space == "main");
  });
  CHECK(report.findings_total == 3);
  CHECK(report.findings.front().space == "main");
  CHECK(done == total);
  CHECK(total == report.events + report.rows);
  CHECK_THROWS_AS(f.store.store->verify(
                      [](const journal::VerifyProgress&) { throw std::runtime_error("stop"); }),
                  std::runtime_error);
}

TEST_CASE("verify looks at every space", "[verify]") {
  Sound f;
  const Space other = f.store.store->create_space("other", "tester");
  EntityKind::add(f.store, other, "theirs");
  plant(*f.store.store, "UPDATE entities SET name = 'forged' WHERE space = 'other'");
  const auto report = f.store.store->verify();
  CHECK(report.spaces == 2);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings.front().space == "other");
}
