#include <algorithm>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

Note add_note(TestStore& store, const std::optional<std::string>& key) {
  pass_time(store);
  Note note = NoteKind::fresh(store, *store.space, "keyed");
  note.key = key;
  return written(store.space->notes().insert_if_absent(note));
}

std::vector<std::string> keys(const TestStore& store, const NoteFilter& filter,
                              std::size_t limit = 100) {
  std::vector<std::string> found;
  for (const Note& note : all_pages<Note>(limit, [&](const PageRequest& request) {
         return store.space->notes().list(filter, request);
       })) {
    found.push_back(note.key.value_or("(none)"));
  }
  CHECK(store.space->notes().count(filter) == found.size());
  return found;
}

NoteFilter by_prefix(const std::string& prefix) {
  NoteFilter filter;
  filter.key_prefix = prefix;
  return filter;
}

}  // namespace

TEST_CASE("notes by the start of a key come in the order of keys, keyless ones left out",
          "[filter]") {
  TestStore store;
  for (const char* key : {"b", "a/2", "a", "a/10", "a0", "A", "%"}) add_note(store, key);
  add_note(store, std::nullopt);
  for (const std::size_t limit : {1U, 2U, 3U, 4U, 5U}) {
    CHECK(keys(store, by_prefix("a"), limit) ==
          std::vector<std::string>{"a", "a/10", "a/2", "a0"});
  }
  CHECK(keys(store, by_prefix("a/")) == std::vector<std::string>{"a/10", "a/2"});
  CHECK(keys(store, by_prefix("%")) == std::vector<std::string>{"%"});
  CHECK(keys(store, by_prefix("c")).empty());
}

TEST_CASE("a prefix of keys ends where no greater character is", "[filter]") {
  TestStore store;
  const std::string last = "\xF4\x8F\xBF\xBF";  // U+10FFFF
  add_note(store, last);
  add_note(store, last + "x");
  add_note(store, "x");
  CHECK(keys(store, by_prefix(last)) == std::vector<std::string>{last, last + "x"});
}

TEST_CASE("deleted notes of one key are paged by id", "[filter]") {
  TestStore store;
  std::vector<NoteId> ids;
  for (int i = 0; i < 3; ++i) {
    ids.push_back(add_note(store, "k").id);
    written(store.space->notes().remove(ids.back()));
  }
  ids.push_back(add_note(store, "k").id);
  std::sort(ids.begin(), ids.end());
  NoteFilter filter = by_prefix("k");
  CHECK(keys(store, filter).size() == 1);
  filter.deleted = Deleted::include;
  for (const std::size_t limit : {1U, 2U, 3U}) {
    const auto paged = all_pages<Note>(limit, [&](const PageRequest& request) {
      return store.space->notes().list(filter, request);
    });
    CHECK(ids_of(paged) == ids);
  }
}

TEST_CASE("a prefix of keys goes with tags and conditions", "[filter]") {
  TestStore store;
  for (const char* key : {"a3", "a1", "a2", "b1"}) add_note(store, key);
  const auto& notes = store.space->notes();
  const auto id = notes.list(by_prefix("a2")).items.at(0).id;
  written(notes.update(id, [](Note& note) {
    note.properties = JsonObject::parse("properties", R"({"hidden":true})");
  }));
  NoteFilter filter = by_prefix("a");
  filter.where = {{"/hidden", PropertyOperator::absent, nullptr}};
  filter.tags_all = {"one"};
  for (const std::size_t limit : {1U, 2U, 3U}) {
    CHECK(keys(store, filter, limit) == std::vector<std::string>{"a1", "a3"});
  }
}

TEST_CASE("a prefix of keys is judged as a key and tied to its cursors", "[filter]") {
  TestStore store;
  for (const char* key : {"\xC3\xA9" "1", "\xC3\xA9" "2"}) add_note(store, key);
  CHECK(keys(store, by_prefix("e\xCC\x81")).size() == 2);
  const auto& notes = store.space->notes();
  CHECK(refusal_of([&] { notes.list(by_prefix("")); }) == "key_prefix: be 1 to 1,024 bytes");
  const auto page = notes.list(by_prefix("\xC3\xA9"), {.limit = 1, .cursor = {}});
  const PageRequest next{.limit = 1, .cursor = page.next.value()};
  CHECK(refusal_of([&] { notes.list({}, next); }).starts_with("cursor: come from a list with"));
  CHECK(refusal_of([&] { notes.list(by_prefix("e\xCC\x81"), next); }) == "not refused");
}
