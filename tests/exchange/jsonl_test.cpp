#include "support.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

std::string with_line(const std::string& text, std::size_t at, const std::string& line) {
  auto lines = lines_of(text);
  lines.at(at) = line;
  return joined(lines);
}

}  // namespace

TEST_CASE("import alone supplies ids, times, revisions and deletions", "[exchange]") {
  TestStore store;
  const EveryKind rows(store);
  TestStore to(31);
  import_text(*to.store, exported(*store.store));
  auto there = to.space->entities().get(rows.gone.id);
  there.seq = rows.gone.seq;
  CHECK(there == rows.gone);
  auto edge = to.space->edges().get(rows.went_with.id);
  edge.seq = rows.went_with.seq;
  CHECK(edge == rows.went_with);
  const auto events = to.space->entities().history(rows.gone.id).items;
  REQUIRE(events.size() == 1);
  CHECK(events[0].op == "create_deleted");
  CHECK(events[0].actor == exchange::kJsonlActor);
  CHECK(events[0].at == to.environment.clock.now());
}

TEST_CASE("what was imported as deleted comes back with its edges", "[exchange]") {
  TestStore store;
  const EveryKind rows(store);
  TestStore to(32);
  import_text(*to.store, exported(*store.store));
  const auto restored = to.space->entities().restore(rows.gone.id);
  CHECK(restored.applied());
  CHECK(restored.edges == std::vector<EdgeId>{rows.went_with.id});
  CHECK(to.store->verify().is_clean());
}

TEST_CASE("a live note about a deleted entity comes in as it is, and is counted", "[exchange]") {
  TestStore store;
  const EveryKind rows(store);
  TestStore to(33);
  const auto report = import_text(*to.store, exported(*store.store));
  CHECK(report.abouts_missing == 1);
  CHECK(to.space->notes().get(rows.about_gone.id).about_is_deleted);
}

TEST_CASE("an import guards each row it replaces by what it read", "[exchange]") {
  // Somebody writes between two transactions of the import: the row is judged anew.
  TestStore from;
  const auto all = add_entities(from, 1500);
  TestStore to(34);
  import_text(*to.store, exported(*from.store));
  from.environment.clock.advance(1h);
  rename_all(from, all, "f");
  const auto report = import_text(
      *to.store, exported(*from.store),
      {.mode = exchange::ImportMode::replace, .on_conflict = exchange::OnConflict::keep},
      [&](const exchange::ImportProgress& now) {
        if (now.done == 1000) {
          (void)to.space->entities().patch(all.back().id,
                                           JsonObject::parse("p", R"({"name":"g"})"));
        }
        return true;
      });
  CHECK(report.entities.replaced == 1499);
  CHECK(report.entities.kept == 1);
  CHECK(to.space->entities().get(all.back().id).name == "g");
}

TEST_CASE("names come in as NFC, and symmetric edges in the order of their ends", "[exchange]") {
  TestStore store;
  const EveryKind rows(store);
  const std::string text = exported(*store.store);
  const std::string source = "\"source\":\"" + to_string(rows.knows.source) + "\"";
  const std::string target = "\"target\":\"" + to_string(rows.knows.target) + "\"";
  std::string turned = replaced(text, source + ",\"relation\":\"knows\"," + target,
                                "\"source\":\"" + to_string(rows.knows.target) +
                                    "\",\"relation\":\"knows\",\"target\":\"" +
                                    to_string(rows.knows.source) + "\"");
  turned = replaced(turned, "\"name\":\"Ada\"", "\"name\":\"A\u0301da\"");
  TestStore to(35);
  import_text(*to.store, turned);
  CHECK(exported(*to.store) == replaced(text, "\"name\":\"Ada\"", "\"name\":\"\u00c1da\""));
  CHECK(import_text(*to.store, turned).changed_nothing());
}

TEST_CASE("spaces between the tokens and other spellings of times are read", "[exchange]") {
  TestStore store;
  const Entity entity = store.add_entity("one");
  const std::string text = exported(*store.store);
  std::string line = "{\"entity\":" + graph::EntityStore::body(entity) + "}";
  line = replaced(line, "\"created_at\":" + std::to_string(to_us(entity.created_at)),
                  "\"created_at\" : \"" + to_rfc3339(entity.created_at) + "\"");
  TestStore to(36);
  import_text(*to.store, with_line(text, 1, " " + line + "\r"));
  CHECK(exported(*to.store) == text);
}

TEST_CASE("a space that demands declared relations takes back edges from before it did",
          "[exchange]") {
  TestStore store;
  const EveryKind rows(store);  // "misses" is not declared
  (void)store.space->entities().restore(rows.gone.id);
  SpaceSettings settings;
  settings.relations = RelationPolicy::declared;
  (void)store.space->configure(settings);
  const std::string text = exported(*store.store);
  TestStore to(37);
  const auto report = import_text(*to.store, text);
  CHECK(report.settings_applied);
  CHECK(to.space->settings() == settings);
  CHECK(exported(*to.store) == text);
  // With rows of its own it obeys.
  TestStore strict(38);
  strict.add_entity("own");
  (void)strict.space->configure(settings);
  const std::string before = picture(*strict.store);
  CHECK(contains(error_of([&] { import_text(*strict.store, text); }),
                 "the space demands declared relations"));
  CHECK(picture(*strict.store) == before);
}

TEST_CASE("a declaration that edges here contradict is refused first", "[exchange]") {
  TestStore store;
  const EveryKind rows(store);
  const std::string text = exported(*store.store);
  TestStore to(39);
  const Entity a = to.add_entity("a");
  const Entity b = to.add_entity("b");
  to.add_edge(b.id, "knows", a.id);
  const std::string before = picture(*to.store);
  CHECK(contains(error_of([&] { import_text(*to.store, text); }),
                 "conflict: relation knows: edges here contradict"));
  CHECK(picture(*to.store) == before);
}

TEST_CASE("a member of the properties that looks like a deletion is not taken for one",
          "[exchange]") {
  TestStore store;
  Entity entity;
  entity.kind = "person";
  entity.name = "n";
  entity.properties = JsonObject::parse("p", R"({"deleted_at":null})");
  const auto made = store.space->entities().insert_if_absent(entity).current.value();
  (void)store.space->entities().remove(made.id);
  const auto lines =
      lines_of(exported(*store.store, {.tombstones = false, .history = false}));
  CHECK(lines.size() == 2);
}

}  // namespace holdfast::test
