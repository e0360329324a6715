#include <filesystem>
#include <sstream>

#include "support.h"

namespace holdfast::test {
namespace {

using exchange::ExportOptions;

}  // namespace

TEST_CASE("an export says in its first line what it is and what is not in it", "[exchange][P5]") {
  TestStore store;
  const EveryKind rows(store);
  CHECK(lines_of(exported(*store.store)).front() ==
        R"({"holdfast_export":1,"space":"main","settings":{},"tombstones":true,"history":false,)"
        R"("left_out":["sequences","request answers","ids of relations","history",)"
        R"("purged rows"]})");
  const auto live = lines_of(exported(*store.store, {.tombstones = false, .history = false}));
  CHECK(contains(live.front(), R"("purged rows","tombstones"]})"));
  const auto history = lines_of(exported(*store.store, {.tombstones = true, .history = true}));
  CHECK(contains(history.front(), R"("events of the space itself","contents of purged rows"]})"));
}

TEST_CASE("an export ends with a count of its lines and a newline", "[exchange][B2]") {
  TestStore store;
  const EveryKind rows(store);
  const std::string text = exported(*store.store);
  CHECK(text.ends_with("{\"end\":{\"relations\":2,\"entities\":3,\"notes\":3,\"edges\":3}}\n"));
  const std::string history = exported(*store.store, {.tombstones = true, .history = true});
  CHECK(contains(lines_of(history).back(), R"({"end":{"events":)"));
  CHECK(history.ends_with("\n"));
}

TEST_CASE("an export holds each row as the journal has it, in the order of ids", "[exchange]") {
  TestStore store;
  const EveryKind rows(store);
  const std::string text = exported(*store.store);
  CHECK(contains(text, "{\"entity\":" + graph::EntityStore::body(rows.ada) + "}\n"));
  CHECK(contains(text, "{\"edge\":" + graph::EdgeStore::body(rows.went_with) + "}\n"));
  CHECK(contains(text, "{\"note\":" + notes::NoteStore::body(rows.keyed) + "}\n"));
  CHECK(contains(text, "\n{\"relation\":{\"relation\":\"knows\",\"symmetric\":true,"));
  CHECK_FALSE(contains(text, "\"seq\""));
  CHECK(text.find(to_string(rows.ada.id)) < text.find(to_string(rows.bob.id)));
}

TEST_CASE("an export reports what it wrote and what it left out", "[exchange]") {
  TestStore store;
  const EveryKind rows(store);
  std::ostringstream out;
  const auto all = exchange::export_space(*store.store, "main", out);
  CHECK(all.entities == 3);
  CHECK(all.tombstones == 3);
  CHECK(all.left_out == 0);
  const auto live = exchange::export_space(*store.store, "main", out,
                                           {.tombstones = false, .history = false});
  CHECK(live.entities == 2);
  CHECK(live.left_out == 3);
}

TEST_CASE("a store that was opened read-only is exported and stays as it was",
          "[exchange][P3]") {
  TestStore store;
  const EveryKind rows(store);
  const std::string expected = exported(*store.store);
  auto options = store.options();
  options.database.access = storage::OpenMode::read_only;
  store.space.reset();
  store.store.reset();
  const auto path = options.database.path;
  const auto bytes = std::filesystem::file_size(path);
  const auto reader = Store::open(options);
  CHECK(exported(*reader) == expected);
  CHECK(std::filesystem::file_size(path) == bytes);
}

TEST_CASE("an export sees one instant while others write", "[exchange]") {
  TestStore store;
  const EveryKind rows(store);
  const std::string expected = exported(*store.store);
  add_notes(store, 3000, "more");
  std::string text;
  bool has_written = false;
  const auto report = exchange::export_space(*store.store, "main", [&](std::string_view piece) {
    text += piece;
    if (!has_written) (void)store.space->entities().remove(rows.bob.id);
    has_written = true;
  });
  CHECK(has_written);
  CHECK(report.notes == 3003);
  CHECK(contains(text, graph::EntityStore::body(rows.bob)));
  TestStore to(5);
  CHECK(import_text(*to.store, text).notes.created == 3003);
}

TEST_CASE("an export hands over pieces of whole lines, however much there is", "[exchange]") {
  TestStore store;
  add_notes(store, 2000, std::string(500, 'x'));
  std::size_t longest = 0;
  std::size_t pieces = 0;
  exchange::export_space(*store.store, "main", [&](std::string_view piece) {
    longest = std::max(longest, piece.size());
    ++pieces;
    CHECK(piece.ends_with('\n'));
  });
  CHECK(pieces > 10);
  CHECK(longest < 100'000);
}

TEST_CASE("an export that is stopped has no end, so nothing imports it", "[exchange]") {
  TestStore store;
  add_notes(store, 2500, "n");
  std::ostringstream out;
  const auto report = exchange::export_space(*store.store, "main", out, {},
                                             [](const auto& now) { return now.done < 2000; });
  CHECK_FALSE(report.complete);
  CHECK(report.notes == 2000);
  TestStore to(6);
  CHECK(contains(error_of([&] { import_text(*to.store, out.str()); }), "the file is cut off"));
}

TEST_CASE("an export into a stream that fails is an error", "[exchange]") {
  TestStore store;
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  CHECK(contains(error_of([&] { exchange::export_space(*store.store, "main", out); }),
                 "unavailable"));
  CHECK(contains(error_of([&] { exported(*store.store, {}, "nowhere"); }), "not_found"));
}

}  // namespace holdfast::test
