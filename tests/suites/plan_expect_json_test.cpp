#include <holdfast/core/error.h>

#include "suites/transact_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// Plans as a front end makes them: the expectations that reads gave, and one change.
struct Front : Transacted {
  static std::string document(const std::vector<PlanStep>& reads, const std::string& token = "") {
    std::string steps;
    for (const PlanStep& read : reads) steps += expectation_json(read) + ",";
    const std::string first = token.empty() ? "" : "\"read_token\":\"" + token + "\",";
    return "{" + first + "\"steps\":[" + steps +
           R"({"op":"create","kind":"entity","row":{"kind":"p","name":"made"}}]})";
  }
  PlanResult apply(const std::string& text) const {
    return space().apply(space().parse_plan(JsonObject::parse("plan", text)));
  }
  std::string refusal(const std::string& token) const {
    return refusal_of([&] { (void)apply(document({}, token)); });
  }
  std::string token() const { return to_string(space().begin().read_token); }
  std::string on(const std::string& op, EntityId id) const {
    return R"({"op":")" + op + R"(","kind":"entity","id":")" + to_string(id) + "\"}";
  }
};

/// A filter with a value in every field.
template <class Filter>
Filter shared(Filter filter) {
  filter.created = {.from = at_us(1), .to = at_us(2)};
  filter.changed = {.from = at_us(3), .to = at_us(4)};
  filter.deleted = Deleted::include;
  filter.where = {{"/a b", PropertyOperator::ge, 1.0},
                  {"/n", PropertyOperator::eq, std::int64_t{9007199254740993}},
                  {"/s", PropertyOperator::ne, std::string("quote \" and \\")},
                  {"/x", PropertyOperator::absent, nullptr},
                  {"/b", PropertyOperator::eq, true},
                  {"/z", PropertyOperator::eq, nullptr}};
  return filter;
}

}  // namespace

TEST_CASE("a list as a value reads back as it was written, whatever it is filtered by",
          "[plan][json]") {
  const EntityId id = EntityId::parse("id", "01a22872-ab5b-70c7-90a5-ff871e446f3c");
  EntityFilter entities = shared(EntityFilter{});
  entities.kind = "k";
  entities.name = "n";
  entities.name_prefix = "p";
  entities.tags_any = {"a", "b\"c"};
  entities.tags_all = {"d"};
  EdgeFilter edges = shared(EdgeFilter{});
  edges.relation = "r";
  edges.source = id;
  edges.target = id;
  edges.valid_at = at_us(5);
  NoteFilter notes = shared(NoteFilter{});
  notes.kind = "k";
  notes.key = "y";
  notes.key_prefix = "z";
  notes.about = id;
  notes.live_at = at_us(6);
  notes.include_expired = true;
  notes.tags_any = {"a"};
  notes.tags_all = {"b"};
  std::vector<ListRequest> requests = {
      {.filter = entities, .is_count = false, .page = {.limit = 7, .cursor = "c"}},
      {.filter = edges, .is_count = true, .page = {}},
      {.filter = notes, .is_count = false, .page = {}},
      {}};
  for (const ListRequest& request : requests) {
    const std::string text = request.to_json();
    const auto read = ListRequest::parse(JsonObject::parse("list", text));
    CHECK(read.to_json() == text);
    CHECK(read.filter.index() == request.filter.index());
    CHECK(read.is_count == request.is_count);
    CHECK(read.page.limit == request.page.limit);
  }
  const auto again = ListRequest::parse(JsonObject::parse("list", requests[0].to_json()));
  CHECK(std::get<EntityFilter>(again.filter).where == entities.where);
}

TEST_CASE("expectations survive the way through JSON, and hold until what they name moves",
          "[plan][json]") {
  using Read = std::function<void(Front&, Transaction&)>;
  using Write = std::function<void(Front&)>;
  const std::vector<std::pair<Read, Write>> cases = {
      {[](Front& f, Transaction& t) { t.get(f.ada.id); }, [](Front& f) { f.edit(f.ada.id); }},
      {[](Front& f, Transaction& t) { t.get(f.note.id); },
       [](Front& f) { written(f.space().entities().remove(f.ada.id)); }},
      {[](Front&, Transaction& t) { t.find_note("free"); },
       [](Front& f) {
         Note note;
         note.kind = "x";
         note.key = "free";
         written(f.space().notes().insert_if_absent(note));
       }},
      {[](Front& f, Transaction& t) { t.neighbors(f.ada.id); },
       [](Front& f) { f.store.add_edge(f.ada.id, "likes", f.eve.id); }},
      {[](Front&, Transaction& t) { t.list(NoteFilter{}); },
       [](Front& f) { f.store.add_note("more"); }},
      {[](Front&, Transaction& t) { t.count(EntityFilter{}); },
       [](Front& f) { f.store.add_entity("more"); }}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    Front f;
    Transaction reading(f.space());
    cases[i].first(f, reading);
    const std::string text = f.document(reading.read_set());
    CHECK(f.space().check(f.space().parse_plan(JsonObject::parse("plan", text))).outcome ==
          PlanOutcome::checked);
    cases[i].second(f);
    CHECK(f.apply(text).outcome == PlanOutcome::refused);
  }
}

TEST_CASE("with a read token, expectations without numbers mean since the token", "[plan][token]") {
  Front f;
  const std::string token = f.token();
  const auto text = [&](const std::string& step) {
    return R"({"read_token":")" + token + R"(","steps":[)" + step + "]}";
  };
  CHECK(f.apply(text(f.on("expect_unchanged", f.ada.id))).applied());
  CHECK(f.apply(text(f.on("expect_neighborhood", f.eve.id))).applied());
  f.edit(f.ada.id);
  f.store.add_edge(f.ada.id, "likes", f.eve.id);
  CHECK(outcomes(f.apply(text(f.on("expect_unchanged", f.ada.id)))) ==
        std::vector<std::string>{"revision_moved"});
  CHECK(outcomes(f.apply(text(f.on("expect_neighborhood", f.eve.id)))) ==
        std::vector<std::string>{"neighborhood_moved"});
  CHECK(f.apply(text(f.on("expect_unchanged", f.eve.id))).applied());
}

TEST_CASE("a read token that is not of this space as it now is, is refused by name",
          "[plan][token]") {
  Front f;
  const Beginning begun = f.space().begin();
  CHECK(begun.tail.seq == f.space().tail().seq);
  CHECK(begun.read_token.seq == begun.tail.seq);
  CHECK(ReadToken::parse(to_string(begun.read_token)) == begun.read_token);
  CHECK(f.apply(f.document({}, f.token())).applied());

  const std::string token = f.token();
  for (const std::string& broken :
       {std::string("x"), "hf2" + token.substr(3), token + "0", token.substr(1)}) {
    CHECK(f.refusal(broken) == "read_token: be as begin answered it");
  }
  ReadToken none = begun.read_token;
  none.seq = 0;
  CHECK(f.refusal(to_string(none)).starts_with("read_token: be taken again"));
  ReadToken later = begun.read_token;
  later.seq += 100;
  CHECK(f.refusal(to_string(later)).starts_with("read_token: not be after the journal's end, "));
  ReadToken forked = begun.read_token;
  forked.event = "0000000000000000";
  CHECK(f.refusal(to_string(forked)) ==
        "read_token: be taken again: the journal is not the one that it was taken from");

  (void)f.store.store->create_space("other", "me");
  const Space other = f.store.store->space("other", "me");
  CHECK(f.refusal(to_string(other.begin().read_token)) ==
        "read_token: be of space main, not of another");
  pass_time(f.store);
  (void)f.store.store->delete_space("main");
  (void)f.store.store->create_space("main", "me");
  CHECK(f.refusal(token) ==
        "read_token: be taken again: the space was deleted and made anew since");
}

TEST_CASE("errors in expectations name the step and the field", "[plan][json]") {
  Front f;
  const auto refusal = [&](const std::string& step) {
    return refusal_of([&] { (void)f.apply(R"({"steps":[)" + step + "]}"); });
  };
  CHECK(refusal(f.on("expect_unchanged", f.ada.id)) ==
        "steps[0] expect_unchanged: expect: be given");
  CHECK(refusal(f.on("expect_neighborhood", f.ada.id)) ==
        "steps[0] expect_neighborhood: seq: be given");
  CHECK(refusal(R"({"op":"expect_list","list":{"kind":"note"},"digest":"x"})") ==
        "steps[0] expect_list: list.filter.live_at: be the time that the list was read at");
  CHECK(refusal(R"({"op":"expect_list","list":{"kind":"entity","filter":{"kin":1}},"digest":"x"})")
            .starts_with("steps[0] expect_list: list.filter.kin: not be given"));
  CHECK(refusal(R"({"op":"expect_list","list":{"kind":"entity","count":true,"limit":1},)"
                R"("digest":"x"})") ==
        "steps[0] expect_list: list.count: not be given beside a limit or a cursor");
  CHECK(refusal(R"({"op":"expect_key","key":"email","value":[],"id":null})")
            .starts_with("steps[0] expect_key: value: "));
  CHECK(refusal(R"({"op":"expect_unchanged","kind":"entity","since":99999,"id":")" +
                to_string(f.ada.id) + "\"}")
            .starts_with("steps[0] expect_unchanged: since: not be after the journal's end, "));
}
