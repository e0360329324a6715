#include <holdfast/core/error.h>

#include "suites/projection_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using Checks = std::set<std::string>;

/// A key and a followed projection over two entities, both built and up to date.
struct Built : Projected {
  Built() {
    a = store.add_entity("ann");
    b = store.add_entity("bob");
    REQUIRE(space().declare_key({.name = "name", .path = "name"}).outcome ==
            KeyOutcome::declared);
    REQUIRE(rebuild().end == journal::RebuildEnd::swapped);
    REQUIRE(faults().empty());
  }
  /// What is found once `sql` has damaged the file; then the damage is mended by `mend`.
  Checks after(std::string_view sql) {
    plant(*store.store, sql);
    return broken_checks(*store.store);
  }
  Entity a, b;
};

/// The table of the tests' own projection is in the file, which its schema does not know.
Checks with_table(Checks checks) {
  checks.insert("file.integrity");
  return checks;
}

}  // namespace

TEST_CASE("verify finds a key that leads to another row, and a lookup does not serve it",
          "[verify][keys]") {
  Built f;
  plant(*f.store.store, "UPDATE keys SET value = '\"tmp\"' WHERE value = '\"ann\"'");
  plant(*f.store.store, "UPDATE keys SET value = '\"ann\"' WHERE value = '\"bob\"'");
  CHECK(f.after("DELETE FROM keys WHERE value = '\"tmp\"'") == with_table({"projection.row"}));
  CHECK_THROWS_AS(f.space().find_by_key("name", "ann"), Corrupt);
  CHECK_FALSE(f.space().projections().verify("name").empty());
  CHECK(f.space().projections().verify("words").empty());
  CHECK(f.space().projections().rebuild("name").end == journal::RebuildEnd::swapped);
  CHECK(f.space().find_by_key("name", "ann")->id == f.a.id);
  CHECK(f.faults().empty());
}

TEST_CASE("a key that leads to no row, or to a deleted one, is corrupt", "[verify][keys]") {
  Built f;
  plant(*f.store.store, "UPDATE keys SET id = zeroblob(16) WHERE value = '\"ann\"'");
  CHECK_THROWS_AS(f.space().find_by_key("name", "ann"), Corrupt);
  plant(*f.store.store, "UPDATE entities SET deleted_at = 1 WHERE name = 'bob'");
  CHECK_THROWS_AS(f.space().find_by_key("name", "bob"), Corrupt);
}

TEST_CASE("verify finds a source without a version and one that a version lags behind",
          "[verify][projections]") {
  Built f;
  CHECK(f.after("UPDATE projection_versions SET as_of_seq = 1 WHERE name = 'name'") ==
        with_table({"projection.stale"}));
  CHECK(f.after("DELETE FROM projection_versions WHERE name = 'name'") ==
        with_table({"projection.missing", "projection.row", "projection.orphan"}));
}

TEST_CASE("verify finds versions and watermarks of what is still to come",
          "[verify][projections]") {
  Built f;
  CHECK(f.after("UPDATE projection_versions SET as_of_seq = 999") ==
        with_table({"projection.version"}));
  Built g;
  CHECK(g.after("UPDATE projection_generations SET watermark = 999 WHERE name = 'words'") ==
        with_table({"projection.watermark"}));
}

TEST_CASE("verify finds a version that was made from something else", "[verify][projections]") {
  Built f;
  CHECK(f.after("UPDATE projection_versions SET digest = zeroblob(32)") ==
        with_table({"projection.version"}));
}

TEST_CASE("verify finds rows of generations that are not there", "[verify][projections]") {
  Built f;
  CHECK(f.after("DELETE FROM projection_generations WHERE name = 'name'") ==
        with_table({"projection.orphan"}));
  Built g;
  CHECK(g.after("DELETE FROM projections WHERE name = 'name'") ==
        with_table({"projection.orphan", "space.counts"}));
}

TEST_CASE("verify finds a version of a source that is not there", "[verify][projections]") {
  Built f;
  CHECK(f.after("INSERT INTO projection_versions SELECT space, name, generation, kind,"
                " zeroblob(16), as_of_seq, digest FROM projection_versions WHERE name = 'name'"
                " LIMIT 1") == with_table({"projection.orphan"}));
}

TEST_CASE("verify finds a space that counts other projections than it has",
          "[verify][projections]") {
  Built f;
  CHECK(f.after("UPDATE spaces SET projections = 1") == with_table({"space.counts"}));
}

TEST_CASE("verify finds projections and leases of a space that is not there",
          "[verify][projections]") {
  for (const std::string table : {"leases", "projections", "projection_generations",
                                  "projection_versions", "keys"}) {
    CAPTURE(table);
    Built f;
    CHECK(f.after("UPDATE " + table + " SET space = 'lost'").contains("space.missing"));
  }
}
