#include <algorithm>

#include "support.h"

namespace holdfast::test {
namespace {

using exchange::McpMemoryOptions;
using exchange::OnConflict;

constexpr McpMemoryOptions kFail{.on_conflict = OnConflict::fail};

const std::string kAda =
    R"({"type":"entity","name":"Ada","entityType":"person","observations":["born 1815","wrote"]})";
const std::string kEngine =
    R"({"type":"entity","name":"Engine","entityType":"machine","observations":[]})";
const std::string kProgrammed =
    R"({"type":"relation","from":"Ada","to":"Engine","relationType":"programmed"})";
const std::string kSmall = kAda + "\n" + kEngine + "\n" + kProgrammed + "\n";

struct Memory {
  std::vector<Note> notes(const std::string& kind) const {
    NoteFilter filter;
    filter.kind = kind;
    return store.space->notes().list(filter).items;
  }
  std::vector<std::string> contents(const std::string& kind) const {
    std::vector<std::string> texts;
    for (const Note& note : notes(kind)) texts.push_back(note.content);
    std::sort(texts.begin(), texts.end());
    return texts;
  }
  Entity named(const std::string& name) const {
    EntityFilter filter;
    filter.name = name;
    return store.space->entities().list(filter).items.at(0);
  }
  /// Refused, with nothing written.
  std::string refusal_of(const std::string& text) {
    const std::string before = picture(*store.store);
    std::string error = error_of([&] { import_memory(*store.store, text); });
    CHECK(picture(*store.store) == before);
    return error;
  }
  TestStore store{61};
};

}  // namespace

TEST_CASE("a memory file becomes entities, observations about them and edges", "[exchange]") {
  Memory f;
  const auto report = import_memory(*f.store.store, kSmall);
  CHECK(report.records == 3);
  CHECK(report.entities.created == 2);
  CHECK(report.notes.created == 2);
  CHECK(report.edges.created == 1);
  const Entity ada = f.named("Ada");
  CHECK(ada.kind == "person");
  CHECK(f.contents("observation") == std::vector<std::string>{"born 1815", "wrote"});
  CHECK(f.notes("observation").at(0).about == ada.id);
  const auto neighbors = f.store.space->neighbors(ada.id).items;
  REQUIRE(neighbors.size() == 1);
  CHECK(neighbors[0].edge.relation == "programmed");
  CHECK(neighbors[0].entity.name == "Engine");
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("a memory file is read however its lines end", "[exchange][B2]") {
  Memory f;
  const std::string expected = [] {
    TestStore store(61);
    import_memory(*store.store, kSmall);
    return picture(*store.store);
  }();
  const auto is_same = [&](const std::string& text) {
    TestStore store(61);
    const auto report = import_memory(*store.store, text);
    CHECK(report.records == 3);
    return picture(*store.store) == expected;
  };
  CHECK(is_same(kAda + "\n" + kEngine + "\n" + kProgrammed));           // no last newline
  CHECK(is_same("\xEF\xBB\xBF" + kSmall));                              // byte-order mark
  CHECK(is_same(kAda + "\r\n" + kEngine + "\r\n" + kProgrammed + "\r\n"));
  CHECK(is_same("\n\n  \n" + kAda + "\n\n" + kEngine + "\n\r\n" + kProgrammed + "\n\n"));
  CHECK(is_same(kAda + kEngine + "\n" + kProgrammed));                  // a newline was lost
  CHECK(is_same(kAda + " " + kEngine + "\t" + kProgrammed));
  CHECK(is_same(kProgrammed + "\n" + kAda + "\n" + kEngine + "\n"));    // relation first
  TestStore store(62);
  CHECK(import_memory(*store.store, kAda + kEngine + "\n").joined_lines == 1);
}

TEST_CASE("an entity without observations has none", "[exchange][B4]") {
  Memory f;
  const auto report = import_memory(
      *f.store.store,
      R"({"type":"entity","name":"a","entityType":"t"})" "\n"
      R"({"type":"entity","name":"b","entityType":"t","observations":null})" "\n"
      R"({"type":"entity","name":"c"})" "\n"
      R"({"type":"entity","name":"d","entityType":""})" "\n");
  CHECK(report.entities.created == 4);
  CHECK(report.notes.created == 0);
  CHECK(f.named("c").kind == "unknown");
  CHECK(f.named("d").kind == "unknown");
}

TEST_CASE("what the memory server's format does not know is kept", "[exchange]") {
  Memory f;
  const std::string color = R"({"type":"color","name":"red"})";
  const std::string nameless = R"({"type":"entity","entityType":"t"})";
  const auto report = import_memory(
      *f.store.store,
      color + "\n" + nameless + "\n" + color + "\n" +
          R"({"type":"entity","name":"a","entityType":"t","observations":[],"v":2,"x":[1.50]})" +
          "\n" + R"({"type":"entity","name":"a","entityType":"u","observations":["o"],"v":3})" +
          "\n" + R"({"type":"relation","from":"a","to":"a","relationType":"r","since":1999})");
  CHECK(report.unknown_records == 3);
  CHECK(report.merged_entities == 1);
  CHECK(f.contents("mcp:record") == std::vector<std::string>{color, nameless});
  const Entity a = f.named("a");
  CHECK(a.kind == "t");
  CHECK(a.properties.text() == R"({"mcp":{"entityType":"u","v":2,"x":[1.50]}})");
  const auto edges = f.store.space->edges().list({}).items;
  REQUIRE(edges.size() == 1);
  CHECK(edges[0].source == edges[0].target);
  CHECK(edges[0].properties.text() == R"({"mcp":{"since":1999}})");
}

TEST_CASE("records of one name are one entity with the observations of all", "[exchange]") {
  Memory f;
  const auto report = import_memory(
      *f.store.store,
      kAda + "\n" +
          R"({"type":"entity","name":"Ada","entityType":"person","observations":["wrote","new"]})");
  CHECK(report.entities.created == 1);
  CHECK(report.merged_entities == 1);
  CHECK(report.repeated_observations == 1);
  CHECK(f.contents("observation") == std::vector<std::string>{"born 1815", "new", "wrote"});
  CHECK(import_memory(*f.store.store, kAda + kProgrammed + kProgrammed + kEngine)
            .repeated_relations == 1);
}

TEST_CASE("a relation of an unknown entity is reported and kept, never lost", "[exchange][C9]") {
  Memory f;
  const auto report = import_memory(*f.store.store, kAda + "\n" + kProgrammed + "\n");
  CHECK(report.unknown_records == 1);
  REQUIRE(report.kept.size() == 1);
  CHECK(report.kept[0].id == "Ada -programmed-> Engine");
  CHECK(contains(report.kept[0].why, "names an entity that the source does not have, Engine"));
  CHECK(f.contents("mcp:record") == std::vector<std::string>{kProgrammed});
}

TEST_CASE("damaged records are refused with line and column, and nothing is written",
          "[exchange]") {
  Memory f;
  CHECK(contains(f.refusal_of(kAda + "\n{\"type\":\"entity\",\"name\":\"x\""),
                 "memory.json:2:28: record: be well-formed JSON"));
  CHECK(contains(f.refusal_of(kAda + "\n[1]\n"), "memory.json:2:1: line: be JSON objects"));
  CHECK(contains(f.refusal_of(kAda + "garbage\n" + kEngine), "line: be JSON objects"));
  CHECK(contains(f.refusal_of(replaced(kAda, "[\"born 1815\"", "[7")),
                 "memory.json:1:68: observations: be an array of strings"));
  CHECK(contains(f.refusal_of(replaced(kAda, "[\"born 1815\",\"wrote\"]", "\"one\"")),
                 "observations: be an array of strings"));
  CHECK(contains(f.refusal_of(kAda + kEngine + replaced(kAda, "wrote", "\\ud800")), ":1:"));
  CHECK(contains(f.refusal_of(replaced(kAda, "Ada", std::string(1025, 'n'))),
                 "name: be 1 to 1,024 bytes"));
  CHECK(contains(f.refusal_of(replaced(kAda, "wrote", "\xff")), "UTF-8"));
  CHECK(contains(f.refusal_of(replaced(kAda, "\"type\"", "\"name\":1,\"type\"")), "only once"));
}

TEST_CASE("a memory file cut off at any byte is refused or is a whole file of fewer records",
          "[exchange][B1]") {
  for (std::size_t bytes = 0; bytes < kSmall.size(); bytes += 11) {
    INFO("after " << bytes);
    TestStore store(63);
    const std::string before = picture(*store.store);
    const std::string text = kSmall.substr(0, bytes);
    const bool is_whole = text.empty() || text.ends_with("}") || text.ends_with("}\n");
    const std::string error = error_of([&] { import_memory(*store.store, text); });
    CHECK((error == "nothing") == is_whole);
    if (!is_whole) CHECK(picture(*store.store) == before);
  }
}

TEST_CASE("a second run finds every row and says so", "[exchange]") {
  Memory f;
  import_memory(*f.store.store, kSmall);
  const std::string before = picture(*f.store.store);
  const auto again = import_memory(*f.store.store, kSmall);
  CHECK(again.changed_nothing());
  CHECK(again.entities.existing == 2);
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("a changed source brings rows nobody has touched to what it says now", "[exchange]") {
  Memory f;
  import_memory(*f.store.store, kSmall);
  f.store.environment.clock.advance(std::chrono::hours(1));
  const auto report = import_memory(
      *f.store.store, replaced(replaced(kSmall, "person", "writer"), "wrote", "calculated"));
  CHECK(report.entities.replaced == 1);
  CHECK(report.notes.created == 1);
  CHECK(f.named("Ada").kind == "writer");
  CHECK(f.contents("observation").size() == 3);
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("a row that somebody has written since stays, is reported, or ends the import",
          "[exchange]") {
  Memory f;
  import_memory(*f.store.store, kSmall);
  const Entity ada = f.named("Ada");
  (void)f.store.space->entities().patch(ada.id, JsonObject::parse("p", R"({"tags":["mine"]})"));
  const std::string changed = replaced(kSmall, "person", "writer");
  const std::string before = picture(*f.store.store);
  CHECK(contains(error_of([&] { import_memory(*f.store.store, changed, kFail); }),
                 "conflict: entity " + to_string(ada.id) + ": was written by tester"));
  CHECK(picture(*f.store.store) == before);
  const auto report = import_memory(*f.store.store, changed);
  CHECK(report.entities.kept == 1);
  CHECK(contains(report.kept.at(0).why, "was written by tester"));
  CHECK(f.named("Ada").kind == "person");
}

TEST_CASE("what somebody has deleted since stays deleted", "[exchange]") {
  Memory f;
  import_memory(*f.store.store, kSmall);
  (void)f.store.space->entities().remove(f.named("Engine").id);
  const auto report = import_memory(*f.store.store, kSmall);
  CHECK(report.entities.kept == 1);
  CHECK(report.edges.kept == 1);
  CHECK(f.store.space->edges().count({}) == 0);
}

TEST_CASE("a memory file goes into a space that demands declared relations", "[exchange]") {
  Memory f;
  SpaceSettings settings;
  settings.relations = RelationPolicy::declared;
  (void)f.store.space->configure(settings);
  const auto report = import_memory(*f.store.store, kSmall);
  CHECK(report.relations.created == 1);
  CHECK(report.edges.created == 1);
  CHECK(import_memory(*f.store.store, kSmall).changed_nothing());
}

TEST_CASE("ids of a memory file are the same in every store", "[exchange]") {
  Memory f;
  import_memory(*f.store.store, kSmall);
  const auto id = [](const char* text) { return parse_uuid("id", text); };
  CHECK(f.named("Ada").id.uuid == id("d1ef6f8e-cb77-59a2-a653-bee06a3979ba"));
  const NoteId wrote{id("8b358c3a-0d74-5203-bc9b-5889997fe102")};
  CHECK(f.store.space->notes().get(wrote).content == "wrote");
  const EdgeId programmed{id("2df7db2d-bde6-5743-836b-240cffe856c0")};
  CHECK(f.store.space->edges().find(programmed).has_value());
}

TEST_CASE("an import of a memory file that was stopped goes on", "[exchange]") {
  std::string text;
  for (int i = 0; i < 2500; ++i) {
    text += replaced(kEngine, "Engine", "e" + std::to_string(i)) + "\n";
  }
  TestStore store(64);
  const auto first = import_memory(*store.store, text, {}, [](const auto&) { return false; });
  CHECK_FALSE(first.complete);
  CHECK(first.entities.created == 1000);
  const auto second = import_memory(*store.store, text);
  CHECK(second.entities.existing == 1000);
  CHECK(second.entities.created == 1500);
}

}  // namespace holdfast::test
