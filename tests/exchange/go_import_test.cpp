#include <holdfast/exchange/go.h>

#include <fstream>

#include "support.h"
#include "support/foreign_sqlite.h"
#include "support/small_go.h"

namespace holdfast::test {
namespace {

using exchange::OnConflict;

struct SmallGo {
  SmallGo() { run_sql(file, kSmallGo); }
  exchange::GoReport import(OnConflict on_conflict = OnConflict::keep,
                            const exchange::ImportControl& control = {}) {
    return exchange::import_go(store.store->space("main", exchange::kGoActor), file,
                               {.on_conflict = on_conflict}, control);
  }
  /// Spoils the file; what import then throws, having written nothing.
  std::string refusal(const std::string& sql) {
    run_sql(file, sql);
    const std::string before = picture(*store.store);
    const std::string error = error_of([&] { import(); });
    CHECK(picture(*store.store) == before);
    return error;
  }
  Entity entity(const std::string& name) const {
    EntityFilter filter;
    filter.name = name;
    return store.space->entities().list(filter).items.at(0);
  }
  std::vector<Edge> edges_of(const Entity& child) const {
    EdgeFilter filter;
    filter.source = child.id;
    return store.space->edges().list(filter).items;
  }
  Files files;
  std::filesystem::path file = files.path("go.sqlite");
  TestStore store{72};
};

}  // namespace

TEST_CASE("every row of a GO file comes in, or is counted and named", "[exchange]") {
  SmallGo f;
  const auto report = f.import();
  CHECK(report.terms == 5);
  CHECK(report.obsolete_terms == 1);
  CHECK(report.entities.created == 6);
  CHECK(report.parents == 6);
  CHECK(report.edges.created == 6);
  CHECK(report.relations.created == 3);
  CHECK(report.synonyms == 4);
  CHECK(report.repeated_synonyms == 1);
  REQUIRE(report.kept_total == 1);
  CHECK(report.kept.at(0).id == "go_synonym row 4");
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("a GO term's row holds what the file says of it", "[exchange]") {
  SmallGo f;
  f.import();
  const Entity term = f.entity("vacuole inheritance");
  CHECK(to_string(term.id) == "a77e4c2c-701b-59a3-a37c-fa276d74cf0c");
  CHECK(term.kind == "go_term");
  CHECK(term.properties.text() ==
        R"({"go_id":"GO:0000011","ontology":"BP","ontology_name":"biological_process",)"
        R"("definition":"The distribution of vacuoles.","secondary_ids":["GO:0000077"],)"
        R"("synonyms":["passing vacuoles on"]})");
  CHECK(f.entity("organelle inheritance").properties.text() ==
        R"({"go_id":"GO:0000022","ontology":"BP","ontology_name":"biological_process"})");
  CHECK(f.entity("obsolete thioredoxin").kind == "go_obsolete_term");
}

TEST_CASE("a GO parent is an edge from the child, under the file's name for the relation",
          "[exchange]") {
  SmallGo f;
  f.import();
  const auto edges = f.edges_of(f.entity("vacuole"));
  REQUIRE(edges.size() == 2);
  for (const Edge& edge : edges) {
    CHECK(edge.target == f.entity("all").id);
    const bool is_whole = edge.relation == "part of";
    CHECK((is_whole || edge.relation == "isa"));
    CHECK(to_string(edge.id) == (is_whole ? "af1ca290-6d85-5ee7-8d73-be318d2429a9"
                                          : "a4505aa3-7847-5717-8adb-d4a1edd484ff"));
  }
}

TEST_CASE("a second import of a GO file changes nothing, and neither touches the file",
          "[exchange]") {
  SmallGo f;
  const auto bytes = [&] {
    std::ifstream in(f.file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string before = bytes();
  const auto changed_at = std::filesystem::last_write_time(f.file);
  f.import();
  const std::string first = picture(*f.store.store);
  const auto second = f.import();
  CHECK(second.changed_nothing());
  CHECK(second.relations.existing == 3);
  CHECK(second.entities.existing == 6);
  CHECK(second.edges.existing == 6);
  CHECK(second.kept_total == 1);
  CHECK(picture(*f.store.store) == first);
  CHECK(bytes() == before);
  CHECK(std::filesystem::last_write_time(f.file) == changed_at);
  const std::filesystem::directory_iterator folder(f.file.parent_path());
  CHECK(std::distance(begin(folder), end(folder)) == 1);
}

TEST_CASE("a GO file that has changed brings rows nobody has touched up to date", "[exchange]") {
  SmallGo f;
  f.import();
  const Entity term = f.entity("vacuole");
  run_sql(f.file, "UPDATE go_term SET definition = 'A sac.' WHERE _id = 44;"
                  "INSERT INTO go_obsolete SELECT go_id, 'obsolete ' || term, ontology, definition "
                  "FROM go_term WHERE _id = 33; DELETE FROM go_term WHERE _id = 33;"
                  "DELETE FROM go_mf_parents");
  const auto report = f.import();
  CHECK(report.entities.replaced == 2);
  CHECK(report.edges.existing == 5);
  CHECK(contains(f.store.space->entities().get(term.id).properties.text(), "A sac."));
  CHECK(f.entity("obsolete transferase activity").kind == "go_obsolete_term");
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("a GO row that somebody has written stays, is reported, or ends the import",
          "[exchange]") {
  SmallGo f;
  f.import();
  const Entity term = f.entity("vacuole");
  (void)f.store.space->entities().patch(term.id, JsonObject::parse("p", R"({"tags":["mine"]})"));
  const std::string before = picture(*f.store.store);
  CHECK(contains(error_of([&] { f.import(OnConflict::fail); }),
                 "conflict: entity " + to_string(term.id) + ": was written by tester"));
  const auto report = f.import();
  CHECK(report.entities.kept == 1);
  CHECK(report.kept.at(1).id == to_string(term.id));
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("parents do not come in under a relation that is declared symmetric", "[exchange]") {
  SmallGo f;
  Relation relation;
  relation.relation = "part of";
  relation.symmetric = true;
  (void)f.store.space->declare_relation(relation);
  CHECK(contains(f.refusal(""), "conflict: space main has declared relation 'part of' symmetric"));
}

TEST_CASE("a GO import that is stopped goes on where it was", "[exchange]") {
  SmallGo f;
  const auto stopped = f.import(OnConflict::keep, [](const auto& now) { return now.done < 9; });
  CHECK_FALSE(stopped.complete);
  CHECK(stopped.entities.created == 6);
  CHECK(stopped.edges.created == 0);
  const auto rest = f.import();
  CHECK(rest.complete);
  CHECK(rest.entities.existing == 6);
  CHECK(rest.edges.created == 6);
  CHECK(f.import().changed_nothing());
}

TEST_CASE("a parent that is said twice comes in once and is named", "[exchange]") {
  SmallGo f;
  run_sql(f.file, "INSERT INTO go_mf_parents VALUES (33, 55, 'isa')");
  const auto report = f.import();
  CHECK(report.parents == 7);
  CHECK(report.repeated_parents == 1);
  CHECK(report.edges.created == 6);
  CHECK(report.kept.at(1).id == "go_mf_parents row 2");
  CHECK(report.kept.at(1).why == "repeats GO:0000033 -isa-> all");
}

TEST_CASE("a GO file without one of its tables or columns is refused by its name", "[exchange]") {
  for (const std::string table : {"go_ontology", "go_term", "go_obsolete", "go_synonym",
                                  "go_bp_parents", "go_cc_parents", "go_mf_parents"}) {
    SmallGo f;
    CHECK(f.refusal("DROP TABLE " + table) ==
          "invalid_argument file: have the table " + table);
  }
  SmallGo f;
  CHECK(f.refusal("ALTER TABLE go_term RENAME COLUMN definition TO meaning") ==
        "invalid_argument file: have the column definition in its table go_term");
}

TEST_CASE("what is wrong in a GO file is named by table, row and column, and nothing is written",
          "[exchange]") {
  const auto [sql, error] = GENERATE(table<const char*, const char*>(
      {{"UPDATE go_bp_parents SET _parent_id = 99 WHERE _id = 22",
        "go_bp_parents row 2: _parent_id: be the _id of a row of go_term"},
       {"UPDATE go_cc_parents SET _id = 99", "go_cc_parents row 1: _id: be the _id of a row"},
       {"UPDATE go_synonym SET _id = 99 WHERE _id = 44", "go_synonym row 3: _id: be the _id of a"},
       {"UPDATE go_mf_parents SET _parent_id = 33",
        "go_mf_parents row 1: _parent_id: be another term"},
       {"UPDATE go_mf_parents SET relationship_type = ''", "go_mf_parents row 1: relation: be 1"},
       {"UPDATE go_term SET _id = 'x' WHERE _id = 22", "go_term row 2: _id: be an integer"},
       {"UPDATE go_term SET _id = 11 WHERE _id = 22", "go_term row 2: _id: be in the table once"},
       {"UPDATE go_term SET term = x'00' WHERE _id = 33", "go_term row 3: term: be text"},
       {"UPDATE go_term SET term = '' WHERE _id = 33", "go_term row 3: name: be 1"},
       {"UPDATE go_term SET go_id = NULL WHERE _id = 55", "go_term row 5: go_id: be text"},
       {"UPDATE go_term SET go_id = '' WHERE _id = 55", "go_term row 5: go_id: not be empty"},
       {"UPDATE go_obsolete SET go_id = 'all'",
        "go_obsolete row 1: go_id: be one term's; go_term row 5 has it too"},
       {"UPDATE go_term SET ontology = 'XX' WHERE _id = 44",
        "go_term row 4: ontology: be in the table go_ontology"},
       {"UPDATE go_term SET definition = CAST(x'ff' AS TEXT) WHERE _id = 11",
        "go_term row 1: definition: be UTF-8 without NUL"}}));
  SmallGo f;
  CHECK_THAT(f.refusal(sql),
             Catch::Matchers::StartsWith(std::string("invalid_argument ") + error));
}

TEST_CASE("a GO import refuses our own database and what is not there", "[exchange]") {
  SmallGo f;
  const auto refusal = [&](const std::filesystem::path& path) {
    return error_of([&] { exchange::import_go(*f.store.space, path); });
  };
  CHECK(contains(refusal(f.store.backend->options().path), "not a Holdfast database"));
  CHECK(contains(refusal(f.files.path("absent")), "not_found"));
  CHECK(contains(refusal(f.files.write("text", "GO")), "be a SQLite file"));
}

}  // namespace holdfast::test
