#include "support.h"

namespace holdfast::test {
namespace {

using exchange::ExportOptions;

const ExportOptions kHistory{.tombstones = true, .history = true};

struct WithHistory {
  WithHistory() : text(exported(*from.store, kHistory)), lines(lines_of(text)) {}

  /// The error of importing these lines; the store must stay as it was.
  std::string refusal_of(const std::vector<std::string>& given) {
    const std::string before = picture(*to.store);
    const std::string error = error_of([&] { import_text(*to.store, joined(given)); });
    CHECK(picture(*to.store) == before);
    return error;
  }
  std::size_t line_with(std::string_view part) const {
    for (std::size_t at = 0; at < lines.size(); ++at) {
      if (contains(lines[at], part)) return at;
    }
    throw std::logic_error("no line with " + std::string(part));
  }

  TestStore from;
  EveryKind rows{from};
  TestStore to{101};
  std::string text;
  std::vector<std::string> lines;
};

}  // namespace

TEST_CASE("a file with history goes only into a space that never had a row", "[exchange]") {
  WithHistory f;
  SECTION("a space that has one refuses it") { f.to.add_entity("here"); }
  SECTION("and so does one whose rows are purged") {
    const Entity entity = f.to.add_entity("here");
    (void)f.to.space->entities().remove(entity.id);
    (void)f.to.space->entities().purge(entity.id);
  }
  CHECK(contains(f.refusal_of(f.lines), "conflict: space main has had rows"));
}

TEST_CASE("a history that its own bodies contradict is taken back whole", "[exchange]") {
  WithHistory f;
  auto lines = f.lines;
  SECTION("a revision that does not rise") {
    const std::size_t at = f.line_with("\"tags\":[\"t\"]");
    const std::string revision = "\"revision\":" + std::to_string(f.rows.ada.revision.us);
    lines[at] = replaced(lines[at], revision, "\"revision\":5");
    CHECK(contains(f.refusal_of(lines), "event.revision"));
  }
  SECTION("a delete whose body is live") {
    const std::size_t at = f.line_with("\"op\":\"delete\"");
    lines[at] = lines[at].substr(0, lines[at].rfind("\"deleted_at\":")) + "\"deleted_at\":null}}}";
    CHECK(contains(f.refusal_of(lines), "event.body"));
  }
  SECTION("an operation that there is not") {
    const std::size_t at = f.line_with("\"op\":\"delete\"");
    lines[at] = replaced(lines[at], "\"op\":\"delete\"", "\"op\":\"vanish\"");
    CHECK(contains(f.refusal_of(lines), "event.op"));
  }
  SECTION("an edge to an entity that is not there") {
    const std::size_t at = f.line_with("\"name\":\"Bob\"");
    lines[at] = replaced(replaced(lines[at], "\"deleted_at\":null", "\"deleted_at\":7"),
                         "\"create\"", "\"create_deleted\"");
    CHECK(contains(f.refusal_of(lines), "edge.endpoint"));
  }
  SECTION("a body that is blank though its row was not purged") {
    const std::size_t at = f.line_with("\"name\":\"Bob\"");
    lines[at] = lines[at].substr(0, lines[at].find("\"body\":")) + "\"body\":null}}";
    CHECK(contains(f.refusal_of(lines), "the check event.body holds"));
  }
}

TEST_CASE("a history whose lines contradict each other is refused where they do",
          "[exchange]") {
  WithHistory f;
  auto lines = f.lines;
  const std::size_t at = f.line_with("\"tags\":[\"t\"]");
  SECTION("a row that begins twice") {
    lines[at] = replaced(lines[at], "\"op\":\"replace\"", "\"op\":\"create\"");
    CHECK(contains(f.refusal_of(lines), "op: be create only in the row's first event"));
  }
  SECTION("a row that does not begin") {
    const std::size_t first = f.line_with("\"name\":\"Bob\"");
    lines[first] = replaced(lines[first], "\"op\":\"create\"", "\"op\":\"replace\"");
    CHECK(contains(f.refusal_of(lines), "op: be create or create_deleted: it is the row's first"));
  }
  SECTION("a time that goes back") {
    const std::size_t from = lines[at].find("\"at\":");
    const std::size_t to = lines[at].find(',', from);
    lines[at] = lines[at].replace(from, to - from, "\"at\":5");
    CHECK(contains(f.refusal_of(lines), "at: not be before that of the line before"));
  }
  SECTION("an id that is not the body's") {
    lines[at] = replaced(lines[at], to_string(f.rows.ada.id), to_string(f.rows.bob.id));
    CHECK(contains(f.refusal_of(lines), "id: be the id in the body"));
  }
  SECTION("an event of the space itself") {
    lines[at] = replaced(lines[at], "\"kind\":\"entity\"", "\"kind\":\"space\"");
    CHECK(contains(f.refusal_of(lines), "kind: be relation, entity, note or edge"));
  }
  SECTION("a member too few") {
    lines[at] = replaced(lines[at], "\"op\":\"replace\",", "");
    CHECK(contains(f.refusal_of(lines), "have kind, id, op, at, actor, request_id and body"));
  }
  SECTION("a row among events") {
    lines[at] = "{\"entity\":" + graph::EntityStore::body(f.rows.ada) + "}";
    CHECK(contains(f.refusal_of(lines), "be an event or the end"));
  }
}

TEST_CASE("events of a space are dated back when a history comes before them", "[exchange]") {
  WithHistory f;
  f.to.environment.clock.advance(std::chrono::hours(24));
  SpaceSettings settings;
  settings.rows_max = 1000;
  (void)f.to.space->configure(settings);
  const auto report = import_text(*f.to.store, f.text);
  CHECK(report.settings_applied);
  CHECK_FALSE(f.to.space->settings().rows_max);
  CHECK(report.events == f.lines.size() - 2);
  CHECK(f.to.store->verify().is_clean());
  CHECK(f.to.space->tail().at == f.from.space->tail().at);
  // What is written next is dated by the clock again.
  const Entity next = f.to.add_entity("next");
  CHECK(next.created_at == f.to.environment.clock.now());
  CHECK(f.to.store->verify().is_clean());
}

TEST_CASE("a history that is imported twice is refused the second time", "[exchange]") {
  WithHistory f;
  import_text(*f.to.store, f.text);
  CHECK(contains(f.refusal_of(f.lines), "conflict"));
}

TEST_CASE("a history survives the reopening of its store", "[exchange]") {
  WithHistory f;
  import_text(*f.to.store, f.text);
  f.to.reopen();
  CHECK(exported(*f.to.store, kHistory) == f.text);
}

}  // namespace holdfast::test
