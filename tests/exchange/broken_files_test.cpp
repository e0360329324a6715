#include "support.h"

namespace holdfast::test {
namespace {

using exchange::ExportOptions;

/// An empty store, and what refuses to come into it.
struct Empty {
  /// The error of importing `text`, without the folder; the store must stay as it was.
  std::string refusal_of(const std::string& text) {
    const std::string before = picture(*store.store);
    std::string error = error_of([&] { import_text(*store.store, text); });
    CHECK(picture(*store.store) == before);
    const std::size_t at = error.find("in.jsonl:");
    return at == std::string::npos ? error : error.substr(at);
  }
  TestStore store{55};
};

/// A whole export of few rows.
std::string small_export(const ExportOptions& options = {}) {
  TestStore store;
  const EveryKind rows(store);
  return exported(*store.store, options);
}

/// A file of these lines between a header and an end that counts right.
std::string file_of(const std::vector<std::string>& lines) {
  std::array<int, 4> counts{};
  std::string text =
      R"({"holdfast_export":1,"space":"main","settings":{},"tombstones":true,"history":false,)"
      "\"left_out\":[]}\n";
  for (const std::string& line : lines) {
    text += line + "\n";
    counts[0] += line.starts_with("{\"relation\"") ? 1 : 0;
    counts[1] += line.starts_with("{\"entity\"") ? 1 : 0;
    counts[2] += line.starts_with("{\"note\"") ? 1 : 0;
    counts[3] += line.starts_with("{\"edge\"") ? 1 : 0;
  }
  return text + "{\"end\":{\"relations\":" + std::to_string(counts[0]) +
         ",\"entities\":" + std::to_string(counts[1]) + ",\"notes\":" + std::to_string(counts[2]) +
         ",\"edges\":" + std::to_string(counts[3]) + "}}\n";
}

const std::string kTail = R"(,"created_at":5,"revision":5,"deleted_at":null}})";
std::string id_text(int number) {
  return "00000000-0000-4000-8000-00000000000" + std::to_string(number);
}
std::string entity_line(int id, const std::string& kind = "person") {
  return R"({"entity":{"id":")" + id_text(id) + R"(","kind":")" + kind +
         R"(","name":"n","properties":{},"tags":[],"merged_into":null)" + kTail;
}
std::string note_line(int id, const std::string& key) {
  return R"({"note":{"id":")" + id_text(id) + R"(","kind":"k","key":)" + key +
         R"(,"about":null,"content":"c","properties":{},"tags":[],"salience":0.0,)"
         R"("expires_at":null)" + kTail;
}
std::string edge_line(int id, int source, int target, const std::string& from = "null",
                      const std::string& to = "null") {
  return R"({"edge":{"id":")" + id_text(id) + R"(","source":")" + id_text(source) +
         R"(","relation":"r","target":")" + id_text(target) +
         R"(","weight":1.0,"properties":{},"valid_from":)" + from + R"(,"valid_to":)" + to +
         R"(,"deleted_with":null)" + kTail;
}
std::string relation_line(const std::string& more) {
  return R"({"relation":{"relation":"r","symmetric":false,"loops":false)" + more + kTail;
}

}  // namespace

TEST_CASE("a file that is cut off after any line is refused and changes nothing",
          "[exchange][B1]") {
  const bool history = GENERATE(false, true);
  const auto lines = lines_of(small_export({.tombstones = true, .history = history}));
  Empty f;
  for (std::size_t kept = 0; kept < lines.size(); ++kept) {
    const auto text = joined({lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(kept)});
    CHECK(contains(f.refusal_of(text),
                   kept == 0 ? "be in the first line" : "the file is cut off"));
  }
}

TEST_CASE("a file that is cut off at any byte is refused and changes nothing", "[exchange][B1]") {
  const std::string text = small_export();
  Empty f;
  for (std::size_t bytes = 0; bytes + 1 < text.size(); bytes += bytes < 400 ? 7 : 61) {
    INFO("after " << bytes);
    CHECK(f.refusal_of(text.substr(0, bytes)).starts_with("in.jsonl:"));
  }
}

TEST_CASE("a file without its last newline is whole", "[exchange][B2]") {
  std::string text = small_export();
  text.pop_back();
  TestStore store(56);
  CHECK(import_text(*store.store, text).entities.created == 3);
}

TEST_CASE("what breaks the text of a line itself is named by its column", "[exchange]") {
  Empty f;
  const auto place = [&](const std::string& line) {
    const std::string error = f.refusal_of(file_of({line}));
    return error.substr(0, error.find(' '));
  };
  CHECK(place(R"({"entity":{"name":"a\u0000"}})") == "in.jsonl:2:21:");
  CHECK(place("{\"entity\":{\"name\":\"a\xff\"}}") == "in.jsonl:2:21:");
  CHECK(place(R"({"entity":{"n":1,"n":2}})") == "in.jsonl:2:19:");
  CHECK(place(R"({"entity":{"n":1e999}})") == "in.jsonl:2:16:");
}

TEST_CASE("a file with a line left out, put twice or in another place is refused",
          "[exchange]") {
  const auto lines = lines_of(small_export());
  Empty f;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    INFO("line " << at + 1);
    auto without = lines;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(at));
    CHECK(f.refusal_of(joined(without)).starts_with("in.jsonl:"));
    auto twice = lines;
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(at), lines[at]);
    CHECK(f.refusal_of(joined(twice)).starts_with("in.jsonl:"));
  }
  auto turned = lines;
  std::swap(turned[1], turned[4]);
  CHECK(f.refusal_of(joined(turned)) ==
        "in.jsonl:3:3: line: come before the first entity");
}

TEST_CASE("a fault names file, line, column and field", "[exchange]") {
  Empty f;
  const std::string entity = entity_line(1);
  const auto spoiled = [&](std::string_view from, std::string_view to) {
    return f.refusal_of(file_of({replaced(entity, from, to)}));
  };
  CHECK(spoiled("\"kind\":\"person\"", "\"kind\":7") == "in.jsonl:2:63: kind: be a string");
  CHECK(spoiled(",\"merged_into\":null", "") == "in.jsonl:2:1: merged_into: be given");
  CHECK(contains(spoiled("\"tags\":[]", "\"tags\":[],\"color\":1"), "color: not be given"));
  CHECK(contains(spoiled("\"tags\":[]", "\"tags\":{}"), "tags: be an array of strings"));
  CHECK(contains(spoiled("\"properties\":{}", "\"properties\":[]"),
                 "properties: be a JSON object"));
  CHECK(contains(spoiled("\"revision\":5", "\"revision\":0"), "revision: be 1 or more"));
  CHECK(contains(spoiled("\"revision\":5", "\"revision\":\"5\""), "revision: be an integer"));
  CHECK(contains(spoiled("\"revision\":5", "\"revision\":5.5"), "revision: be an integer"));
  CHECK(contains(spoiled("\"created_at\":5", "\"created_at\":null"), "created_at: be a time"));
  CHECK(contains(spoiled("\"created_at\":5", "\"created_at\":99999999999999999999"), "64-bit"));
  CHECK(contains(spoiled("\"name\":\"n\"", "\"name\":\"\""), "name: be 1 to 1,024 bytes"));
  CHECK(contains(spoiled("\"name\":\"n\"", "\"name\":\"n\\u0000\""), "not contain U+0000"));
  CHECK(contains(spoiled("\"name\":\"n\"", "\"name\":\"\xff\""), "UTF-8"));
  CHECK(contains(spoiled("\"id\":\"0", "\"id\":\"x"), "id: "));
  CHECK(contains(spoiled("null}}", "null}}}"), "well-formed JSON"));
  CHECK(contains(spoiled("null}}", "null},\"more\":1}"), "be an object with one member"));
  CHECK(contains(spoiled("\"tags\":[]", "\"tags\":[],\"seq\":5"), "seq: not be given"));
  CHECK(contains(spoiled("\"tags\":[]", "\"tags\":[],\"tags\":[]"), "only once"));
  CHECK(contains(spoiled("{\"entity\":", "{\"thing\":"), "thing: be a relation, an entity"));
  CHECK(contains(f.refusal_of(file_of({"[]"})), "be a JSON object"));
  CHECK(contains(f.refusal_of(file_of({""})), "in.jsonl:2:1: line: be well-formed JSON"));
  CHECK(contains(f.refusal_of(file_of({R"({"entity":null})"})), "entity: be an object"));
}

TEST_CASE("what is over a limit is refused before anything is written", "[exchange]") {
  Empty f;
  const std::string name(1025, 'n');
  CHECK(contains(f.refusal_of(file_of({entity_line(1), replaced(entity_line(2), "\"n\"",
                                                                "\"" + name + "\"")})),
                 "in.jsonl:3:"));
  const std::string content((1U << 20) + 1, 'c');
  CHECK(contains(f.refusal_of(file_of({replaced(note_line(1, "null"), "\"c\"",
                                                "\"" + content + "\"")})),
                 "content: be at most 1,048,576 bytes"));
  std::string deep = "1";
  for (int i = 0; i < 65; ++i) deep = "[" + deep + "]";
  CHECK(contains(f.refusal_of(file_of({replaced(entity_line(1), "\"properties\":{}",
                                                "\"properties\":{\"a\":" + deep + "}")})),
                 "levels deep"));
  CHECK(contains(f.refusal_of(std::string(17U << 20, ' ')), "be at most 16 MiB"));
}

TEST_CASE("rows of a file that contradict each other are refused", "[exchange]") {
  Empty f;
  const std::string a = entity_line(1);
  const std::string b = entity_line(2);
  CHECK(contains(f.refusal_of(file_of({a, a})), "in.jsonl:3:17: id: come only once in the file"));
  CHECK(contains(f.refusal_of(file_of({note_line(1, "\"k\""), note_line(2, "\"k\"")})),
                 "key: not be the key of two live notes: it is that of line 2 too"));
  CHECK(contains(f.refusal_of(file_of({a, b, edge_line(1, 1, 2), edge_line(2, 1, 2)})),
                 "no other live edge of the triple covers, as line 4 does"));
  CHECK(contains(f.refusal_of(file_of({a, b, edge_line(1, 1, 2, "5", "9"),
                                       edge_line(2, 1, 2, "8", "10")})),
                 "in.jsonl:5:"));
  CHECK(contains(f.refusal_of(file_of({a, edge_line(1, 1, 1)})), "does not allow loops"));
  CHECK(contains(f.refusal_of(file_of({relation_line(""), relation_line("")})),
                 "in.jsonl:3:25: relation: come only once"));
  CHECK(contains(f.refusal_of(file_of({relation_line(R"(,"source_kinds":["place"])"), a, b,
                                       edge_line(1, 1, 2)})),
                 "source: be of a kind that the relation links, which 'person' is not"));
  CHECK(contains(f.refusal_of(file_of({relation_line(R"(,"id":")" + id_text(1) + "\"")})),
                 "id: not be given"));
  CHECK(contains(f.refusal_of(file_of({replaced(a, id_text(1),
                                                "00000000-0000-0000-0000-000000000000")})),
                 "not nil"));
  CHECK(contains(f.refusal_of(file_of({a, b, replaced(edge_line(1, 1, 2), "\"deleted_with\":null",
                                                      "\"deleted_with\":\"" + id_text(1) + "\"")})),
                 "be null while the edge is live"));
}

TEST_CASE("edges of one triple may follow one another in a file", "[exchange]") {
  TestStore store(57);
  const auto text = file_of({entity_line(1), entity_line(2), edge_line(1, 1, 2, "5", "9"),
                             edge_line(2, 1, 2, "9", "12"), edge_line(3, 1, 2, "null", "5")});
  CHECK(import_text(*store.store, text).edges.created == 3);
  CHECK(store.store->verify().is_clean());
}

TEST_CASE("an edge whose end is nowhere is an error, never an edge that is dropped",
          "[exchange][C9]") {
  Empty f;
  const auto text = file_of({entity_line(1), edge_line(1, 1, 2)});
  CHECK(contains(f.refusal_of(text),
                 "in.jsonl:3:126: target: be an entity that is live in the file or the space"));
  // The end may be in the space already.
  import_text(*f.store.store, file_of({entity_line(2)}));
  CHECK(import_text(*f.store.store, text).edges.created == 1);
}

TEST_CASE("documents that share an entity are brought in one after another with all their edges",
          "[exchange][C9]") {
  TestStore store(58);
  const auto first = file_of({entity_line(1), entity_line(2), edge_line(1, 1, 2)});
  const auto second = file_of({entity_line(2), entity_line(3), edge_line(2, 3, 2)});
  CHECK(import_text(*store.store, first).edges.created == 1);
  const auto report = import_text(*store.store, second);
  CHECK(report.entities.existing == 1);
  CHECK(report.edges.created == 1);
  CHECK(store.space->neighbors(EntityId::parse("id", id_text(2))).items.size() == 2);
}

TEST_CASE("a first line of another format or version is refused", "[exchange]") {
  const std::string text = small_export();
  Empty f;
  CHECK(contains(f.refusal_of(replaced(text, "\"holdfast_export\":1", "\"holdfast_export\":2")),
                 "in.jsonl:1:20: holdfast_export: be 1"));
  CHECK(contains(f.refusal_of("{\"type\":\"entity\"}\n"), "holdfast_export: be 1"));
  CHECK(contains(f.refusal_of(replaced(text, "\"settings\":{}", "\"settings\":{\"rows_max\":-1}")),
                 "rows_max: be 0 or more"));
  CHECK(contains(f.refusal_of(replaced(text, "\"tombstones\":true,", "")), "have space, settings"));
  CHECK(contains(f.refusal_of(text + "{}\n"), "not come after the end"));
  CHECK(contains(f.refusal_of(replaced(text, "\"entities\":3", "\"entities\":4")),
                 "say how many lines of each kind the file has"));
}

TEST_CASE("a source that is not there or is a folder is an error", "[exchange]") {
  TestStore store(59);
  const Files files;
  CHECK(contains(error_of([&] {
                   (void)exchange::import_jsonl(*store.space, files.path("none.jsonl"));
                 }),
                 "not_found"));
  CHECK(contains(error_of([&] { (void)exchange::import_jsonl(*store.space, files.path("")); }),
                 "be a file, not a folder"));
}

}  // namespace holdfast::test
